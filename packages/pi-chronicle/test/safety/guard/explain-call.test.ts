// The explanation of a call that is not made.

import type { Footprint } from "@pi-chronicle/footprint";
import { describe, expect, it } from "vitest";
import { explainCall } from "../../../src/safety/guard/judge/explain-call.ts";
import { openPolicies, type ToolCall } from "../../../src/safety/index.ts";

describe("the explanation of a call", () => {
	const call: ToolCall = { id: "1", tool: "x", input: {}, siblings: [] };
	const footprint = (more: Partial<Footprint> = {}): Footprint => ({
		...{ tool: "x", accesses: [], runs: [], unknowns: [], ...more },
	});
	it("says whether rules are in force, and what applies", async () => {
		const policies = openPolicies();
		expect(await explainCall(call, footprint(), policies)).toBe(
			"Verdict: allow\nNo rules are in force.\nIt accesses and runs nothing.",
		);
		policies.add({ name: "quiet", judge: () => undefined });
		expect(await explainCall(call, footprint(), policies)).toContain("\nNo rule applies.\n");
		const because = { policy: "p", rule: "r", reason: "x" };
		policies.add({
			name: "p",
			judge: () => [
				{ ...because, decision: "deny", origin: { file: "/f", line: 2 } },
				{ ...because, decision: "allow" },
			],
		});
		expect(await explainCall(call, footprint(), policies)).toBe(
			"Verdict: deny\n  deny: x\n    p · r · /f:2\n  note: x\nIt accesses and runs nothing.",
		);
	});
	it("lists what the call does, thirty of each kind", async () => {
		const accesses = Array.from({ length: 31 }, (_, n) => ({
			...{ kind: "read", path: `/p${n}`, real: n === 0 ? "/real" : `/p${n}`, recursive: n === 1, by: "x" },
		})) as unknown as Footprint["accesses"];
		const lines = (await explainCall(call, footprint({ accesses }), openPolicies())).split("\n");
		expect(lines.slice(2, 6)).toEqual([
			"Accesses:",
			"  reads /p0 → /real",
			"  reads /p1 and everything below",
			"  reads /p2",
		]);
		expect(lines.slice(-2)).toEqual(["  reads /p29", "  … and 1 more"]);
		const thirty = await explainCall(call, footprint({ accesses: accesses.slice(1) }), openPolicies());
		expect(thirty).not.toContain("more");
	});
});
