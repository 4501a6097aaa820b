// The exact bounds of a call's records and messages: lengths, numbers of reasons, order, omissions.

import type { Footprint } from "@pi-chronicle/footprint";
import { describe, expect, it } from "vitest";
import { readDecision, redactInput, redactText, type Verdict } from "../../../src/safety/index.ts";
import { recordDecision } from "../../../src/safety/policy/decision-record.ts";
import { openPolicies, type ToolCall } from "../../../src/safety/policy/policy.ts";
import { comparableOutcome, questionText, refusalText } from "../../../src/safety/policy/refusal.ts";
import { strongest } from "../../../src/safety/policy/verdict.ts";

const because = (index: number, more: Partial<Verdict> = {}): Verdict => ({
	decision: "deny",
	policy: "guard",
	rule: `rule-${index}`,
	reason: `Reason ${index}`,
	...more,
});
const reasons = (count: number) => Array.from({ length: count }, (_, index) => because(index + 1));
const call = (more: Partial<ToolCall> = {}): ToolCall => ({ id: "1", tool: "bash", input: {}, siblings: [], ...more });

describe("a redacted line", () => {
	it.each([
		["x".repeat(40), "x".repeat(40)],
		["x".repeat(41), `${"x".repeat(39)}…`],
		[`a \n\t b`, "a b"],
	])("of at most 40 characters", (text, expected) => {
		expect(redactText(text, 40)).toBe(expected);
	});

	it("is marked as cut even if only unread text is missing", () => {
		expect(redactText(`a${" ".repeat(439)}`, 40)).toBe("a ");
		expect(redactText(`a${" ".repeat(440)}`, 40)).toBe("a …");
		expect(redactText(`a${" ".repeat(439)}b`, 40)).toBe("a …");
	});

	it("of arguments stops after the argument that fills it", () => {
		expect(redactInput({ a: "12345", b: 2, c: null, d: true, e: ["x"], f: {} }, 30)).toBe(
			"a=12345 b=2 c=null d=true e=(…",
		);
		expect(redactInput({ a: "x".repeat(28), b: 1 }, 30)).toBe(`a=${"x".repeat(27)}…`);
		expect(redactInput({ a: "x".repeat(28) }, 30)).toBe(`a=${"x".repeat(28)}`);
		expect(redactInput({ ["k".repeat(41)]: 1 }, 300)).toBe(`${"k".repeat(39)}…=1`);
		expect(redactInput({ a: "12345", b: [1, 2] }, 300)).toBe("a=12345 b=(2 items)");
		expect(redactInput({ c: null, text: null, data: { a: 1, b: 2 } }, 300)).toBe(
			"c=null text=(0 fields) data=(2 fields)",
		);
	});
});

describe("a decision's record", () => {
	const long = "y".repeat(1000);
	const record = recordDecision("denied", call({ id: long, tool: long, input: { path: long } }), [
		because(1, { policy: long, rule: long, reason: long, origin: { file: long, line: 3 } }),
		because(2, { rule: long }),
		...reasons(6),
	]);

	it("bounds the length of each text, and has the first four other rules", () => {
		expect(Object.fromEntries(Object.entries(record).map(([key, value]) => [key, String(value).length]))).toMatchObject(
			{
				call: 120,
				tool: 80,
				input: 320,
				policy: 40,
				rule: 160,
				reason: 320,
				origin: 300,
			},
		);
		expect(record.others).toEqual([`${"y".repeat(99)}…`, "rule-1", "rule-2", "rule-3"]);
	});

	it("has the place of the rule, and neither place nor other rules if there are none", () => {
		expect(recordDecision("denied", call(), [because(1, { origin: { file: "/r.yaml", line: 7 } })]).origin).toBe(
			"/r.yaml:7",
		);
		expect(recordDecision("denied", call(), [because(1, { origin: { file: "/r.yaml" } })]).origin).toBe("/r.yaml");
		expect(Object.keys(recordDecision("denied", call(), [because(1)]))).not.toEqual(expect.arrayContaining(["origin"]));
		expect(recordDecision("denied", call(), [because(1)]).others).toBeUndefined();
		expect(recordDecision("denied", call(), [because(1), because(2)]).others).toEqual(["rule-2"]);
	});

	it.each(["version", "outcome", "tool", "input", "policy", "rule", "reason"])("without %s is not a record", (key) => {
		const { [key]: _gone, ...rest } = { ...record } as Record<string, unknown>;
		expect(readDecision(record)).toEqual(record);
		expect(readDecision(rest)).toBeUndefined();
		expect(readDecision({ ...rest, [key]: 2 })).toBeUndefined();
	});

	it.each([[null], [undefined], ["text"], [1], [[]]])("%j is not a record", (data) => {
		expect(readDecision(data)).toBeUndefined();
	});
});

