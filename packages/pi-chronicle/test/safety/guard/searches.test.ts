// Searches in projects with closed files and many files: what a search needs not read is left out of it, and what is too large is a rule's to say.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { deepIt } from "../../harness/deep-it.ts";
import { openSetting, starterRules } from "./guarded-project.ts";

/** Makes `count` files below a folder of the project. */
function fill(cwd: string, folder: string, count: number): void {
	for (let at = 0; at < count; at++) {
		const place = join(cwd, folder, String(Math.floor(at / 500)));
		if (at % 500 === 0) mkdirSync(place, { recursive: true });
		writeFileSync(join(place, `f${at}.json`), "");
	}
}

describe("a search that would read closed files", () => {
	const setting = openSetting(starterRules);
	afterAll(() => setting.close());
	setting.remove("lnk");

	it.each([
		"grep -rn TODO .",
		"grep -rn TODO . | head -5",
		"cd . && grep -rn TODO .",
		"find . -type f -exec grep -l TODO {} \\;",
		"find . -type f | xargs wc -l",
		"rg --hidden --no-ignore TODO",
		"tar czf /tmp/x.tgz .",
	])("runs without them: %s", async (command) => {
		const said = await setting.bash(command);
		expect(said.decision, said.why).toBe("allow");
		expect(said.notes.map(({ reason }) => reason).join()).toMatch(/without .*\.env/);
		expect(await setting.screen("bash", { command }, "out")).toMatch(
			/^out\n\[Ran as `.*\.env.*`: .* closed to every tool\.\]$/s,
		);
	});

	it.each([
		"cat .env",
		"grep KEY .env",
		"grep -r . --include='.env*'",
		"grep -rn x . --include='*.pem'",
		"find . -name .env -exec cat {} +",
		"cp -r . /tmp/x",
		"cat $(find . -type f); grep -rn TODO .; cp -r . /tmp/x",
		"find . -type f -not -path '*/.env/*' -exec cat {} +; cp -r . /tmp/x",
		"grep -rn TODO .; rm -rf src",
	])("is refused where leaving them out is not what was asked for, or not enough: %s", async (command) => {
		expect((await setting.bash(command)).decision).not.toBe("allow");
	});
});

describe("a search in a large repository", () => {
	const setting = openSetting(`${starterRules}\n`);
	afterAll(() => setting.close());
	setting.remove("lnk", "server.pem");
	fill(setting.cwd, "tmp/data", 21_000);

	it.each([
		"git grep TODO",
		"rg TODO",
		"grep -rn TODO src",
		"git ls-files | xargs wc -l",
		"fd -e ts -x cat",
		"grep -rn TODO .",
	])("is not asked about because of ignored files: %s", async (command) => {
		expect((await setting.bash(command)).decision).toBe("allow");
	});

	it("is judged by git's index where it reads only tracked files", async () => {
		writeFileSync(join(setting.cwd, "src/key.pem"), "x");
		expect((await setting.bash("git ls-files | xargs cat")).decision).toBe("allow");
		spawnSync("git", ["-C", setting.cwd, "add", "src/key.pem"]);
		expect((await setting.bash("git ls-files | xargs cat")).decision).toBe("deny");
		spawnSync("git", ["-C", setting.cwd, "rm", "-q", "--cached", "src/key.pem"]);
	});

	it("beyond the bound is asked about", async () => {
		expect((await setting.bash("cp -r tmp/data /tmp/x")).decision).toBe("ask");
	});

	deepIt.each<[rule: string, decision: string]>([
		["effects: { large-tree: deny }", "deny"],
		["effects: { large-tree: off }", "allow"],
	])("beyond the bound a rule decides: %s", async (rule, decision) => {
		const other = openSetting(`zeroAccessPaths: ['*.pem']\n${rule}\n`);
		try {
			fill(other.cwd, "many", 21_000);
			expect((await other.bash("cp -r many /tmp/x")).decision).toBe(decision);
		} finally {
			await other.close();
		}
	});
});
