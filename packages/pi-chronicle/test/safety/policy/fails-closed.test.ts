// Calls are refused when a policy is missing or broken. Every test here fails if a
// refusal becomes a pass.

import type { Footprint } from "@pi-chronicle/footprint";
import { describe, expect, it } from "vitest";
import { deserializeRules, openPolicies, type Policy, type ToolCall } from "../../../src/safety/index.ts";

const toolCall: ToolCall = { id: "1", tool: "bash", input: { command: "ls" }, siblings: [] };
const nothing: Footprint = { tool: "bash", accesses: [], runs: [], unknowns: [] };
const quiet: Policy = { name: "quiet", judge: () => undefined };

describe("policies", () => {
	it.each<[string, Policy["judge"]]>([
		[
			"throws",
			() => {
				throw new Error("boom");
			},
		],
		["rejects", () => Promise.reject(new Error("boom"))],
		[
			"cannot read the footprint",
			(_call, footprint) => {
				footprint();
				return undefined;
			},
		],
	])("one that %s denies, whatever the others say", async (_title, judge) => {
		const policies = openPolicies();
		policies.add(quiet);
		policies.add({ name: "broken", judge });
		policies.add(quiet);
		const said = await policies.judge(toolCall, () => {
			throw new Error("no footprint");
		});
		expect(said.decision).toBe("deny");
		expect(said.verdicts[0]).toMatchObject({ policy: "broken", rule: "policy-failed" });
	});

	it("a denial is never outvoted", async () => {
		const verdict = { policy: "p", rule: "r", reason: "x" };
		const policies = openPolicies();
		policies.add({ name: "a", judge: () => ({ ...verdict, decision: "allow" }) });
		policies.add({ name: "b", judge: () => ({ ...verdict, decision: "deny" }) });
		policies.add({ name: "c", judge: () => ({ ...verdict, decision: "ask" }) });
		expect((await policies.judge(toolCall, () => nothing)).decision).toBe("deny");
	});

	it("a restriction applies to child sessions, and ends when its policy is removed", () => {
		const policies = openPolicies();
		policies.add(quiet);
		expect([policies.forbidChanges, policies.forbidTool("bash")]).toEqual([false, false]);
		const remove = policies.add({ ...quiet, forbidsChanges: () => true, forbidsTool: (name) => name === "bash" });
		policies.add({ ...quiet, forbidsChanges: () => false, forbidsTool: () => false });
		expect([policies.forbidChanges, policies.forbidTool("bash"), policies.forbidTool("read")]).toEqual([
			true,
			true,
			false,
		]);
		remove();
		expect([policies.forbidChanges, policies.forbidTool("bash")]).toEqual([false, false]);
	});

	it("a policy that cannot say how a command is contained refuses it", async () => {
		const policies = openPolicies();
		policies.add({
			...quiet,
			confines() {
				throw new Error("boom");
			},
		});
		await expect(
			policies.confine(toolCall, () => {
				throw new Error("not measured");
			}),
		).rejects.toThrow("boom");
	});
});

describe("frozen rules", () => {
	it("that do not match their hash are not applied", () => {
		expect(() => deserializeRules("{}", "0123456789abcdef")).toThrow(/hash/);
	});
});
