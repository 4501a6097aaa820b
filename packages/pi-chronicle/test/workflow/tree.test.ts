// In any session tree, the run is the fold over the current branch. Real session manager of pi, no process.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import fc from "fast-check";
import { expect, it } from "vitest";
// pi's own session manager alone: its whole package takes seconds to load.
import { SessionManager } from "../../../../node_modules/@earendil-works/pi-coding-agent/dist/core/session-manager.js";
import { isActive, type WorkflowRun } from "../../src/workflow/phase-machine/index.ts";
import {
	definitionsHash,
	findWorkflowRun,
	type HeldRun,
	historyOf,
	pinDefinitions,
	writeState,
} from "../../src/workflow/session/entries.ts";
import { begin, drafts, happen, type Told } from "./definition-builder.ts";

const definitions = drafts({ p: ["a", "@s", "z"], s: ["s1", "s2"] });

type Step =
	| { readonly kind: "start" }
	| { readonly kind: "event"; readonly event: Told }
	| { readonly kind: "talk" }
	/** Goes to an earlier entry. */
	| { readonly kind: "jump"; readonly to: number };

const next = fc
	.nat()
	.map((at): Step => ({ kind: "event", event: { kind: "next", at, message: `m${at}`, summary: "s" } }));
const step: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 1, arbitrary: fc.constant<Step>({ kind: "start" }) },
	{ weight: 4, arbitrary: next },
	fc.constant<Step>({ kind: "talk" }),
	fc
		.constantFrom<Told>(
			{ kind: "loop", at: 1, message: "l" },
			{ kind: "back", at: 1 },
			{ kind: "pause", by: "person" },
			{ kind: "resume" },
			{ kind: "abandon", at: 1 },
		)
		.map((event): Step => ({ kind: "event", event })),
	fc.nat().map((to): Step => ({ kind: "jump", to })),
);

it("the run is the fold over the current branch, in any tree", () => {
	fc.assert(
		fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
			const session = SessionManager.inMemory();
			const pi = {
				appendEntry: (type: string, data: unknown) => void session.appendCustomEntry(type, structuredClone(data)),
			} as unknown as ExtensionAPI;
			let held: HeldRun | undefined;
			let moves = 0;
			/** What the branch that ends at an entry contains: the run, and how many visits have ended in it. */
			const known = new Map<string | null, { held: HeldRun | undefined; moves: number }>([
				[null, { held: undefined, moves: 0 }],
			]);
			const ids: string[] = [];
			let runs = 0;
			for (const taken of steps) {
				switch (taken.kind) {
					case "start": {
						const run: WorkflowRun = { ...begin(definitions, "p"), id: `wf-${runs++}` };
						held = { run, pinned: pinDefinitions(pi, session, run, definitions) };
						moves = 0;
						writeState(pi, held, { note: "begun" });
						break;
					}
					case "event": {
						if (!held) continue;
						const { run, actions } = happen(held.run, taken.event);
						held = { ...held, run };
						for (const action of actions) {
							if (action.kind !== "persist") continue;
							if (action.left) moves++;
							writeState(pi, held, { left: action.left });
						}
						break;
					}
					case "talk":
						session.appendCustomEntry("other", {});
						break;
					case "jump": {
						const target = ids[taken.to % Math.max(1, ids.length)];
						if (target === undefined) continue;
						session.branch(target);
						({ held, moves } = known.get(target) ?? { held: undefined, moves: 0 });
						break;
					}
				}
				const leaf = session.getLeafId();
				known.set(leaf, { held, moves });
				if (leaf !== null) ids.push(leaf);

				const found = findWorkflowRun(session, () => new Map());
				if (!held) {
					expect(found).toEqual({ kind: "none" });
					continue;
				}
				if (found.kind !== "held") throw new Error(found.kind);
				const { definitions: pinned, ...after } = found.held.run.kind === "live" ? found.held.run : never();
				const { definitions: own, ...before } = held.run.kind === "live" ? held.run : never();
				const volatile = { reminders: { row: 0, visit: 0 }, askedToCancel: undefined };
				expect(after).toEqual({ ...before, ...volatile });
				expect(definitionsHash(pinned)).toBe(definitionsHash(own));
				expect(found.held.pinned).toEqual(held.pinned);
				expect(historyOf(session, held.run.id).filter(({ way }) => way)).toHaveLength(moves);
				expect(isActive(found.held.run)).toBe(isActive(held.run));
			}
		}),
	);
});

function never(): never {
	throw new Error("A run of a pinned definition is never stale.");
}
