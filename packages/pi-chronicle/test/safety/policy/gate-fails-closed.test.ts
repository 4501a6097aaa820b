// Calls in real pi are refused when something that judges them fails or cannot be loaded. Each case would let a call pass if a refusal became a
// pass.
import { cpSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { deepIt, sampled } from "../../harness/deep-it.ts";
import { call, checkout, openBench, packageUnderTest, say } from "../../harness/index.ts";
import { needs } from "../../harness/needs.ts";

describe("in real pi, an error in what the gate asks", () => {
	/** An extension with a gate whose policies fail when they are asked for `part`. */
	const broken = (part: string) => `
		import { openPolicies, registerGate } from ${JSON.stringify(join(checkout, "packages/pi-chronicle/src/safety/index.ts"))};
		export default (pi) => {
			const policies = openPolicies();
			policies.add({ name: "quiet", judge: () => undefined, screen: () => undefined });
			const fail = () => { throw new Error("broken"); };
			const get = (target, key) => key === "${part}" ? fail : Reflect.get(target, key);
			registerGate(pi, { policies: new Proxy(policies, { get }), scope: { own: () => async () => {} } });
		};
	`;

	it.each<[part: string, ran: boolean, text: string]>(
		sampled([
			["judge", false, "Refused: this call could not be judged (broken)."],
			["amend", false, "Refused: this call could not be judged (broken)."],
			["screen", true, "[Withheld: this result could not be screened (broken).]"],
		]),
	)("fails closed: %s", async (part, ran, text) => {
		const { project, rpc } = await openBench({
			files: { "gate.ts": broken(part) },
			script: [call("bash", { command: "echo shown | tee out.txt" }), say("Done.")],
		});
		const pi = await rpc({ extensions: [project.path("gate.ts")] });
		await pi.run("Go");
		expect([project.exists("out.txt"), pi.toolResults()[0]?.text]).toEqual([ran, text]);
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
		expect(text).toContain("the code that judges calls could not be loaded");
		expect(ran).toBe(false);
	});

	it("the guard", needs("the built package", bundled), async () => {
		const { ran, text } = await runWithout("safety-guard-open", undefined);
		expect(text).toContain("could not be loaded");
		expect(ran).toBe(false);
	});

	deepIt("the rule reader", needs("the built package", bundled), async () => {
		const { ran, text } = await runWithout("safety-guard-rules-reader", undefined);
		expect(text).toContain("could not be loaded");
		expect(ran).toBe(false);
	});

	deepIt("the readonly posture", needs("the built package", bundled), async () => {
		const { ran, text } = await runWithout("safety-readonly-judge", "/readonly on", { "src/a.ts": "x\n" });
		expect(text).toContain("readonly policy could not");
		expect(ran).toBe(false);
	});

	deepIt("the remembered answers", needs("the built package", bundled), async () => {
		const asking = { ...files, ".pi/damage-control-rules.yaml": "readOnlyPaths: [{ path: out.txt, ask: true }]\n" };
		const { ran, text } = await runWithout("safety-guard-answers", undefined, asking);
		expect(text).toContain("could not be judged");
		expect(ran).toBe(false);
	});
});
