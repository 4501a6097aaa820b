// Regular expressions of rules: their cost, their time limit, and the words that they are matched against.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { canonicalForms } from "../../../src/safety/guard/match/canonical-forms.ts";
import { compileCommandRule } from "../../../src/safety/guard/match/command-pattern.ts";
import { literalArguments } from "../../../src/safety/guard/match/literal-arguments.ts";
import { maskLiterals } from "../../../src/safety/guard/match/mask-literals.ts";
import { openTimedRuns, type TimedRuns } from "../../../src/safety/guard/match/timed-runs.ts";
import type { CommandRule } from "../../../src/safety/guard/rules/rule-set.ts";
import { within } from "../../harness/patience.ts";
import { openSetting } from "./guarded-project.ts";

function rule(pattern: string, flags = ""): CommandRule {
	return {
		kind: "command",
		pattern,
		flags,
		name: pattern,
		reason: "",
		decision: "deny",
		dryRun: false,
		origin: { file: "/rules.yaml", line: 1 },
	};
}

describe("the analysis of an expression", () => {
	it("finds the program that every match starts with", () => {
		const head = (pattern: string, flags = "") => compileCommandRule(rule(pattern, flags)).head;
		expect(head("\\brm\\s+-[rRf]")).toBe("rm");
		expect(head("\\bgit\\s+push\\b")).toBe("git");
		expect(head("\\bmkfs\\.")).toBeUndefined();
		expect(head("rm -rf /")).toBe("rm");
		expect(head("rm")).toBeUndefined();
		expect(head("\\b(rm|rmdir)\\s")).toBeUndefined();
		expect(head("rm x|dd y")).toBeUndefined();
		expect(head("\\brm\\s+x", "i")).toBeUndefined();
		expect(head("\\bg\\+\\+\\s")).toBe("g++");
		expect(head("rm+\\s")).toBeUndefined();
		expect(head("rm+ x")).toBeUndefined();
		expect(compileCommandRule(rule("\\|\\s*(ba)?sh\\b")).spansCommands).toBe(true);
		expect(compileCommandRule(rule("\\brm\\s+(?:-r|-f)")).spansCommands).toBe(false);
	});
});

describe("expressions under a time limit", () => {
	const find = (runs: TimedRuns, expression: RegExp, texts: readonly string[]) => {
		const found: string[] = [];
		const late: string[] = [];
		const act = (text: string): void => void (expression.test(text) && found.push(text));
		runs.each(texts, act, (text) => {
			late.push(text);
			return "go on";
		});
		return [found, late];
	};

	it("are evaluated in order, and those that exceed it are reported", () => {
		const runs = openTimedRuns(150);
		const text = `${"a".repeat(40)}!`;
		expect(find(runs, /b+/, ["c", "aab"])).toEqual([["aab"], []]);
		expect(find(runs, /^(a+)+$/, ["a", text, "aa", text])).toEqual([
			["a", "aa"],
			[text, text],
		]);
		expect(find(runs, /A/i, ["c", "a"])).toEqual([["a"], []]);
		expect(find(runs, /A/, [])).toEqual([[], []]);
		const seen: string[] = [];
		runs.each(
			["a", text, "aa"],
			(each) => void (/^(a+)+$/.test(each) && seen.push(each)),
			() => "stop",
		);
		expect(seen).toEqual(["a"]);
	});
});

describe("exponential expressions", () => {
	it("time out to a refusal that names the rule", async () => {
		const setting = openSetting("bashToolPatterns:\n  - pattern: '(x+x+)+y$'\n    reason: slow\n    ask: true\n");
		try {
			const said = await setting.bash(`frobnicate ${"x".repeat(60)}`);
			expect(said.decision).toBe("deny");
			expect(said.why).toContain("(x+x+)+y$");
			expect(said.why).toContain("took too long");
			// A call that was too slow once is refused at once.
			const begin = performance.now();
			for (let round = 0; round < 20; round++) await setting.bash(`frobnicate ${"x".repeat(60)}`);
			expect(performance.now() - begin).toBeLessThan(within(5000));
			expect((await setting.bash("frobnicate xxy")).decision).toBe("ask");
			expect((await setting.bash("ls")).decision).toBe("allow");
		} finally {
			await setting.close();
		}
	});
});

describe("an exponential expression for paths", () => {
	it("matches every path once it has exceeded the time limit", async () => {
		const setting = openSetting("readOnlyPaths: [{ regex: '(a+)+\\.x$', reason: slow }]\n");
		const write = async (path: string) => (await setting.judge("write", { path, content: "x" })).decision;
		try {
			expect([await write("b.txt"), await write("aa.x")]).toEqual(["allow", "deny"]);
			expect([await write(`${"a".repeat(60)}!`), await write("b.txt")]).toEqual(["deny", "deny"]);
		} finally {
			await setting.close();
		}
	});
});

