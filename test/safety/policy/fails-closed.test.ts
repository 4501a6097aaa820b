// Calls are refused when a policy is missing or broken. Every test here fails if a
// refusal becomes a pass.
import { cpSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Footprint } from "../../../src/footprint/index.ts";
import { deserializeRules, openPolicies, type Policy, type ToolCall } from "../../../src/safety/index.ts";
import { call, openBench, packageUnderTest, say } from "../../harness/index.ts";
import { needs } from "../../harness/needs.ts";

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

	it("a failing change of arguments is a refusal", async () => {
		const policies = openPolicies();
		policies.add({
			...quiet,
			amend() {
				throw new Error("boom");
			},
		});
		await expect(policies.amend(toolCall)).rejects.toThrow("boom");
	});
});

describe("frozen rules", () => {
	it("that do not match their hash are not applied", () => {
		expect(() => deserializeRules("{}", "0123456789abcdef")).toThrow(/hash/);
	});
});

describe("in real pi, a part of the package that cannot be loaded fails closed:", () => {
	const files = { ".pi/damage-control-rules.yaml": "effects: { recursive-delete: deny }\n", "src/a.ts": "x\n" };
	const bundled = existsSync(join(packageUnderTest().root, "dist", "later"));

	/** Starts pi with a copy of the package in which one part is broken, lets the model run a command, and says what came of it. */
	async function runWithout(part: string, before: string | undefined, more: Record<string, string> = files) {
		const { project, rpc } = await openBench({
			files: more,
			script: [call("bash", { command: "echo ran > out.txt" }), say("Done.")],
		});
		const copy = join(project.home, "package");
		cpSync(packageUnderTest().root, copy, { recursive: true });
		const file = join(copy, "dist", "later", `${part}.mjs`);
		expect(existsSync(file)).toBe(true);
		writeFileSync(file, 'throw new Error("broken");\n');
		const pi = await rpc({ package: copy });
		pi.lenient();
		if (before) await pi.prompt(before);
		await pi.run("Go");
		return { ran: project.exists("out.txt"), text: pi.toolResults()[0]?.text };
	}

	it("the gate", needs("the built package", bundled), async () => {
		const { ran, text } = await runWithout("safety-policy-gate", undefined);
		expect(text).toContain("what judges calls could not be loaded");
		expect(ran).toBe(false);
	});

	it("the guard", needs("the built package", bundled), async () => {
		const { ran, text } = await runWithout("safety-guard-open", undefined);
		expect(text).toContain("could not be loaded");
		expect(ran).toBe(false);
	});

	it("the rule reader", needs("the built package", bundled), async () => {
		const { ran, text } = await runWithout("safety-guard-rules-reader", undefined);
		expect(text).toContain("could not be loaded");
		expect(ran).toBe(false);
	});

	it("the readonly posture", needs("the built package", bundled), async () => {
		const { ran, text } = await runWithout("safety-readonly-judge", "/readonly on", { "src/a.ts": "x\n" });
		expect(text).toContain("readonly policy could not");
		expect(ran).toBe(false);
	});

	it("the remembered answers", needs("the built package", bundled), async () => {
		const asking = { ...files, ".pi/damage-control-rules.yaml": "readOnlyPaths: [{ path: out.txt, ask: true }]\n" };
		const { ran, text } = await runWithout("safety-guard-answers", undefined, asking);
		expect(text).toContain("could not be judged");
		expect(ran).toBe(false);
	});
});
