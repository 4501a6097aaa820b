// Files that `git stash` removes: untracked ones only with an option, and never the guard's rules.
import { spawnSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openSetting, type Setting, starterRules } from "./guarded-project.ts";

let setting: Setting;
afterEach(() => setting.close());

const takesAll = [
	"git stash -u",
	"git stash --include-untracked",
	"git stash -a",
	"git stash push --all -m x",
	"git stash --inc",
];

describe("the project's rules", () => {
	it.each(takesAll)("are protected if git does not track them: %s", async (command) => {
		setting = openSetting(starterRules);
		const { decision, verdicts } = await setting.bash(command);
		expect(decision).not.toBe("allow");
		expect(verdicts.map(({ rule }) => rule)).toContain("self-protection");
	});

	it.each(takesAll)("are protected if git tracks them: %s", async (command) => {
		setting = openSetting(starterRules);
		spawnSync("git", ["-C", setting.cwd, "add", "-f", ".pi"]);
		const { decision, why } = await setting.bash(command);
		expect(decision, why).toBe("allow");
	});

	it("need no protection if git ignores them, unless ignored files are included", async () => {
		setting = openSetting(starterRules);
		appendFileSync(join(setting.cwd, ".gitignore"), ".pi/\n");
		expect((await setting.bash("git stash -u")).decision).toBe("allow");
		expect((await setting.bash("git stash -a")).decision).not.toBe("allow");
	});

	it.each(["git stash -- .env", "git stash -um x -- .env", "git stash push -- .env", "git stash push .env"])(
		"apply to a path that is stashed: %s",
		async (command) => {
			setting = openSetting(starterRules);
			expect((await setting.bash(command)).decision).not.toBe("allow");
		},
	);

	it.each(["git stash", "git stash push src", "git stash -u -- src", "git stash list"])(
		"are not affected by %s",
		async (command) => {
			setting = openSetting(starterRules);
			const { decision, why } = await setting.bash(command);
			expect(decision, why).toBe("allow");
		},
	);
});