describe("a refusal's text", () => {
	const lines = (count: number, cause: "rule" | "user" | "nobody" = "rule", more: Partial<Verdict> = {}) =>
		refusalText(
			Array.from({ length: count }, (_, index) => because(index + 1, more)),
			cause,
			"/p",
		).split("\n");

	it("names six reasons, in order, and counts the rest", () => {
		expect(lines(6).filter((line) => line.startsWith("Reason"))).toHaveLength(6);
		expect(lines(6).some((line) => /more rules/.test(line))).toBe(false);
		expect(lines(7)[1]).toBe("Reason 1 [guard: rule-1]");
		expect(lines(7).filter((line) => line.startsWith("Reason"))).toHaveLength(6);
		expect(lines(7)[7]).toContain("1 more");
		expect(lines(8)[7]).toContain("2 more");
	});

	it("has each remedy once, at most four, and the default one only if no rule has its own", () => {
		expect(lines(2, "rule", { advice: "Use cat." })).toEqual([
			expect.anything(),
			expect.anything(),
			expect.anything(),
			"Use cat.",
		]);
		const many = Array.from({ length: 6 }, (_, index) => because(index, { advice: `Advice ${index}` }));
		expect(refusalText(many, "rule", "/p").match(/^Advice \d$/gm)).toHaveLength(4);
		expect(lines(1)).toHaveLength(3);
		expect(lines(1, "user")).toHaveLength(3);
		expect(lines(1, "nobody", { advice: "Use cat." })).toHaveLength(4);
		expect(new Set((["rule", "user", "nobody"] as const).map((cause) => lines(1, cause).at(-1))).size).toBe(3);
	});

	it("names a rule's place relative to the project, or absolutely if it is outside", () => {
		const text = (file: string) => refusalText([because(1, { origin: { file, line: 2 } })], "rule", "/p");
		expect(text("/p/.pi/rules.yaml")).toContain("[guard: rule-1, .pi/rules.yaml:2]");
		expect(text("/home/me/rules.yaml")).toContain("[guard: rule-1, /home/me/rules.yaml:2]");
		expect(text("/project/rules.yaml")).toContain("/project/rules.yaml:2");
	});

	it("for a question has six reasons, then the whole call with its line breaks", () => {
		const command = `a\n\tb ${"z".repeat(5000)}\nlast`;
		const { title, message } = questionText(call({ input: { command } }), reasons(8), "/p");
		expect(title).toContain("bash");
		const shown = Array.from({ length: 6 }, (_, index) => `• Reason ${index + 1} [guard: rule-${index + 1}]`);
		expect(message).toBe([...shown, "", command].join("\n"));
	});

	it.each<[input: Record<string, unknown>, shown: string]>([
		[{ command: "a\u202eb\u0007" }, "a\\u{202e}b\\u{7}"],
		[{ command: "x", timeout: 3 }, "command=x\ntimeout=3"],
		[{ code: "a()\nb()" }, "code=a()\nb()"],
		[{ path: "f", content: "x\ny" }, "path=f\ncontent=(3 characters)"],
		[{ apiKey: "value", list: [1] }, "apiKey=•••\nlist=(1 items)"],
		[{ command: "curl -H 'Authorization: Bearer abcdefgh12345678'" }, "curl -H 'Authorization: •••'"],
		[{ command: `${"y".repeat(65_536)}123` }, `${"y".repeat(65_536)}\n… and 3 more characters`],
	])("shows the call %j", (input, shown) => {
		expect(questionText(call({ input }), [], "/p").message.trim()).toBe(shown);
	});

	it("is grouped with others by its first reason", () => {
		expect(comparableOutcome("Refused.\nA\nB 1", true)).toBe("Refused.\nA");
		expect(comparableOutcome("Refused.\nA\nB 1", false)).toBe("Refused.\nA\nB 1");
		expect(comparableOutcome("Error\nA\nB", true)).toBe("Error\nA\nB");
	});
});

