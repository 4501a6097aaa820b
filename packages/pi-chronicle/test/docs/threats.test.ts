// The tables of docs/threats.md: each row names tests that exist and are not skipped.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkout } from "../harness/index.ts";

const text = readFileSync(join(checkout, "docs", "threats.md"), "utf8");
const rows = text.split("\n").flatMap((line) => {
	const [, ...cells] = line.split("|").map((cell) => cell.trim());
	const by = cells.at(-2) ?? "";
	return cells.length > 3 && /^`[\w/-]+`: /.test(by) ? [{ claim: cells.at(0) || (cells[1] ?? ""), by }] : [];
});

/** The file of a test in any package; `name`: its path below the package's tests. */
function fileOf(name: string): string | undefined {
	const packages = ["footprint", "core", "postgres", "pi-chronicle"];
	const paths = packages.flatMap((owner) =>
		["test", "deep.test"].map((kind) => join(checkout, "packages", owner, "test", `${name}.${kind}.ts`)),
	);
	return paths.find((path) => existsSync(path));
}

describe("a claim about threats", () => {
	it("is one of many", () => expect(rows.length).toBeGreaterThan(30));
	it("names a test in each row of the tables that have a column for it", () => {
		const [, ...tables] = text.split(/\| tested by \|\n\|[-|]+\|\n/);
		const all = tables.flatMap((table) => (table.split("\n\n")[0] ?? "").split("\n"));
		expect(rows).toHaveLength(all.length);
	});
	it.each(rows)("names its test: $claim", ({ by }) => {
		const [, file = "", title = ""] = /^`([\w/-]+)`: (.+)$/.exec(by) ?? [];
		const path = fileOf(file) ?? "";
		expect(path, by).not.toBe("");
		const lines = readFileSync(path, "utf8").split("\n");
		const found = lines.findIndex((line) => line.includes(title));
		expect(found, `${path} has no test "${title}"`).toBeGreaterThanOrEqual(0);
		const begun = lines.slice(0, found + 1).findLast((line) => /\b(?:it|deepIt)\b.*[(<[]/.test(line));
		expect(begun, by).toMatch(/\b(?:it|deepIt)(?:\.each|\.concurrent)?(?:<|\()/);
	});
});
