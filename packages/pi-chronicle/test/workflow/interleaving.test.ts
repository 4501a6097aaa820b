// Any events between a model's request and its answer: a decision counts only if the run is still where the model read it
// to be. Real session manager of pi, no process.

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import fc from "fast-check";
import { expect, it } from "vitest";
// pi's own session manager alone: its whole package takes seconds to load.
import { SessionManager } from "../../../../node_modules/@earendil-works/pi-coding-agent/dist/core/session-manager.js";
import {
	isActive,
	type LiveWorkflowRun,
	type WorkflowEvent,
	workflowTransition,
} from "../../src/workflow/phase-machine/index.ts";
import { contextType, modelDecision, visitMarkOf } from "../../src/workflow/session/context-messages.ts";
import { definitionsHash, type HeldRun, pinDefinitions, writeState } from "../../src/workflow/session/entries.ts";
import { runs } from "../harness/runs.ts";
import { begin, drafts } from "./definition-builder.ts";

const editions = ["Do it.", "Do it well."].map((instructions) =>
	drafts({ p: [{ id: "a", instructions }, "@s", { id: "z", advance: "person" }], s: ["s1", "s2"] }),
);

type Action = "next" | "loop" | "cancel";
type Person = "skip" | "back" | "advance" | "pause" | "resume" | "reload" | "abandon";
type Step =
	/** The model is asked; before its answer arrives, and between its calls, the user acts. */
	| {
			readonly kind: "turn";
			readonly before: readonly Person[];
			readonly calls: readonly (readonly [Action, readonly Person[]])[];
	  }
	| { readonly kind: "person"; readonly does: Person };

const person = fc.constantFrom<Person>("skip", "back", "advance", "pause", "resume", "reload", "resume");
const rarely = fc.oneof({ weight: 30, arbitrary: person }, fc.constant<Person>("abandon"));
const call = fc.tuple(
	fc.constantFrom<Action>("next", "next", "next", "loop", "cancel"),
	fc.array(person, { maxLength: 1 }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 4,
		arbitrary: fc.record({
			kind: fc.constant("turn" as const),
			before: fc.array(person, { maxLength: 2 }),
			calls: fc.array(call, { minLength: 1, maxLength: 3 }),
		}),
	},
	fc.record({ kind: fc.constant("person" as const), does: rarely }),
);

/** A session with a run in it, as pi and the package write it. */
function openStory() {
	const session = SessionManager.inMemory();
	const pi = {
		appendEntry: (type: string, data: unknown) => void session.appendCustomEntry(type, structuredClone(data)),
	} as unknown as ExtensionAPI;
	let edition = 0;
	const run = begin(editions[0] as LiveWorkflowRun["definitions"], "p");
	let held: HeldRun = { run, pinned: pinDefinitions(pi, session, run, run.definitions) };
	writeState(pi, held, { note: "begun" });
	/** What the model is sent before its next request. */
	let queue: object[] = [visitMarkOf(held)];
	let calls = 0;

	const apply = (event: WorkflowEvent) => {
		const { run: after, actions } = workflowTransition(held.run, event);
		const reloaded = actions.some(({ kind }) => kind === "reloaded");
		const pinned =
			reloaded && after.kind === "live" ? pinDefinitions(pi, session, after, after.definitions) : held.pinned;
		held = { run: after, pinned };
		for (const action of actions) if (action.kind === "persist") writeState(pi, held, { left: action.left });
		return actions;
	};
	const visit = () => {
		const { run: now } = held;
		return isActive(now) && now.kind === "live" ? `${now.step} ${definitionsHash(now.definitions)}` : "none";
	};
	return {
		get run() {
			return held.run;
		},
		visit,
		does(what: Person) {
			const at = 2000;
			if (what === "reload") edition = 1 - edition;
			const event: WorkflowEvent =
				what === "pause"
					? { kind: "pause", by: "person" }
					: what === "reload"
						? { kind: "reload", definitions: editions[edition] as LiveWorkflowRun["definitions"] }
						: what === "resume"
							? { kind: "resume" }
							: { kind: what, at };
			if (apply(event).some(({ kind }) => kind === "moved" || kind === "reloaded")) queue.push(visitMarkOf(held));
		},
		/** pi appends what is queued, and sends the request. */
		request() {
			for (const details of queue) session.appendCustomMessageEntry(contextType, "text", false, details);
			queue = [];
			return visit();
		},
		/** The message of the model arrives; gives what lets its calls happen, one after another. */
		answer(actions: readonly Action[]) {
			const named = actions.map((action) => ({ action, id: `call-${calls++}` }));
			const content = named.map(({ action, id }) => ({
				type: "toolCall" as const,
				id,
				name: "workflow_step",
				arguments: { action },
			}));
			session.appendMessage({ role: "assistant", content } as never);
			return named.map(({ action, id }) => () => {
				const decision = modelDecision(session, held, id);
				const done = apply({ kind: action, at: 2000, decision });
				const moved = done.some(({ kind }) => kind === "moved");
				const details = moved ? { advanced: true, to: "X", ...visitMarkOf(held) } : {};
				session.appendMessage({
					role: "toolResult",
					toolCallId: id,
					toolName: "workflow_step",
					content: [],
					details,
				} as never);
				return done;
			});
		},
	};
}

it("the model moves a run only from the visit that it has read", () => {
	let counted = 0;
	let late = 0;
	fc.assert(
		fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
			const story = openStory();
			for (const taken of steps) {
				if (taken.kind === "person") {
					story.does(taken.does);
					continue;
				}
				const read = story.request();
				for (const what of taken.before) story.does(what);
				const calls = story.answer(taken.calls.map(([action]) => action));
				for (const [index, [action, between]] of taken.calls.entries()) {
					const { run } = story;
					const arrives = story.visit();
					const done = calls[index]?.() ?? [];
					const changed = done.some(({ kind }) => kind === "persist" || kind === "ask-cancel");
					if (changed) expect(arrives).toBe(read);
					if (arrives !== read) {
						expect(done).toMatchObject([{ kind: "refused" }]);
						late++;
					} else if (action === "next" && run.kind === "live" && run.status.kind === "running") {
						const personal = run.position.at(-1)?.workflowKey === "p" && run.position.at(-1)?.phaseIndex === 2;
						expect(changed).toBe(!personal);
						counted++;
					}
					for (const what of between) story.does(what);
				}
			}
		}),
		{ numRuns: runs(2.5) },
	);
	// Both happen, or the property says nothing.
	expect([counted > 100, late > 100]).toEqual([true, true]);
});
