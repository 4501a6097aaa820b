// A batch is one write, and a crash in its middle leaves a prefix of it: from any prefix, the run reaches the same state.
import fc from "fast-check";
import { expect, it } from "vitest";
import { decodeLine, encodeLine } from "../../../pi-chronicle/src/local/ledger/line.ts";
import { runs } from "../../../pi-chronicle/test/harness/runs.ts";
import { decide, type EventBody, isRefusal, type LedgerEvent } from "../../src/machine/index.ts";
import { play, playAfterCrash, stories, templates } from "./random-runs.ts";
import { refold } from "./test-run.ts";

const opened: EventBody = { kind: "opened", host: "h", pid: 9, started: "z" };

function bodyOf({ seq: _seq, at: _at, ...body }: LedgerEvent): EventBody {
	return body as EventBody;
}

it("a batch cut after any event: the missing decisions are made again, unchanged", () => {
	const cut = new Set<string>();
	fc.assert(
		fc.property(templates, stories, (template, story) => {
			const { batches } = play(template, story).testRun;
			const before: LedgerEvent[] = [];
			for (const batch of batches) {
				for (let kept = 1; kept < batch.length; kept += 1) {
					const torn = refold([...before, ...batch.slice(0, kept)]);
					const missing = batch.slice(kept).map(bodyOf);
					for (const { kind } of missing) cut.add(kind);
					const resumed = decide(torn, opened, torn.updatedAt);
					if (isRefusal(resumed)) throw new Error(resumed.message);
					expect(resumed.events.slice(0, missing.length)).toEqual(missing);
					expect(resumed.events.slice(missing.length)).toContainEqual(opened);
				}
				before.push(...batch);
			}
		}),
		{ numRuns: runs() },
	);
	expect([...cut].sort()).toEqual([
		"approval_asked",
		"attempt_reserved",
		"finished",
		"moved",
		"parked",
		"provider_awaited",
	]);
});

it("a log cut after any byte folds, and the run continues from there to its end", () => {
	fc.assert(
		fc.property(templates, stories, fc.nat(), (template, story, where) => {
			const { events } = play(template, story).testRun;
			const [first = ""] = events.map(encodeLine);
			const log = events.map(encodeLine).join("");
			const at = first.length + (where % (log.length - first.length + 1));
			const lines = Buffer.from(log).subarray(0, at).toString().split("\n").slice(0, -1);
			const left = lines.map((line) => decodeLine(Buffer.from(line)));
			if (!left.every((event): event is LedgerEvent => event !== undefined))
				throw new Error("a whole line does not decode");
			playAfterCrash(left);
		}),
		{ numRuns: runs() },
	);
});
