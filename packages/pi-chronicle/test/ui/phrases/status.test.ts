// The status of a run whose supervisor is gone.

import type { LeaseHolder, ReadLedger } from "@pi-chronicle/core/ports";
import { expect, it } from "vitest";
import { definition, open, start } from "../../../../core/test/machine/test-run.ts";
import { changeLines, leftLines } from "../../../src/pi/index.ts";
import { statusLines } from "../../../src/ui/phrases/index.ts";

const { run } = start(open(definition({ planning: { persona: "A", next: ["done"] } })));
const later = new Date(Date.parse(run.updatedAt) + 3_600_000).toISOString();
const status = (holder: LeaseHolder | undefined): string => {
	const read = { run, holder, repairs: [], place: "/r.events.jsonl", folder: "/r" } as unknown as ReadLedger;
	return statusLines(read, { now: later, prefix: "" }).join("\n");
};
const supervisor = (alive: LeaseHolder["alive"]): LeaseHolder => ({ host: "h", pid: 1, started: "s", fence: 1, alive });

it("the clock of a running run advances; that of an interrupted run stands still, and it has no holder", () => {
	expect(status(supervisor("yes"))).toMatch(/ 1h00m of /);
	expect(status(supervisor("yes"))).toMatch(/Worker: .*pid \d+/);
	for (const gone of [supervisor("no"), undefined]) {
		expect(status(gone)).toContain("interrupted");
		expect(status(gone)).not.toMatch(/1h00m of|Worker: .*pid/);
	}
});

it("a name with line breaks and controls stays one entry of a list", () => {
	for (const sign of ["\n", "\r", "\r\n", "\t", "\u0007", "\u0085", "\u2028", "\u001b[2K", "\u202e"]) {
		const path = `a${sign}  D src/b.ts`;
		const lines = [
			...changeLines({
				changes: [
					{ path, change: "A" },
					{ path: "c", from: path, change: "R" },
				],
			}),
			...leftLines("Not restored", [{ path, why: "a pipe" }]),
		];
		expect(lines).toHaveLength(5);
		for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
	}
	expect(changeLines({ changes: [{ path: "a\nb", change: "A" }] })[1]).toBe("  A a\\nb");
});
