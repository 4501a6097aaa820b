// What a remembered answer applies to: the canonical form of a command, what makes two calls the same, and the file of answers.
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Footprint } from "@pi-chronicle/footprint";
import { describe, expect, it } from "vitest";
import { canonicalCommand } from "../../../src/safety/guard/answers/canonical-command.ts";
import { answersFile, readAnswers, type StoredAnswer, writeAnswers } from "../../../src/safety/guard/answers/file.ts";
import { fitsShape, shapedCall, shapesOf } from "../../../src/safety/guard/answers/shape.ts";
import { isSameSubject, refusedSubject, rememberedSubject } from "../../../src/safety/guard/answers/subject.ts";
import type { ToolCall, Verdict } from "../../../src/safety/index.ts";
import { openFolder } from "../../harness/index.ts";

describe("the canonical form of a command", () => {
	it.each<[command: string, form: string]>([
		["rm  -rf   build", "rm -rf build"],
		["rm -rf build;", "rm -rf build"],
		["rm -rf 'build'", "rm -rf build"],
		['rm -rf "build"', "rm -rf build"],
		["rm 'a b'", "rm 'a b'"],
		["rm a\nrm b", "rm a ; rm b"],
		["rm a; rm b", "rm a ; rm b"],
		["rm a &", "rm a &"],
		["a && b || c", "a && b || c"],
		["a | b |& c", "a | b |& c"],
		["make 2>err >out", "make 2>err >out"],
		["make >'out'", "make >out"],
		["A=1 B='2' make", "A=1 B=2 make"],
		["rm ~/x", "rm ~/x"],
		["./run.sh", "./run.sh"],
	])("%j is %j, and the form is its own form", (command, form) => {
		expect(canonicalCommand(command)).toBe(form);
		expect(canonicalCommand(form)).toBe(form);
	});

	it.each([
		"rm $X",
		'rm "$X"',
		"rm $(ls)",
		"rm `ls`",
		"rm *.o",
		"rm {a,b}",
		"rm <(ls)",
		"cat <<E\nx\nE",
		"(rm a)",
		"{ rm a; }",
		"if a; then b; fi",
		"for x in a; do b; done",
		"f() { a; }",
		"! rm a",
		"time rm a",
		"a | (b)",
		"A=(1 2) make",
		"A+=1 make",
		"A[0]=1 make",
		"A=1",
		">out",
		"'r m' a",
		"'if' x",
		"",
		"  ",
		"rm 'a",
		"rm ~'/x'",
		"rm a\u200b",
		"rm a\u0007",
		"rm a\ue000",
		"{fd}>x make",
	])("%j has none", (command) => {
		expect(canonicalCommand(command)).toBeUndefined();
	});
});

const verdict: Verdict = {
	...{ decision: "ask", policy: "guard", rule: "r", reason: "x", origin: { file: "/r.yaml", line: 1 } },
};
const call = (tool: string, input: ToolCall["input"]): ToolCall => ({ id: "1", tool, input, siblings: [] });
const access = (path: string, more: Partial<Footprint["accesses"][number]> = {}) =>
	({ kind: "write", path, real: path, recursive: false, by: "x", ...more }) as const;
const run = (
	program: string | null,
	args: (string | null)[] = [],
	effects: Footprint["runs"][number]["effects"] = [],
) => ({
	...{ program, args, text: "", effects, changes: [] },
});
const bash = (command: string, footprint: Partial<Footprint> = {}, input: object = {}) => ({
	call: call("bash", { command, ...input }),
	footprint: { tool: "bash", accesses: [], runs: [], unknowns: [], ...footprint } as Footprint,
	verdicts: [verdict],
});
const file = (tool: string, ...paths: string[]) => ({
	call: call(tool, { path: paths[0] }),
	footprint: { tool, accesses: paths.map((path) => access(path)), runs: [], unknowns: [] } as Footprint,
	verdicts: [verdict],
});

const seconds = 5;

