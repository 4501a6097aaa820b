// What status says of a run whose supervisor is gone.
import { expect, it } from "vitest";
import type { LeaseHolder, ReadLedger } from "../../../src/chronicle/supervisor/index.ts";
import { statusLines } from "../../../src/chronicle/telling/index.ts";
import { definition, open, start } from "../machine/theatre.ts";

const { run } = start(open(definition({ planning: { persona: "A", next: ["done"] } })));
const later = new Date(Date.parse(run.updatedAt) + 3_600_000).toISOString();
const status = (holder: LeaseHolder | undefined): string => {
	const read = { run, holder, repairs: [], place: "/r.events.jsonl", folder: "/r" } as unknown as ReadLedger;
	return statusLines(read, { now: later, prefix: "" }).join("\n");
};
const supervisor = (alive: LeaseHolder["alive"]): LeaseHolder => ({ host: "h", pid: 1, started: "s", fence: 1, alive });

it("R29 the time of a run that is at work goes on, that of an interrupted one stands still, and nobody is at it", () => {
	expect(status(supervisor("yes"))).toMatch(/ 1h00m of /);
	expect(status(supervisor("yes"))).toMatch(/Worker: .*process \d+/);
	for (const gone of [supervisor("no"), undefined]) {
		expect(status(gone)).toContain("interrupted");
		expect(status(gone)).not.toMatch(/1h00m of|Worker: .*process/);
	}
});
