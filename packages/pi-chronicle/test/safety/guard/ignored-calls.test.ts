// Calls that pass without being measured: the guard would have nothing to say about them under any rules.

import { computeFootprint } from "@pi-chronicle/footprint";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { cachedEnvironment, hostEnvironment } from "../../../src/pi/index.ts";
import { guardPolicy } from "../../../src/safety/guard/judge/guard-policy.ts";
import { openPolicies, type RuleSet, sandboxPolicy, type ToolCall } from "../../../src/safety/index.ts";
import { runs, seed } from "../../harness/runs.ts";
import { classicRules, openSetting, starterRules } from "./guarded-project.ts";

const settings = [classicRules, starterRules].map((rules) => openSetting(rules));
afterAll(() => Promise.all(settings.map((setting) => setting.close())));
const [{ rules: classic, cwd, home } = never(), { rules: starter } = never()] = settings;

const host = { ...hostEnvironment(cwd), home };
const measure = (call: ToolCall) => computeFootprint(call, cachedEnvironment(host));
const policyOf = (rules: RuleSet) => guardPolicy({ rules, host, agentDir: undefined, measure });
const foreign = (tool: string, input: ToolCall["input"]): ToolCall => ({ id: "1", tool, input, siblings: [] });
const callOf = (input: ToolCall["input"], more: Partial<ToolCall> = {}): ToolCall => ({
	...foreign("workflow_transition", input),
	own: true,
	...more,
});

const harm = JSON.stringify([["bash", { command: "rm -rf src; cat .env" }]]);
const words = fc.constantFrom("rm -rf src", ".env", "/etc/passwd", "git push --force", "pi -p x", harm, "[", '"x"', "");
const value = fc.letrec<{ value: unknown }>((tie) => ({
	value: fc.oneof(
		{ maxDepth: 3 },
		words,
		fc.string(),
		fc.integer(),
		fc.array(tie("value"), { maxLength: 3 }),
		fc.dictionary(
			fc.constantFrom("path", "command", "data", "summary", "tool", "input", "task", "steps"),
			tie("value"),
		),
	),
})).value;
const input = fc.dictionary(
	fc.constantFrom("path", "command", "cmd", "data", "summary", "target_state", "prompt", "code", "agent", "steps"),
	value,
);
const tool = fc.constantFrom(
	"workflow_transition",
	"workflow_update_snapshot",
	"workflow_step",
	"codemode",
	"delete_x",
);
const annotations = fc.constantFrom(undefined, { readOnlyHint: true }, { readOnlyHint: false, destructiveHint: false });

describe("a call that the guard ignores", () => {
	const policies = [classic, starter, { ...starter, strict: true, scanWrites: true }].map(policyOf);

	it("has no verdict under any rules", async () => {
		let ignored = 0;
		await fc.assert(
			fc.asyncProperty(input, tool, annotations, async (given, name, about) => {
				const call = callOf(given, { tool: name, ...(about ? { annotations: about } : {}) });
				for (const policy of policies) {
					if (!policy.ignores?.(call)) continue;
					ignored += 1;
					expect(await policy.judge(call, () => measure(call))).toEqual([]);
					expect(await policy.screen?.(call, () => measure(call), [".env:1:x"])).toBe(undefined);
				}
			}),
			{ numRuns: runs(), seed },
		);
		expect(ignored).toBeGreaterThan(runs());
	});

	it.each<[what: string, call: ToolCall, rules: RuleSet, ignored: boolean]>([
		["is one of the package's own tools, with prose", callOf({ summary: "rm -rf src" }), starter, true],
		["has no calls listed in a text", callOf({ data: harm }), starter, false],
		["has no more text than can be searched", callOf({ data: `[${" ".repeat(400_001)}]` }), starter, false],
		["is not made under rules that could not be read", callOf({ summary: "x" }), { ...starter, closed: true }, false],
		["is not one of a shell", foreign("bash", { command: "ls" }), starter, false],
		["is not one of another package's tool", foreign("deploy", { summary: "x" }), starter, false],
	])("%s", (_what, call, rules, ignored) => {
		expect(policyOf(rules).ignores?.(call)).toBe(ignored);
	});
});

it("the sandbox ignores every call but those of the shell and of pi's file tools", () => {
	const policy = sandboxPolicy({ layout: never }, "project", never);
	const ignored = ["bash", "read", "write", "deploy"].map((tool) => policy.ignores?.(foreign(tool, { command: "ls" })));
	expect(ignored).toEqual([false, false, false, true]);
	expect(policy.ignores?.(callOf({ command: "ls" }))).toBe(true);
});

it("a call is measured unless every policy ignores it", () => {
	const policies = openPolicies();
	const call = callOf({});
	policies.add({ name: "a", judge: () => undefined, ignores: () => true });
	expect(policies.ignore(call)).toBe(true);
	const remove = policies.add({ name: "b", judge: () => undefined });
	expect(policies.ignore(call)).toBe(false);
	remove();
	policies.add({ name: "c", judge: () => undefined, ignores: () => false });
	expect(policies.ignore(call)).toBe(false);
});

function never(): never {
	throw new Error("No rules were read.");
}