describe("an answer is remembered", () => {
	it.each([
		["a command", bash("rm x"), "rm x"],
		["a command with a time limit", bash("rm x", {}, { timeout: seconds }), "rm x"],
		["a command of 300 characters", bash(`rm ${"x ".repeat(148)}x`), `rm ${"x ".repeat(148)}x`],
		...["read", "write", "edit", "ls"].map((tool) => [`the path of ${tool}`, file(tool, "/p/a"), "/p/a"] as const),
		["one path that is used twice", file("edit", "/p/a", "/p/a"), "/p/a"],
		["a program that is known", bash("make x", { runs: [run("make", ["x"])] }), "make x"],
		["an unknown result", bash("make x", { unknowns: [{ what: "path", text: "", may: [] } as never] }), "make x"],
	] as const)("for %s", (_title, judged, text) => {
		expect(rememberedSubject(judged, "/p")?.text).toBe(text);
	});

	it.each([
		["text without a canonical form", bash("rm $X")],
		["a command with other arguments", bash("rm x", {}, { env: "A=1" })],
		["a command that is not a string", { ...bash("x"), call: call("bash", { command: 3 }) }],
		["more than 300 characters", bash(`rm ${"x ".repeat(148)}xx`)],
		["a text with a secret", bash(`curl -H 'Authorization: Bearer ${"a1".repeat(12)}' x`)],
		["another tool", file("grep", "/p/a")],
		["two paths", file("edit", "/p/a", "/p/b")],
		["no path", file("edit")],
		...(["command", "operand", "syntax", "script", "file"] as const).map(
			(what) => [`an unknown ${what}`, bash("make x", { unknowns: [{ what, text: "", may: [] }] })] as const,
		),
		["a program that is not known", bash("make x", { runs: [run(null)] })],
		["an argument that is not known", bash("make x", { runs: [run("make", [null])] })],
		["text that is not known", bash("make x", { runs: [run("sh", [], ["run-unknown-text"])] })],
		["a download that is run", bash("make x", { runs: [run("sh", [], ["run-download"])] })],
		["a verdict without a rule's place", { ...bash("rm x"), verdicts: [verdict, { ...verdict, origin: undefined }] }],
		["a verdict of another policy", { ...bash("rm x"), verdicts: [{ ...verdict, policy: "readonly" }] }],
	] as const)("never for %s", (_title, judged) => {
		expect(rememberedSubject(judged as never, "/p")).toBeUndefined();
	});

	it("once for any refused text of a rule, and never against a built-in protection", () => {
		expect(refusedSubject(bash("rm $X"), "/p")?.text).toBe('{"command":"rm $X"}');
		expect(refusedSubject(bash("rm  x"), "/p")?.text).toBe("rm x");
		expect(refusedSubject({ ...bash("rm x"), verdicts: [{ ...verdict, origin: undefined } as never] }, "/p")).toBe(
			undefined,
		);
	});
});

describe("a shape of commands", () => {
	const npm = (command: string, more: Partial<Footprint> = {}, runs = [run("npm")]) => bash(command, { runs, ...more });
	const shaped = (judged: ReturnType<typeof bash>, cwd = "/p") => ({
		subject: rememberedSubject(judged, cwd),
		call: shapedCall(judged),
	});
	const shapeOf = (command: string, text: string) => {
		const { subject, call } = shaped(npm(command));
		const found = subject && call ? shapesOf(call, subject, "/p").find((shape) => shape.text === text) : undefined;
		if (!found) throw new Error(`no shape ${text}`);
		return found;
	};
	const fits = (judged: ReturnType<typeof bash>, text = "npm test *", cwd = "/p") => {
		const { subject, call } = shaped(judged, cwd);
		return subject !== undefined && call !== undefined && fitsShape(subject, call, shapeOf("npm test", text));
	};

	it("is offered from the narrowest, with at most four words", () => {
		const { subject, call } = shaped(npm("npm run a b c d"));
		const texts = subject && call ? shapesOf(call, subject, "/p").map(({ text }) => text) : [];
		expect(texts).toEqual(["npm run a b *", "npm run a *", "npm run *", "npm *"]);
	});

	it.each([
		["the words alone", npm("npm test")],
		["further words", npm("npm test -- -t 'two words' src/a.test.ts")],
		["other quotes and blanks", npm("npm   'test'  x")],
		["a change below its folder", npm("npm test -u", { accesses: [access("/p/a.snap")] })],
	])("fits %s", (_title, judged) => {
		expect(fits(judged)).toBe(true);
	});

	it("fits a call in a folder below, not one beside", () => {
		expect(fits(npm("npm test"), "npm test *", "/p/packages/a")).toBe(true);
		expect(fits(npm("npm test"), "npm test *", "/papa")).toBe(false);
	});

	it.each([
		["another word", npm("npm tests")],
		["another order", npm("npm -s test")],
		["a second command", npm("npm test; rm x")],
		["a second command in a list", npm("npm test && npm test")],
		["a pipe", npm("npm test | sh")],
		["a background command", npm("npm test &")],
		["a redirection", npm("npm test > x")],
		["an assignment", npm("A=1 npm test")],
		["program text", npm("npm test --eval 'require(1)'")],
		["a line break in a word", npm("npm test 'a\nb'")],
		["a variable", npm("npm test $X")],
		["a change outside its folder", npm("npm test", { accesses: [access("/q/a")] })],
		["a change through a link", npm("npm test", { accesses: [access("/p/a", { real: "/q/a" })] })],
		[
			"a change of a repository elsewhere",
			npm("npm test", { runs: [{ ...run("npm"), places: { repository: [{ path: "/q", real: "/q" }] } }] as never }),
		],
		["a program that runs another", npm("npm test", {}, [run("npm"), run("rm")])],
		["another rule that asks", { ...npm("npm test"), verdicts: [verdict, { ...verdict, rule: "other" }] }],
	])("does not fit %s", (_title, judged) => {
		expect(fits(judged)).toBe(false);
	});
});

