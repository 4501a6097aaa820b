// The phases of a run in a row.
import { visibleWidth } from "@earendil-works/pi-tui";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { LiveWorkflowRun } from "../../src/workflow/phase-machine/index.ts";
import { phaseTrail } from "../../src/workflow/prompts/index.ts";
import { begin, drafts, happen } from "./definition-builder.ts";

const named = (ids: readonly string[]) => ids.map((id) => ({ id, name: id }));

/** A run with these phases whose current one is the phase `at`. */
function runAt(ids: readonly string[], at: number): LiveWorkflowRun {
	let run: ReturnType<typeof happen>["run"] = begin(drafts({ w: named(ids) }), "w");
	for (let step = 0; step < at; step++) run = happen(run, { kind: "skip", at: 2000 }).run;
	return run as LiveWorkflowRun;
}

it("names what is done, what runs or waits, and what follows", () => {
	const run = runAt(["Plan", "Build", "Test", "Ship"], 1);
	expect(phaseTrail(run, false)).toBe("✓ Plan › ● Build › Test › Ship");
	expect(phaseTrail(run, true)).toBe("✓ Plan › ? Build › Test › Ship");
	expect(phaseTrail(happen(run, { kind: "pause", by: "person" }).run as LiveWorkflowRun, true)).toContain("‖ Build");
	expect(phaseTrail(runAt(["Only"], 0), false)).toBe("● Only");
	const nested = begin(drafts({ w: [...named(["a"]), "@s"], s: named(["b", "c"]) }), "w");
	expect(phaseTrail(nested, false)).toBe("● a › b › c");
});

it("fits a small screen with the current phase in sight, and counts those that are done", () => {
	const ids = fc.uniqueArray(fc.stringMatching(/^p\w{0,8}$/), { minLength: 2, maxLength: 150 });
	fc.assert(
		fc.property(ids, fc.nat(149), (names, place) => {
			const at = place % names.length;
			const trail = phaseTrail(runAt(names, at), false);
			expect(visibleWidth(trail)).toBeLessThanOrEqual(76);
			expect(trail).toContain(`● ${names[at]}`);
			if (at > 0) expect(trail.includes(`✓ ${at} done`) || trail.startsWith(`✓ ${names[0]} ›`)).toBe(true);
		}),
	);
});
