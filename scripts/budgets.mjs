// Fails if a package has more lines of source than package.json allows under "budgets". A higher number is a decision of its own.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const { budgets } = JSON.parse(readFileSync("package.json", "utf8"));
for (const [name, most] of Object.entries(budgets)) {
	const lines = readdirSync(join("packages", name, "src"), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
		.map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8").split("\n").length - 1)
		.reduce((sum, count) => sum + count, 0);
	console.log(`${name}: ${lines} of ${most} lines`);
	if (lines > most) process.exitCode = 1;
}