describe("two calls are the same", () => {
	const subject = (judged: Parameters<typeof refusedSubject>[0], cwd = "/p") => {
		const found = refusedSubject(judged, cwd);
		if (!found) throw new Error("no subject");
		return found;
	};
	const link = (real: string) => bash("rm x", { accesses: [access("/p/x", { real })] });
	const rules = (...names: string[]) => ({
		...bash("rm x"),
		verdicts: names.map((rule) => ({ ...verdict, rule })),
	});
	const known = subject(bash("rm x", { accesses: [access("/p/x"), access("/p/y")], runs: [run("rm", ["x"])] }));

	it("regardless of the order of their accesses, and if fewer rules ask", () => {
		const other = bash("rm  x", { accesses: [access("/p/y"), access("/p/x")], runs: [run("rm", ["x"])] });
		expect(isSameSubject(subject(other), known)).toBe(true);
		expect(isSameSubject(subject(rules("a")), subject(rules("b", "a")))).toBe(true);
	});

	it.each([
		["with another argument", subject(bash("rm y")), subject(bash("rm x"))],
		["in another folder", subject(bash("rm x"), "/q"), subject(bash("rm x"))],
		["with another tool", subject(file("write", "/p/a")), subject(file("edit", "/p/a"))],
		["where a link leads elsewhere", subject(link("/q")), subject(link("/p/x"))],
		[
			"where a path is used whole",
			subject(bash("rm x", { accesses: [access("/p/x", { recursive: true })] })),
			subject(link("/p/x")),
		],
		[
			"with another effect",
			subject(bash("x", { runs: [run("x", [], ["run-download"])] })),
			subject(bash("x", { runs: [run("x")] })),
		],
		["where another rule asks", subject(rules("a", "b")), subject(rules("a"))],
		[
			"if the same rule of another file asks",
			subject({ ...bash("rm x"), verdicts: [{ ...verdict, origin: { file: "/q" } }] }),
			subject(bash("rm x")),
		],
	])("never %s", (_title, now, then) => {
		expect(isSameSubject(now, then)).toBe(false);
	});

	it("regardless of the name of their folder", () => {
		const folder = openFolder({ "a/x": "" });
		symlinkSync(join(folder, "a"), join(folder, "b"));
		expect(subject(bash("rm x"), join(folder, "b"))).toEqual(subject(bash("rm x"), join(folder, "a")));
		expect(subject(bash("rm x"), join(folder, "gone")).folder).toBe(join(folder, "gone"));
	});
});

describe("the file of answers", () => {
	const answer = (text = "rm x"): StoredAnswer => ({
		answer: "yes",
		subject: { tool: "bash", text, folder: "/p", reach: "0", rules: ["r"] },
		at: "2030-01-01T00:00:00.000Z",
	});
	const write = (content: string) => {
		const path = answersFile(openFolder({}));
		writeFileSync(path, content);
		return path;
	};

	it("returns what was written, is readable by its owner only, and keeps the newest thousand", () => {
		const path = answersFile(join(openFolder({}), "agent"));
		expect(readAnswers(path)).toEqual({ kind: "read", answers: [] });
		writeAnswers(path, [answer()]);
		expect(readAnswers(path)).toEqual({ kind: "read", answers: [answer()] });
		expect(statSync(path).mode & 0o077).toBe(0);
		writeAnswers(
			path,
			Array.from({ length: 1001 }, (_, n) => answer(`${n}`)),
		);
		const read = readAnswers(path);
		expect(read.kind === "read" && [read.answers.length, read.answers[0]?.subject.text]).toEqual([1000, "1"]);
	});

	const one = answer();
	it.each<[what: string, content: string]>([
		["nothing", ""],
		["no JSON", "{"],
		["no group", "3"],
		["null", "null"],
		["another version", JSON.stringify({ version: 2, answers: [] })],
		["no list", JSON.stringify({ version: 1, answers: {} })],
		...[
			null,
			{ ...one, answer: "maybe" },
			{ ...one, at: 3 },
			{ ...one, at: "" },
			{ ...one, subject: undefined },
			...(["tool", "text", "folder", "reach"] as const).map((key) => ({
				...one,
				subject: { ...one.subject, [key]: "" },
			})),
			{ ...one, subject: { ...one.subject, rules: [] } },
			{ ...one, subject: { ...one.subject, rules: [3] } },
			{ ...one, subject: { ...one.subject, rules: "r" } },
		].map((bad): [string, string] => [JSON.stringify(bad), JSON.stringify({ version: 1, answers: [one, bad] })]),
	])("with %s gives no answer at all", (_what, content) => {
		const path = write(content);
		expect(readAnswers(path)).toMatchObject({ kind: "unreadable", reason: expect.stringMatching(/./) });
		expect(readFileSync(path, "utf8")).toBe(content);
	});

	it("stores refusals too", () => {
		const content = JSON.stringify({ version: 1, answers: [{ ...one, answer: "no" }] });
		expect(readAnswers(write(content)).kind).toBe("read");
	});

	it("has no answers if it cannot be read", () => {
		const folder = openFolder({});
		mkdirSync(answersFile(folder));
		expect(readAnswers(answersFile(folder)).kind).toBe("unreadable");
	});
});
