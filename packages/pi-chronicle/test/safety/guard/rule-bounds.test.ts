// Rules in detail: which words decide, what a broken file closes, how many reasons are given.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readRules, serializeRules } from "../../../src/safety/index.ts";
import { openFolder } from "../../harness/index.ts";
import { openSetting, type Setting } from "./guarded-project.ts";

const read = (text: string) => {
	const folder = openFolder({ ".pi/damage-control-rules.yaml": text });
	return readRules([{ file: join(folder, ".pi/damage-control-rules.yaml"), tier: "project", base: folder }], "linux");
};
async function inProject<Result>(rules: string, ask: (setting: Setting) => Promise<Result>): Promise<Result> {
	const setting = openSetting(rules);
	try {
		return await ask(setting);
	} finally {
		await setting.close();
	}
}

describe("a rule file that is not YAML", () => {
	const broken = "\n]: [\n";
	it("allows only reading what it does not forbid", async () => {
		await inProject(`zeroAccessPaths: [.env]${broken}`, async (setting) => {
			const decide = async (tool: string, input: Record<string, unknown>) =>
				(await setting.judge(tool, input)).decision;
			expect(await decide("read", { path: "src/a.ts" })).toBe("allow");
			expect(await decide("ls", { path: "src" })).toBe("allow");
			expect(await decide("read", { path: ".env" })).toBe("deny");
			expect(await decide("write", { path: "src/a.ts", content: "x" })).toBe("ask");
			expect(await decide("bash", { command: "cat src/a.ts" })).toBe("ask");
		});
	});
});

describe("the verdict of a built-in rule", () => {
	it.each<[written: string, decision: string | undefined]>([
		["deny", "deny"],
		["ask", "ask"],
		["'ask'", "ask"],
		["off", undefined],
		["false", undefined],
	])("%s", async (written, decision) => {
		const said = await inProject(`effects: { recursive-delete: ${written} }\n`, (setting) => setting.bash("rm -r src"));
		expect(said.decision).toBe(decision ?? "allow");
	});

	it.each(["true", "3", "never", "null", "[deny]", "{ deny: true }", "[false]"])("is no %s", (written) => {
		const { diagnostics } = read(`effects: { recursive-delete: ${written} }\n`);
		expect(diagnostics.map(({ severity }) => severity)).toContain("error");
	});
});

describe("what a call contains", () => {
	const five = [1, 2, 3, 4, 5];
	const rules = `scanWrites: true\nbashToolPatterns: [${five.map((n) => `{ pattern: '^harm${n}$', reason: x }`).join(", ")}]\n`;

	it("is judged call by call if it lists calls, and three reasons are given", async () => {
		const jobs = JSON.stringify(five.map((n) => ["bash", { command: `harm${n}` }]));
		const said = await inProject(rules, (setting) => setting.judge("batch", { jobs }));
		expect([said.decision, said.verdicts.length]).toEqual(["ask", 3]);
	});

	it.each(["sh", "bash", "zsh", "ksh", "command"])("is judged as the script that it writes: .%s", async (ending) => {
		const content = five.map((n) => `harm${n}`).join("\n");
		await inProject(rules, async (setting) => {
			const said = await setting.judge("write", { path: `run.${ending}`, content });
			expect([said.decision, said.verdicts.length]).toEqual(["ask", 3]);
			const edits = [{ oldText: "x", newText: content }];
			expect((await setting.judge("edit", { path: `run.${ending}`, edits })).decision).toBe("ask");
			expect((await setting.judge("edit", { path: `run.${ending}`, oldText: "x", newText: content })).decision).toBe(
				"ask",
			);
			expect((await setting.judge("write", { path: "run.txt", content })).decision).toBe("allow");
			expect((await setting.judge("write", { path: "run", content: `#!/bin/${ending}\n${content}` })).decision).toBe(
				ending === "command" ? "allow" : "ask",
			);
		});
	});
});

describe("a rule for names below one folder", () => {
	it("does not close the folder without such names, nor what contains it", async () => {
		await inProject("zeroAccessPaths: ['./keys/*.key']\n", async (setting) => {
			mkdirSync(join(setting.cwd, "keys"));
			writeFileSync(join(setting.cwd, "keys/readme.md"), "x");
			expect((await setting.bash("cp -r keys copy")).decision).toBe("allow");
			writeFileSync(join(setting.cwd, "keys/a.key"), "x");
			expect((await setting.bash("cp -r . /elsewhere")).decision).toBe("deny");
		});
	});
});

