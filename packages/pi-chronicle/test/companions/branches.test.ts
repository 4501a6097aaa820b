// Notebook and recording over random session trees: the state follows the branch after every move.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import fc from "fast-check";
import { expect, it } from "vitest";
// pi's own session manager alone: its whole package takes seconds to load.
import { SessionManager } from "../../../../node_modules/@earendil-works/pi-coding-agent/dist/core/session-manager.js";
import { entryTypes, foldNotebook } from "../../src/companions/notebook/notebook.ts";
import { customEntries } from "../../src/pi/session/branch.ts";
import { snapshotType } from "../../src/sequence/recorded.ts";
import { readLastRecorded } from "../../src/sequence/session.ts";

interface Known {
	readonly pages: ReadonlyMap<string, string>;
	readonly topic: string | undefined;
	readonly on: boolean | undefined;
	readonly steps: readonly string[] | undefined;
}

const names = fc.constantFrom("a", "b", "__proto__", "日本");
const move = fc.oneof(
	fc.record({ kind: fc.constant("page" as const), name: names, content: fc.string({ minLength: 1 }) }),
	fc.record({ kind: fc.constant("topic" as const), name: fc.constantFrom("one", "two") }),
	fc.record({ kind: fc.constant("mode" as const), on: fc.boolean() }),
	fc.record({ kind: fc.constant("recording" as const), steps: fc.array(fc.constantFrom("x", "y"), { minLength: 1 }) }),
	fc.record({ kind: fc.constant("junk" as const), type: fc.constantFrom(...Object.values(entryTypes), snapshotType) }),
	fc.record({ kind: fc.constant("talk" as const) }),
	fc.record({ kind: fc.constant("go" as const), to: fc.nat() }),
);

it("notebook pages, topic, switch and recording follow every move in the tree", () => {
	fc.assert(
		fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
			const session = SessionManager.inMemory("/tmp");
			const start: Known = { pages: new Map(), topic: undefined, on: undefined, steps: undefined };
			const visited: { id: string; known: Known }[] = [];
			let now = start;
			const add = (id: string, known: Known) => {
				now = known;
				visited.push({ id, known });
			};
			for (const one of moves) {
				if (one.kind === "page") {
					const data = { version: 1, epoch: 7, name: one.name, content: one.content };
					add(session.appendCustomEntry(entryTypes.page, data), {
						...now,
						pages: new Map([...now.pages, [one.name, one.content]]),
					});
				} else if (one.kind === "topic") {
					const data = { name: one.name, source: "human" };
					add(session.appendCustomEntry(entryTypes.topic, data), { ...now, topic: one.name });
				} else if (one.kind === "mode") {
					add(session.appendCustomEntry(entryTypes.mode, { on: one.on }), { ...now, on: one.on });
				} else if (one.kind === "recording") {
					const data = { version: 1, sequenceId: "s", steps: one.steps, updatedAt: 1 };
					add(session.appendCustomEntry(snapshotType, data), { ...now, steps: one.steps });
				} else if (one.kind === "junk") add(session.appendCustomEntry(one.type, { version: 9, steps: [] }), now);
				else if (one.kind === "talk") add(session.appendCustomMessageEntry("other", "hello", true), now);
				else {
					const place = visited[one.to % Math.max(1, visited.length)];
					if (place === undefined) continue;
					session.branch(place.id);
					now = place.known;
				}
				const { pages, topic, on } = foldNotebook(customEntries(session, Object.values(entryTypes)));
				const recorded = readLastRecorded({ sessionManager: session } as unknown as ExtensionContext);
				expect({ pages: new Map([...pages].sort()), topic: topic?.name, on, steps: recorded?.steps }).toEqual({
					...now,
					pages: new Map([...now.pages].sort()),
				});
			}
		}),
	);
});