describe("policies together", () => {
	const footprint = (() => ({})) as () => Footprint;

	it("decide by the strongest verdict, which comes first", async () => {
		const policies = openPolicies();
		for (const decision of ["ask", "deny", "allow"] as const)
			policies.add({ name: decision, judge: () => because(1, { decision, rule: decision }) });
		policies.add({ name: "silent", judge: () => undefined });
		policies.add({ name: "quiet", judge: () => [because(1, { decision: "allow", rule: "quiet", reason: "" })] });
		const judged = await policies.judge(call(), footprint);
		expect([judged.decision, judged.verdicts.map(({ rule }) => rule), judged.notes.map(({ rule }) => rule)]).toEqual([
			"deny",
			["deny", "ask"],
			["allow"],
		]);
		expect(strongest([])).toBe("allow");
	});

	it.each<[thrown: unknown, cause: string]>([
		[new Error("boom"), "boom"],
		["words", "words"],
		[undefined, "undefined"],
	])("deny if one of them throws %o, and report that", async (thrown, cause) => {
		const policies = openPolicies();
		policies.add({
			name: "broken",
			judge() {
				throw thrown;
			},
		});
		expect((await policies.judge(call(), footprint)).verdicts).toEqual([
			{
				decision: "deny",
				policy: "broken",
				rule: "policy-failed",
				reason: `The broken policy could not judge this call (${cause}), so it is refused.`,
			},
		]);
	});

	it("forbid and screen what any of them does, and nothing once removed", () => {
		const policies = openPolicies();
		const quiet = policies.add({
			name: "quiet",
			judge: () => undefined,
			forbidsChanges: () => false,
			forbidsTool: () => false,
		});
		expect([policies.forbidChanges, policies.forbidTool("bash"), policies.screens, policies.size]).toEqual([
			false,
			false,
			false,
			1,
		]);
		const strict = policies.add({
			name: "strict",
			judge: () => undefined,
			forbidsChanges: () => true,
			forbidsTool: (name) => name === "bash",
			screen: () => undefined,
		});
		expect([
			policies.forbidChanges,
			policies.forbidTool("bash"),
			policies.forbidTool("read"),
			policies.screens,
		]).toEqual([true, true, false, true]);
		strict();
		quiet();
		expect([policies.forbidChanges, policies.forbidTool("bash"), policies.screens, policies.size]).toEqual([
			false,
			false,
			false,
			0,
		]);
	});

	it("contain a command as strictly as the strictest of them wants", async () => {
		const policies = openPolicies();
		const need = () => policies.confine(call(), footprint);
		expect(await need()).toBeUndefined();
		policies.add({ name: "none", judge: () => undefined, confines: () => undefined });
		policies.add({ name: "one", judge: () => undefined, confines: () => ({ scope: "project", network: "off" }) });
		expect(await need()).toEqual({ scope: "project", network: "off" });
		policies.add({ name: "two", judge: () => undefined, confines: () => ({ scope: "temporary", network: "open" }) });
		policies.add({ name: "three", judge: () => undefined, confines: () => ({ scope: "ignored", network: "open" }) });
		expect(await need()).toEqual({ scope: "temporary", network: "off" });
	});

	it("withhold every text of a result that one of them cannot inspect", async () => {
		const policies = openPolicies();
		policies.add({
			name: "cuts",
			judge: () => undefined,
			screen: (_call, _footprint, texts) => ({ texts: texts.map(() => "cut"), verdict: because(1) }),
		});
		policies.add({
			name: "sees",
			judge: () => undefined,
			screen: (_call, _footprint, texts) => ({ texts, verdict: because(2) }),
		});
		expect((await policies.screen(call(), footprint, ["a", "b"])).map(({ texts }) => texts)).toEqual([
			["cut", "cut"],
			["cut", "cut"],
		]);
		policies.add({
			name: "throws",
			judge: () => undefined,
			screen: () => {
				throw new Error("broken");
			},
		});
		policies.add({ name: "later", judge: () => undefined, screen: () => ({ texts: ["a", "b"], verdict: because(3) }) });
		const last = (await policies.screen(call(), footprint, ["a", "b"])).at(-1);
		expect(last?.texts).toEqual([expect.stringContaining("broken"), expect.stringContaining("broken")]);
		expect(last?.verdict).toMatchObject({ decision: "deny", policy: "throws" });
	});
});
