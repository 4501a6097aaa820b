import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { previewLines } from "../../src/sequence/preview.ts";
import { readSnapshot } from "../../src/sequence/recorded.ts";
import { parseRunCount } from "../../src/sequence/replay-count.ts";
import { resolveStep, resolveSteps } from "../../src/sequence/resolve.ts";
import type { KnownCommand } from "../../src/sequence/step.ts";

const command = (name: string, source: KnownCommand["source"], own = false): KnownCommand => ({
	name,
	source,
	own,
	path: `/files/${name.replace(":", "-")}.md`,
});
const commands = [
	command("readonly", "extension", true),
	command("handoff", "extension", true),
	command("notebook", "extension", true),
	command("sequence", "extension", true),
	command("workflow", "extension", true),
	command("chronicle", "extension", true),
	command("cancel-workflow", "extension", true),
	command("publish", "extension"),
	command("greet", "prompt"),
	command("model", "prompt"),
	command("skill:lint", "skill"),
];
const reasonOf = (text: string) => {
	const step = resolveStep(text, commands);
	return step.kind === "refused" ? step.reason : `accepted as ${step.kind}`;
};

describe("accepted steps", () => {
	it("include plain text as a prompt", () => {
		expect(resolveStep("Plan the work for $@", commands)).toMatchObject({
			kind: "prompt",
			text: "Plan the work for $@",
		});
		expect(resolveStep("hello /new", commands)).toMatchObject({ kind: "prompt" });
	});
	it("include the package's own commands, with their arguments", () => {
		expect(resolveStep("/readonly", commands)).toMatchObject({ kind: "command", name: "readonly", args: "" });
		expect(resolveStep("/handoff do\nthe rest", commands)).toMatchObject({ name: "handoff", args: "do\nthe rest" });
		expect(resolveStep("/notebook topic api notes", commands)).toMatchObject({
			name: "notebook",
			args: "topic api notes",
		});
		expect(resolveStep("/workflow tdd fix $1", commands)).toMatchObject({ name: "workflow", args: "tdd fix $1" });
		expect(resolveStep("/chronicle plan it", commands)).toMatchObject({ name: "chronicle", args: "plan it" });
	});
	it("include /compact with and without instructions", () => {
		expect(resolveStep("/compact", commands)).toMatchObject({ kind: "compact", instructions: undefined });
		expect(resolveStep("/compact keep the plan", commands)).toMatchObject({
			kind: "compact",
			instructions: "keep the plan",
		});
		expect(resolveStep("/compactx", commands)).toMatchObject({ kind: "refused" });
	});
	it("include templates and skills, with arguments and their file", () => {
		expect(resolveStep('/greet "bob b"', commands)).toMatchObject({
			kind: "template",
			args: '"bob b"',
			sourcePath: "/files/greet.md",
		});
		expect(resolveStep("/skill:lint src", commands)).toMatchObject({ kind: "skill", name: "lint", args: "src" });
	});
	it("include a command that pi renamed because of two extensions only if we own it", () => {
		const renamed = [command("readonly:1", "extension"), command("readonly:2", "extension", true)];
		expect(resolveStep("/readonly:2", renamed)).toMatchObject({ kind: "command", name: "readonly" });
		expect(resolveStep("/readonly:1", renamed)).toMatchObject({ kind: "refused" });
		expect(resolveStep("/readonly", renamed)).toMatchObject({ kind: "command", name: "readonly" });
	});
	it("treat a name of both an extension command and a template as the command", () => {
		const shadowed = [command("greet", "extension"), command("greet", "prompt")];
		expect(resolveStep("/greet bob", shadowed)).toMatchObject({ kind: "refused" });
	});
});

