// A run through the maximum number of states: its checkpoint stays within its size and counts what it omits.

import { openSource } from "@pi-chronicle/core/definition";
import { readTemplate } from "@pi-chronicle/core/template";
import { expect, it } from "vitest";
import { definition, go, here, open, spend, start } from "../../../../core/test/machine/test-run.ts";
import { CHECKPOINT_BYTES, checkpointText, readCheckpoint } from "../../../src/local/ledger/checkpoint.ts";

const most = 400;
const name = (index: number) => `state-with-a-name-of-forty-eight-letters-${String(index).padStart(7, "0")}`;
const chain = (length: number) =>
	definition(
		Object.fromEntries(
			Array.from({ length }, (_, index) => [
				name(index),
				{ persona: "Engineer", next: index + 1 < length ? [name(index + 1)] : [] },
			]),
		),
		{ limits: { moves: 1000, cost_usd: 1000, tokens: 90_000_000 } },
	);

it(`a template may have ${most} states, and no more`, () => {
	const read = (length: number) => readTemplate(openSource("/t.json", JSON.stringify(chain(length))), "t");
	expect(read(most).read).toBeDefined();
	expect(read(most + 1).diagnostics.map(({ code }) => code)).toContain("too-many");
});

it(`the checkpoint of a run through ${most} states is at most 64 KB`, () => {
	const play = open(chain(most), { task: "t".repeat(30_000) });
	const kinds = new Set<string>();
	for (let index = 0; index < most; index += 1) {
		start(play).say({ kind: "used", ...here(play), spend: spend(123_456, 1.234567) });
		if (index % 20 === 0 || index + 1 === most) {
			const text = checkpointText(play.run, { seq: play.run.seq, offset: 1, fence: 1 });
			expect(Buffer.byteLength(text)).toBeLessThanOrEqual(CHECKPOINT_BYTES);
			const first = play.events[0];
			const read = readCheckpoint(text, () => (first?.kind === "created" ? first : undefined));
			kinds.add(read.kind);
			if (read.kind === "read") expect(read.run.states).toEqual(play.run.states);
		}
		if (index + 1 < most) go(play, name(index + 1), "What was done, and why. ".repeat(60));
	}
	// A checkpoint of many states needs the events as well.
	expect([...kinds]).toEqual(["read", "incomplete"]);
});