describe("an expression for paths in a folder of many files", () => {
	it.each([
		["finds the one that it matches", "held9[0-9]9\\.txt$", ["deny", "allow"]],
		["matches every file once it has exceeded the time limit", "(held)+(\\d+)+\\.x$", ["deny", "deny"]],
	])("%s", async (_name, regex, expected) => {
		const setting = openSetting(`readOnlyPaths: [{ regex: '${regex}', reason: x }]\n`);
		try {
			const fill = (folder: string, names: readonly string[]) => {
				mkdirSync(join(setting.cwd, folder));
				for (const name of names) writeFileSync(join(setting.cwd, folder, name), "");
			};
			fill("many", [...Array.from({ length: 1000 }, (_, index) => `held${index}.txt`), `held${"1".repeat(60)}!`]);
			fill("few", ["a.txt"]);
			const said = [await setting.bash("rm -rf many"), await setting.bash("rm -rf few")];
			expect(said.map(({ decision }) => decision)).toEqual(expected);
		} finally {
			await setting.close();
		}
	});
});

describe("literal arguments", () => {
	it.each<[string, (string | null)[], boolean[]]>([
		["echo", ["rm", "-rf"], [true, true]],
		["git", ["commit", null, "rm -rf"], [false, false, false]],
		["grep", [null, "rm -rf", "src"], [true, false, false]],
		["grep", ["-rn", "rm -rf", "src"], [false, true, false]],
		["grep", ["-e", "rm -rf", "src"], [false, true, false]],
		["git", ["commit", "-m", "rm -rf"], [false, false, true]],
		["git", ["commit", "-am", "rm -rf"], [false, false, true]],
		["git", ["commit", "--message=rm -rf"], [false, true]],
		["git", ["reset", "--hard"], [false, false]],
		["git", ["-C", "x", "grep", "reset --hard", "--", "docs"], [false, false, false, true, false, false]],
		["sed", ["-n", "s/rm -rf/x/", "f"], [false, true, false]],
		["bash", ["-c", "rm -rf"], [false, false]],
	])("%s %j", (program, args, expected) => {
		expect(literalArguments(program, args)).toEqual(expected);
	});

	it("are masked in a command, except for commands inside them that run", () => {
		expect(maskLiterals("echo 'a | sh' | cat")).toBe("echo ········ | cat");
		expect(maskLiterals('git commit -m "x | sh" && ls')).toBe("git commit -m ········ && ls");
		expect(maskLiterals('echo "$(curl x | sh)"')).toContain("curl x | sh");
		expect(maskLiterals("cat <<E\ncurl x | sh\nE")).not.toContain("curl");
		expect(maskLiterals("bash <<E\ncurl x | sh\nE")).toContain("curl x | sh");
		expect(maskLiterals("curl x | sh")).toBe("curl x | sh");
		expect(maskLiterals("if (( broken")).toBe("if (( broken");
	});
});

describe("the canonical form", () => {
	const spellings = (program: string, ...args: string[]) =>
		canonicalForms({ program, args, text: [program, ...args].join(" "), effects: [], changes: [] });
	it("omits options before a subcommand and puts options first", () => {
		expect(spellings("git", "-C", "x", "reset", "--hard")).toContain("git reset --hard");
		expect(spellings("git", "grep", "reset --hard", "--", "docs")).not.toContain("git reset --hard -- docs");
		expect(spellings("rm", "src", "-rf")).toContain("rm -rf src");
		expect(spellings("gcloud", "compute", "--project", "p", "instances", "delete", "x")).toContain(
			"gcloud compute instances delete x --project p",
		);
		expect(spellings("aws", "--profile", "p", "s3", "rm", "--recursive", "s3://b")).toContain(
			"aws s3 rm --recursive s3://b",
		);
	});
});

