// The status of a run whose supervisor is gone.

import type { CommandEnded } from "@pi-chronicle/core/machine";
import type { LeaseHolder, ReadLedger } from "@pi-chronicle/core/ports";
import { describe, expect, it } from "vitest";
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

describe("a run that waits because of its command", () => {
	const command = { command: "npm test", next: { 0: "done", 3: "test" } };
	const due = () =>
		open(definition({ test: command, done: {} }, { limits: { attempts: 1 } })).say({
			kind: "files_measured",
			visit: 1,
			purpose: "baseline",
			tree: "t0",
		});
	const launch = { visit: 1, attempt: 1, launch: 1 };
	const rest = { ms: 9, bytes: 9000, output: `${"x".repeat(5000)}the end`, isCut: true, print: "p" } as const;
	it.each<[CommandEnded["result"], string]>([
		[{ kind: "exited", code: 7 }, "no state for that"],
		[{ kind: "exited", code: 127 }, "not found"],
		[{ kind: "timed_out" }, "took longer"],
		[{ kind: "exited", code: 3 }, "tried as often as it may"],
	])("%j: shows the end of its output, up to 4 KB", (result, why) => {
		const { run } = due()
			.say({ kind: "command_started", ...launch, command: "npm test", file: "/f" })
			.say({ kind: "command_ended", ...launch, result, ...rest })
			.say({ kind: "files_measured", visit: 1, purpose: "changes", tree: "t0", changes: [] });
		const read = { run, repairs: [], place: "/r.events.jsonl", folder: "/r" } as unknown as ReadLedger;
		const shown = statusLines(read, { now: later, prefix: "" }).join("\n");
		expect(shown).toContain(why);
		expect(shown).toMatch(/\bx{4089}the end\n/);
		if (run.status === "paused") expect(shown).toContain("The last 4096 of 9000 bytes of its output:");
	});
});
