// A state that is a command: its fields, and what is reported about them.
import { describe, expect, it } from "vitest";
import { openSource } from "../../src/definition/index.ts";
import { commandsOf, compileDefinition, hashCommands, readTemplate } from "../../src/template/index.ts";

const read = (text: string, file = "/t.yaml") => readTemplate(openSource(file, text), "t");
const withTest = (
	fields: string,
	rest = "review: { persona: R, next: [done] }\n  build: { persona: B, next: [test] }",
) =>
	`states:\n  test:\n${fields
		.split("\n")
		.map((line) => `    ${line}`)
		.join("\n")}\n  ${rest}\n  done: {}\n`;

describe("a state that is a command", () => {
	it.each<[string, object]>([
		[
			"command: npm test\nnext: { 0: review, else: build }",
			{ line: "npm test", cases: [{ kind: "code", code: 0, to: "review" }], otherwise: "build" },
		],
		[
			'command: ["npm", "test"]\nnext: [review, build]',
			{ line: "npm test", otherwise: "build", attempts: 1, parse: undefined },
		],
		["command: [echo, a b, 3, true]\nnext: [review, build]", { line: 'echo "a b" 3 true' }],
		['command: [grep, "it\'s $HOME"]\nnext: [review, build]', { line: "grep 'it'\\''s $HOME'" }],
		[
			"command: make\nnext: [review]\ntimeout: 90s\nattempts: 2\nrepeatable: true",
			{ timeoutMs: 90_000, attempts: 2, repeatable: true, otherwise: undefined },
		],
		[
			"command: make\nnext: [review, build]\ntimeout: 10m\noutput: { max_kb: 4 }",
			{ timeoutMs: 600_000, tailBytes: 4096 },
		],
		[
			'command: make\nparse: json\noutput: { type: object, properties: { failed: { type: integer } } }\nnext: { when: "{output.test.failed} == 0", then: review, else: build }',
			{
				parse: "json",
				cases: [{ kind: "when", reference: "test.failed", negated: false, value: 0, to: "review" }],
				otherwise: "build",
			},
		],
		[
			'command: make\nparse: json\noutput: { type: object }\nnext: { when: "{output.test.kind} != flaky", then: review, else: { when: "{output.test.ok} == true", then: build } }',
			{
				cases: [
					{ kind: "when", reference: "test.kind", negated: true, value: "flaky", to: "review" },
					{ kind: "when", reference: "test.ok", negated: false, value: true, to: "build" },
				],
				otherwise: undefined,
			},
		],
	])("%j is compiled", (fields, plan) => {
		const { read: found, diagnostics } = read(withTest(fields));
		const own = diagnostics.filter(({ code }) => code !== "unreachable");
		expect(own).toEqual([]);
		expect(found?.template.states.get("test")).toMatchObject({ command: plan });
		expect(found?.template.states.get("test")?.persona).toBeUndefined();
		// A ledger compiles to the same template.
		const ledger = compileDefinition(JSON.parse(JSON.stringify(found?.definition)), "t");
		expect(ledger?.states.get("test")).toEqual(found?.template.states.get("test"));
	});

	it.each<[string, string, string, number]>([
		["command: make\npersona: Tester\nnext: [review, build]", "two-doers", "both `command` and `persona`", 4],
		["command: make\nrun: other\nnext: [review, build]", "two-doers", "both `command` and `run`", 4],
		["command: make\nnext: { 0: review, esle: build }", "bad-exit-code", "Did you mean `else`", 4],
		["command: make\nnext: { 256: review, else: build }", "bad-exit-code", "256", 4],
		["command: make\nnext: { -1: review }", "bad-exit-code", "-1", 4],
		["command: make\nnext: [review, build, done]", "too-many", "names 3 states", 4],
		["command: make\nnext: { 0: reveiw, else: build }", "undefined-state", "Did you mean `review`", 4],
		['command: make\nnext: { when: "{output.test.failed} > 0", then: review }', "wrong-type", "exact comparison", 4],
		[
			'command: make\nnext: { when: "{output.test.failed} == 0 and 1", then: review }',
			"bad-reference",
			"no `output`",
			4,
		],
		[
			'command: make\nnext: { when: "{output.tets.failed} == 0", then: review }',
			"bad-reference",
			"Did you mean `test`",
			4,
		],
		['command: make\nnext: { when: "{output.test.a} == 0", than: review }', "unknown-key", "Did you mean `then`", 4],
		["command: make\nnext: { }", "wrong-type", "at least one way", 4],
		["command: []\nnext: [review, build]", "wrong-type", "a command line, or a list of words", 3],
		["command: { run: x }\nnext: [review, build]", "wrong-type", "a command line", 3],
		["command: 12\nnext: [review, build]", "wrong-type", "a command line", 3],
		['command: ""\nnext: [review, build]', "wrong-type", "a command line", 3],
		["command: make\ntimeout: soon\nnext: [review, build]", "wrong-type", "a duration", 4],
		["command: make\ntimeout: 0\nnext: [review, build]", "wrong-type", "a duration", 4],
		["command: make\nparse: xml\nnext: [review, build]", "bad-value", "json", 4],
		["command: make\noutput: { max_kb: 0 }\nnext: [review, build]", "bad-schema", "from 1 to 64", 4],
		["command: make\noutput: { type: object }\nnext: [review, build]", "no-effect", "not parsed", 4],
		["command: make\nparse: json\nnext: [review, build]", "no-schema", "without an `output`", 4],
		["command: make\nmodel: x\nnext: [review, build]", "no-effect", "its `model` has no effect", 4],
		["command: make\ntimeout_minutes: 3\nnext: [review, build]", "no-effect", "its `timeout_minutes` has no effect", 4],
		["comand: make\nnext: [review]", "unknown-key", "Did you mean `command`", 3],
		["persona: P\nnext: { 0: review }", "no-command", "no command does it", 4],
		["persona: P\nattempts: 3\nnext: [review]", "no-effect", "no `command`", 4],
		["persona: P\noutput: { max_kb: 3 }\nnext: [review]", "no-command", "output.max_kb", 4],
		["command: 'echo {output.test.x}'\nnext: [review, build]", "no-effect", "references to data stay", 3],
	])("%j is reported", (fields, code, message, line) => {
		const { diagnostics } = read(withTest(fields));
		expect(diagnostics.map(({ code }) => code)).toContain(code);
		const found = diagnostics.find((one) => one.code === code && one.message.includes(message.slice(0, 20)));
		expect(found?.message ?? diagnostics).toContain(message);
		expect(found?.line).toBe(line);
	});

	it("its command needs the approval that cleanup needs, and any change another one", () => {
		const hash = (fields: string) => {
			const { template } = read(withTest(fields)).read ?? {};
			if (!template) throw new Error(fields);
			return {
				hash: hashCommands(template),
				commands: commandsOf(template).map(({ state, command }) => `${state}: ${command.command}`),
			};
		};
		const one = hash("command: npm test\nnext: [review, build]");
		expect(one.commands).toEqual(["test: npm test"]);
		expect(hash("command: [npm, test]\nnext: [review, build]").hash).toBe(one.hash);
		expect(hash("command: npm test -- --all\nnext: [review, build]").hash).not.toBe(one.hash);
	});

	it.each([
		["command", { persona: "P", command: { any: "thing" }, next: ["done"] }],
		["timeout", { persona: "P", timeout: "whenever", attempts: "many", parse: 3, repeatable: "no", next: ["done"] }],
		["command beside a persona", { persona: "P", command: "make", next: ["done"] }],
	])("a ledger of an earlier version that has `%s` keeps its worker", (_, state) => {
		const template = compileDefinition({ states: { test: state, done: {} } }, "t");
		expect(template?.states.get("test")).toMatchObject({ persona: { name: "P" } });
		expect(template?.states.get("test")?.command).toBeUndefined();
	});
});