describe("refused steps", () => {
	it("include another extension's command, with a reason in two lines", () => {
		expect(reasonOf("/publish now")).toBe(
			"Unsupported step: /publish is an external extension command.\npi-chronicle cannot execute third-party extension command handlers.",
		);
	});
	it.each(["settings", "tree", "model", "debug", "arminsayshi", "dementedelves", "quit", "login", "mcp"])(
		"include pi's own /%s, even if a template has the name",
		(name) => {
			expect(reasonOf(`/${name}`)).toContain(`/${name} is an interactive command of pi`);
		},
	);
	it("include /new, because each run starts its own session", () => {
		expect(reasonOf("/new")).toContain("/new is not needed");
		expect(reasonOf(" /new ")).toContain("/new is not needed");
	});
	it.each([
		"/",
		"/ foo",
		"/nope",
		"/skill:",
		"/skill:missing",
		"/usr/bin/x fails",
		"",
		"  \n ",
		"!ls",
		"!!ls",
		" /publish",
		"/handoff",
	])("include %j, with a reason", (text) => {
		expect(reasonOf(text)).not.toContain("accepted");
	});
	it("suggest how to rewrite a path", () => {
		expect(reasonOf("/usr/bin/x fails")).toContain("put a word before it");
	});
	it("include /sequence and other commands of the package", () => {
		expect(reasonOf("/sequence")).toContain("cannot be a step");
		expect(reasonOf("/cancel-workflow")).toContain("cannot be a step");
	});
	it.each(["/workflow", "/chronicle", "/workflow show tdd", "/chronicle view", "/chronicle prune --older-than 3"])(
		"include %j, which starts no work to wait for",
		(text) => {
			expect(reasonOf(text)).not.toContain("accepted");
		},
	);
	it.each(["/notebook delte page", "/notebook my topic", "/notebook rename one", "/notebook on now"])(
		"include %j, which the notebook would refuse",
		(text) => {
			expect(reasonOf(text)).toContain("is unknown");
		},
	);
	it("list the package's own commands", () => {
		expect(reasonOf("/sequence run")).toContain("/workflow and /chronicle");
	});
	it("are reported all at once, with their places", () => {
		const outcome = resolveSteps(["fine", "/nope", "fine", "/new"], commands);
		expect(outcome.kind === "refused" && outcome.refusals.map(({ index }) => index)).toEqual([1, 3]);
	});
});

it("the raw text of a step is kept as typed", () => {
	fc.assert(
		fc.property(fc.oneof(fc.string(), fc.constantFrom(" /greet  x ", "\t/compact y\n")), (raw) => {
			expect(resolveStep(raw, commands).raw).toBe(raw);
		}),
	);
});

describe("snapshots", () => {
	const good = { version: 1, sequenceId: "s", steps: ["a $@ \\ é"], updatedAt: 1 };
	it("are read unchanged if valid", () => {
		expect(readSnapshot(good)).toEqual(good);
	});
	it.each([
		null,
		"x",
		{},
		{ ...good, version: 2 },
		{ ...good, steps: [] },
		{ ...good, steps: "a" },
		{ ...good, steps: ["a", 1] },
		{ ...good, steps: [" "] },
		{ ...good, sequenceId: "" },
		{ ...good, sequenceId: undefined },
		{ ...good, updatedAt: Number.NaN },
	])("are skipped if invalid: %j", (data) => {
		expect(readSnapshot(data)).toBeUndefined();
	});
	it("never throw on arbitrary data", () => {
		fc.assert(fc.property(fc.anything(), (data) => void readSnapshot(data)));
	});
});

describe("the run count", () => {
	it.each([
		["", 1],
		[" 3 ", 3],
		["0012", 12],
	])("%j is %d", (answer, count) => {
		expect(parseRunCount(answer)).toEqual({ kind: "count", count });
	});
	it.each(["abc", "0", "-1", "1.5", "1e3", "９", "12345678"])("%j is refused, naming it", (answer) => {
		expect(parseRunCount(answer)).toMatchObject({ kind: "refused", reason: expect.stringContaining(`"${answer}"`) });
	});
});

it("the preview shows every step raw and numbered, long ones cut with a count", () => {
	expect(previewLines(["/readonly", "Plan $@", "a\nb\nc\nd\ne\nf"])).toEqual([
		"Sequence",
		"1. /readonly",
		"2. Plan $@",
		"3. a",
		"   b",
		"   c",
		"   d",
		"   … 2 more lines",
	]);
});