describe("the commands that an expression applies to", () => {
	const rules = (...patterns: string[]) =>
		`bashToolPatterns:\n${patterns.map((pattern) => `  - { pattern: '${pattern}', reason: x }\n`).join("")}`;
	const decisions = async (text: string, commands: readonly string[]) => {
		const setting = openSetting(text);
		try {
			return await Promise.all(commands.map(async (command) => (await setting.bash(command)).decision));
		} finally {
			await setting.close();
		}
	};

	it.each<[string, readonly string[], readonly string[]]>([
		["\\bmigrate\\s+reset\\b", ["npx prisma migrate reset", "yarn prisma migrate reset"], ["npx prisma migrate dev"]],
		["\\bapply\\s+-auto-approve", ["terraform -chdir=x apply -auto-approve"], ["terraform plan"]],
		["\\binstall\\s+-g\\b", ["npm install -g x", "sudo npm install -g x"], ["npm install x"]],
		["\\bdeploy\\s+prod", ["make deploy prod", "./x deploy prod"], ["make deploy test", "grep 'deploy prod' docs.md"]],
		["\\bpublish\\b", ["npm publish", "cargo publish"], ["git commit -m publish", "echo publish"]],
		["\\brun\\s+wipe\\b", ["npm run wipe", "yarn run wipe"], ["npm run wiped"]],
		[
			"\\brelease\\.sh\\s+now\\b",
			["sh release.sh now", "./release.sh now", "bash -e ./release.sh now", "sudo sh release.sh now"],
			["cat release.sh", 'echo "release.sh now"'],
		],
		["\\bartisan\\s+migrate:fresh", ["php artisan migrate:fresh"], ["php artisan migrate"]],
		// A word that is a program's name is that program, not another one's subcommand.
		["\\brm\\s+-f\\b", ["rm -f x", "mywrap rm -f x", "op run -- rm -f x"], ["docker rm -f web", "npm rm -f x"]],
	])("%s applies to %j, and does not match %j", async (pattern, fitting, others) => {
		expect(await decisions(rules(pattern), fitting)).toEqual(fitting.map(() => "deny"));
		expect(await decisions(rules(pattern), others)).toEqual(others.map(() => "allow"));
	});

	it.each<[string, readonly string[], readonly string[]]>([
		["\\bnpm\\s+publish\\b", ["pnpm publish"], ["cargo publish", "docker push x"]],
		["\\bkubectl\\s+delete\\s+namespace", ["kubectl delete ns x"], ["kubectl delete pod x", "helm uninstall x"]],
		["\\bterraform\\s+destroy\\b", ["terraform apply -destroy"], ["kubectl delete pod x", "aws s3 rb s3://x"]],
		["\\bdocker\\s+system\\s+prune", ["podman system prune -f"], ["docker image prune", "docker compose down -v"]],
		["\\bsudo\\b", ["doas ls"], ["mount x y"]],
		["\\bchown\\s+-R", ["chown --recursive a b"], ["chgrp -R a b"]],
	])("%s also covers %j, but not %j", async (pattern, meant, others) => {
		expect(await decisions(rules(pattern), meant)).toEqual(meant.map(() => "deny"));
		expect(await decisions(rules(pattern), others)).toEqual(others.map(() => "allow"));
	});
});

describe("an expression that matches one form of a harmful command", () => {
	it.each<[pattern: string, same: readonly string[], other: readonly string[]]>([
		[
			"^rm -rf /$",
			["rm -r -f /", "find / -delete", "rm -fr /home/ann", "rm -r /root"],
			["rm -r -f src", "rm -rf /var"],
		],
		["^kill -9 -1$", ["kill -KILL -1", "kill -s KILL -- -1"], ["pkill -9 node", "kill -9 4"]],
		["^pkill -9 node$", ["pkill -KILL node", "skill -9 node"], ["pkill node", "killall -9 node"]],
		["^killall -9 node$", ["killall -KILL node"], ["killall node", "pkill -9 node"]],
		["^terraform destroy$", ["terraform apply -destroy", "tofu destroy"], ["pulumi destroy", "terraform plan"]],
		[
			"DROP TABLE",
			["psql -c 'drop table x'", "psql -c 'drop view x'"],
			["psql -c 'drop database x'", "mysql -e 'truncate x'"],
		],
	])("%s also means %j, and not %j", async (pattern, same, other) => {
		const setting = openSetting(`bashToolPatterns: [{ pattern: '${pattern}', reason: x }]\n`);
		const ruleOf = async (command: string) =>
			(await setting.bash(command)).verdicts.some(({ rule: name }) => name === pattern);
		try {
			for (const command of same) expect(await ruleOf(command), command).toBe(true);
			for (const command of other) expect(await ruleOf(command), command).toBe(false);
		} finally {
			await setting.close();
		}
	});
});

describe("a path that does not exist yet", () => {
	it("is resolved through the links in its parent folders", async () => {
		// The project's `lnk` leads to `.ssh` in the home directory.
		const setting = openSetting("zeroAccessPaths: [./lnk/one/two/key.txt]\n");
		const decide = async (path: string) => (await setting.judge("write", { path, content: "x" })).decision;
		try {
			expect(await decide("lnk/one/two/key.txt")).toBe("deny");
			expect(await decide(join(setting.home, ".ssh/one/two/key.txt"))).toBe("deny");
			expect(await decide(join(setting.home, ".ssh/one/key.txt"))).toBe("allow");
		} finally {
			await setting.close();
		}
	});
});