describe("the fields of a rule", () => {
	const rule = (fields: string) => read(`bashToolPatterns: [{ pattern: x, reason: y, ${fields} }]\n`).commands[0];
	it.each<[fields: string, flags: string]>([
		["caseInsensitive: true", "i"],
		["flags: i", "i"],
		["caseInsensitive: true, flags: i", "i"],
		["caseInsensitive: false", ""],
	])("%s: letter case", (fields, flags) => {
		expect(rule(fields)?.flags).toBe(flags);
	});
	it.each<[fields: string, decision: string]>([
		["ask: true", "ask"],
		["ask: false", "deny"],
		["action: confirm", "ask"],
		["action: block", "deny"],
	])("%s: decision", (fields, decision) => {
		expect(rule(fields)?.decision).toBe(decision);
	});
});

describe("an unknown path that ends in the name of something closed", () => {
	it.each(["cat $DIR/.env", "rm $DIR/.env", "cp a.txt $DIR/.env"])("is treated as that file: %s", async (command) => {
		const said = await inProject("zeroAccessPaths: [.env]\n", (setting) => setting.bash(command));
		expect(said.decision).not.toBe("allow");
		const kind = /^cat/.test(command) ? "read" : /^rm/.test(command) ? "remove|delete" : "writ|chang";
		expect(said.why).toMatch(new RegExp(kind, "i"));
	});
});

describe("a refused removal of what git ignores", () => {
	it.each<[command: string, decision: string]>([
		["rm -r dist", "allow"],
		["rm -r dist tmp", "allow"],
		["rm -r src", "deny"],
		["rm -r dist src", "deny"],
	])("%s: %s", async (command, decision) => {
		const said = await inProject("effects: { recursive-delete: deny }\n", (setting) => setting.bash(command));
		expect(said.decision).toBe(decision);
	});
});

describe("a refused effect other than that removal", () => {
	it.each<[effect: string, command: string]>([
		["force-delete", "rm -f dist/index.js"],
		["destroy-content", "shred dist/index.js"],
		["open-permissions", "chmod 777 dist"],
	])("%s is refused in what git ignores too", async (effect, command) => {
		const said = await inProject(`effects: { ${effect}: deny }\n`, (setting) => setting.bash(command));
		expect(said.decision).toBe("deny");
	});
});

describe("matching of substrings", () => {
	const decide = (place: string, path: string) =>
		inProject(
			`pathMatching: substring\nzeroAccessPaths: ['${place}']\n`,
			async (setting) => (await setting.judge("read", { path })).decision,
		);
	it.each<[place: string, path: string, decision: string]>([
		["docs/", "docs", "deny"],
		["docs/", "docs/guide.md", "deny"],
		["docs/", "docs.md", "allow"],
		["guide", "docs/guide.md", "deny"],
		["s/*.md", "docs/guide.md", "deny"],
	])("%s in %s: %s", async (place, path, decision) => {
		expect(await decide(place, path)).toBe(decision);
	});
});

describe("frozen rules", () => {
	it("have the same text and hash regardless of the order of their fields, at any depth", () => {
		const rules = read("zeroAccessPaths: [.env]\nbashToolPatterns: [{ pattern: x, reason: y }]\n");
		const turned = (value: unknown): unknown =>
			Array.isArray(value)
				? value.map(turned)
				: value !== null && typeof value === "object"
					? Object.fromEntries(
							Object.entries(value)
								.reverse()
								.map(([key, item]) => [key, turned(item)]),
						)
					: value;
		expect(serializeRules(turned(rules) as typeof rules)).toBe(serializeRules(rules));
	});
});

describe("letter case", () => {
	it.each<[fields: string, command: string, decision: string]>([
		["", "harm it", "deny"],
		["", "HARM it", "allow"],
		["caseInsensitive: true, ", "HARM it", "deny"],
		["caseInsensitive: true, ", "hArM it", "deny"],
	])("{ %spattern: harm } on %s: %s", async (fields, command, decision) => {
		const rules = `bashToolPatterns: [{ ${fields}pattern: '\\bharm\\s+it\\b', reason: x }]\n`;
		expect((await inProject(rules, (setting) => setting.bash(command))).decision).toBe(decision);
	});
});

describe("discarding changes", () => {
	it("in twenty named files is allowed; in more, or in a folder, it is not", async () => {
		await inProject("effects: { git-discard-changes: deny }\n", async (setting) => {
			const names = Array.from({ length: 21 }, (_, n) => `f${n}`);
			for (const name of names) writeFileSync(join(setting.cwd, name), "x");
			const decide = async (paths: readonly string[]) =>
				(await setting.bash(`git checkout -- ${paths.join(" ")}`)).decision;
			expect(await decide(names.slice(0, 20))).toBe("allow");
			expect(await decide(names)).toBe("deny");
			expect(await decide(["src"])).toBe("deny");
			expect(await decide(["f1", "src"])).toBe("deny");
		});
	});
});
