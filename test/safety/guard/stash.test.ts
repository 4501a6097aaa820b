// What `git stash` takes away: files that git does not know only with an option, and never the rules that the agent is judged by.
import { spawnSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openSetting, type Setting, starterRules } from "./setting.ts";

let setting: Setting;
afterEach(() => setting.close());

const takesAll = [
	"git stash -u",
	"git stash --include-untracked",
	"git stash -a",
	"git stash push --all -m x",
	"git stash --inc",
];

describe("the rules of the project", () => {
	it.each(takesAll)("stay where git does not track them: %s", async (command) => {
		setting = openSetting(starterRules);
		const { decision, verdicts } = await setting.bash(command);
		expect(decision).not.toBe("allow");
		expect(verdicts.map(({ rule }) => rule)).toContain("self-protection");
	});

	it.each(takesAll)("stay anyway where git tracks them: %s", async (command) => {
		setting = openSetting(starterRules);
		spawnSync("git", ["-C", setting.cwd, "add", "-f", ".pi"]);
		const { decision, why } = await setting.bash(command);
		expect(decision, why).toBe("allow");
	});

	it("stay where git ignores them, unless ignored files are meant too", async () => {
		setting = openSetting(starterRules);
		appendFileSync(join(setting.cwd, ".gitignore"), ".pi/\n");
		expect((await setting.bash("git stash -u")).decision).toBe("allow");
		expect((await setting.bash("git stash -a")).decision).not.toBe("allow");
	});

	it.each(["git stash", "git stash push src", "git stash -u -- src", "git stash list"])(
		"are not meant: %s",
		async (command) => {
			setting = openSetting(starterRules);
			const { decision, why } = await setting.bash(command);
			expect(decision, why).toBe("allow");
		},
	);
});
