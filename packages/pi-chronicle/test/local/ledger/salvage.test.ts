// Repair of damaged ledgers: every whole event stays, what is lost is named exactly, and the state follows from whole events alone.
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { foldEvent, type LedgerEvent, type Run, startRun } from "@pi-chronicle/core/machine";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { examineLedger, openFileStore, salvageLedger } from "../../../src/local/ledger/index.ts";
import { decodeLine } from "../../../src/local/ledger/line.ts";
import { openFolder } from "../../harness/folder.ts";
import { runs } from "../../harness/runs.ts";
import { baseline, created, id, tell, value, visit } from "./sample-events.ts";

interface Files {
	log: string[] | undefined;
	/** Lines of the copy outside the project. */
	copy: string[] | undefined;
	checkpoint: string | undefined;
	/** What is there instead of files. */
	readonly instead: { log?: "folder" | "loop"; copy?: "folder"; checkpoint?: "folder" | "loop" };
}

/** A run of some visits, and its files as lines. */
async function openRun() {
	const project = openFolder();
	const place = {
		sessions: join(project, ".pi", "chronicle", "sessions"),
		copies: { folder: join(openFolder(), "ledgers"), project },
	};
	const store = openFileStore({ ...place, clock: Date });
	const ledger = value(await store.create(created()));
	let run = await tell(ledger, ledger.run, baseline);
	for (const body of visit(run)) run = await tell(ledger, run, body);
	value(await ledger.checkpoint(run));
	const checkpointSeq = run.seq;
	for (const body of visit(run)) run = await tell(ledger, run, body);
	await ledger.releaseLease();
	const paths = {
		log: join(place.sessions, `${id}.events.jsonl`),
		copy: join(place.copies.folder, `${id}.events.jsonl`),
		checkpoint: join(place.sessions, `${id}.json`),
	};
	const linesOf = (path: string) => readFileSync(path, "utf8").split("\n").filter(Boolean);
	const whole = linesOf(paths.log);
	const events = whole.map((line) => decodeLine(Buffer.from(line)) as LedgerEvent);
	const put = (path: string, lines: string[] | undefined): void => {
		rmSync(path, { recursive: true, force: true });
		if (lines !== undefined) writeFileSync(path, lines.map((line) => `${line}\n`).join(""));
	};
	const checkpoint = readFileSync(paths.checkpoint, "utf8");
	const damage = (change: (files: Files) => void): void => {
		const files: Files = { log: [...whole], copy: undefined, checkpoint, instead: {} };
		change(files);
		put(paths.log, files.log);
		put(paths.copy, files.copy);
		rmSync(paths.checkpoint, { recursive: true, force: true });
		if (files.checkpoint !== undefined) writeFileSync(paths.checkpoint, files.checkpoint);
		for (const name of ["log", "copy", "checkpoint"] as const) {
			const kind = files.instead[name];
			if (kind === undefined) continue;
			rmSync(paths[name], { force: true });
			if (kind === "folder") mkdirSync(paths[name]);
			else symlinkSync(paths[name], paths[name]);
		}
	};
	/** The run after the events up to `seq`. */
	const stateAt = (seq: number): Run => {
		const [first, ...rest] = events.filter((event) => event.seq <= seq);
		return rest.reduce(foldEvent, startRun(first as LedgerEvent) as Run);
	};
	return { place, store, paths, whole, events, damage, stateAt, checkpointSeq };
}

const broken = (line: string): string => line.replace('"kind"', '"kjnd"');

function breakLine(lines: string[] | undefined, at: number): void {
	if (lines) lines[at] = broken(lines[at] ?? "");
}

/** `lost`: ranges of lost events; `at`: the event whose state the run has. `n` is the number of events, `c` that of the checkpoint. */
interface Case {
	readonly change: (files: Files, n: number) => void;
	readonly lost: (n: number, c: number) => readonly (readonly [number, number])[];
	readonly at: (n: number, c: number) => number;
}

const none = () => [];
const end = (n: number) => n;
const losingNothing = (change: Case["change"]): Case => ({ change, lost: none, at: end });
const cases: Readonly<Record<string, Case>> = {
	"a state file that is {}": losingNothing((files) => {
		files.checkpoint = "{}";
	}),
	"a torn state file": losingNothing((files) => {
		files.checkpoint = files.checkpoint?.slice(0, 90);
	}),
	"no log, with a copy": losingNothing((files) => {
		files.copy = files.log;
		files.log = undefined;
	}),
	"an empty log, with a copy": losingNothing((files) => {
		files.copy = files.log;
		files.log = [];
		files.checkpoint = undefined;
	}),
	"damage in the middle, with a copy": losingNothing((files) => {
		files.copy = [...(files.log ?? [])];
		breakLine(files.log, 3);
		files.checkpoint = undefined;
	}),
	"different damage in log and copy": losingNothing((files) => {
		files.copy = [...(files.log ?? [])];
		breakLine(files.log, 3);
		breakLine(files.copy, 5);
		files.checkpoint = undefined;
	}),
	"damage in the middle, without a state file": {
		change: (files) => {
			breakLine(files.log, 3);
			files.checkpoint = undefined;
		},
		lost: () => [[4, 4]],
		at: () => 3,
	},
	"missing lines, without a state file": {
		change: (files) => {
			files.log?.splice(2, 2);
			files.checkpoint = undefined;
		},
		lost: () => [[3, 4]],
		at: () => 2,
	},
	"a damaged first event, with a state file": {
		change: (files) => {
			breakLine(files.log, 0);
		},
		lost: () => [[1, 1]],
		at: end,
	},
	"no log and no copy, with a state file": {
		change: (files) => {
			files.log = undefined;
		},
		lost: (_, c) => [[1, c]],
		at: (_, c) => c,
	},
	"a folder instead of the log, with a copy": losingNothing((files) => {
		files.copy = files.log;
		files.instead.log = "folder";
	}),
	"a link to itself instead of the log, with a copy": losingNothing((files) => {
		files.copy = files.log;
		files.instead.log = "loop";
	}),
	"a folder instead of the state file": losingNothing((files) => {
		files.instead.checkpoint = "folder";
	}),
	"a link to itself instead of the state file": losingNothing((files) => {
		files.instead.checkpoint = "loop";
	}),
	"a folder instead of the copy, and damage in the middle": {
		change: (files) => {
			files.instead.copy = "folder";
			breakLine(files.log, 3);
			files.checkpoint = undefined;
		},
		lost: () => [[4, 4]],
		at: () => 3,
	},
	"an event twice": losingNothing((files) => {
		files.log?.splice(3, 0, files.log[3] ?? "");
		files.checkpoint = undefined;
	}),
	"damage after the state file": {
		change: (files, n) => {
			breakLine(files.log, n - 2);
		},
		lost: (n) => [[n - 1, n - 1]],
		at: (n) => n - 2,
	},
};

describe("repair", () => {
	it.each(Object.entries(cases))(
		"of %s keeps all whole events and names what is lost",
		async (name, { change, lost, at }) => {
			const { place, store, paths, events, damage, stateAt, checkpointSeq } = await openRun();
			const n = events.length;
			damage((files) => change(files, n));
			const done = value(await salvageLedger(place, id, Date.now()));
			const ranges = lost(n, checkpointSeq);
			expect(done.lost).toEqual(ranges);
			for (const [first, last] of ranges)
				expect(done.lines.join(" ")).toContain(first === last ? `Event ${first} is` : `${first} to ${last}`);
			const read = value(await store.read(id));
			const expected = stateAt(at(n, checkpointSeq));
			expect([read.run.state, read.run.visit, read.run.totals]).toEqual([
				expected.state,
				expected.visit,
				expected.totals,
			]);
			const kept: number[] = [];
			for await (const event of read.events()) if (event.kind !== "recovered") kept.push(event.seq);
			const missing = (seq: number) => ranges.some(([first, last]) => seq >= first && seq <= last);
			const known = name.startsWith("no log and no copy") ? [] : events.map(({ seq }) => seq);
			expect(kept).toEqual(known.filter((seq) => !missing(seq)));
			const ledger = value(await store.open(id));
			await tell(ledger, ledger.run, { kind: "told", text: "continues" });
			await ledger.releaseLease();
			expect(await examineLedger(place, id)).toEqual({ damage: [], isReadable: true });
			expect(value(await salvageLedger(place, id, Date.now()))).toMatchObject({ changed: false });
			expect(readdirSync(dirname(paths.log)).filter((name) => name.includes(".damaged-")).length).toBeGreaterThan(0);
		},
	);

	it.each([
		[
			"no whole event",
			(files: Files) => {
				files.log = files.log?.map(broken);
			},
		],
		["no first event", (files: Files) => void files.log?.shift()],
	])("with %s and no state file changes nothing and says so", async (_, change) => {
		const { place, paths, damage } = await openRun();
		damage((files) => {
			change(files);
			files.checkpoint = undefined;
		});
		const before = readFileSync(paths.log);
		const done = await salvageLedger(place, id, Date.now());
		expect(done).toMatchObject({ ok: false, failure: { message: expect.stringContaining("cannot be repaired") } });
		expect(readFileSync(paths.log)).toEqual(before);
	});

	it("a copy that is no file stops nothing, and no lease is left where a run cannot be opened", async () => {
		const { store, damage } = await openRun();
		damage((files) => {
			files.instead.copy = "folder";
		});
		const ledger = value(await store.open(id));
		expect(ledger.repairs.join()).toContain("No copy of the events can be kept");
		await ledger.releaseLease();
		damage((files) => {
			files.instead.log = "folder";
		});
		for (let n = 0; n < 2; n += 1)
			expect(await store.open(id)).toMatchObject({
				ok: false,
				failure: {
					reason: "corrupt",
					message: expect.stringMatching(/jsonl is not a file/),
					remedy: expect.stringContaining("repair 11111111"),
				},
			});
	});

	it("of a run that a living process holds is refused", async () => {
		const { place, store, damage } = await openRun();
		const held = value(await store.open(id));
		damage((files) => {
			breakLine(files.log, 3);
			files.checkpoint = undefined;
		});
		expect(await salvageLedger(place, id, Date.now())).toMatchObject({ ok: false, failure: { reason: "held" } });
		await held.releaseLease();
	});

	it("after any damage to any lines gives a readable run, or changes nothing", async () => {
		const { place, store, whole, damage, stateAt } = await openRun();
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.nat(whole.length - 1), { maxLength: 4 }),
				fc.array(fc.nat(whole.length - 1), { maxLength: 3 }),
				fc.boolean(),
				async (damaged, removed, hasCheckpoint) => {
					damage((files) => {
						files.log = whole.flatMap((line, at) =>
							removed.includes(at) ? [] : [damaged.includes(at) ? broken(line) : line],
						);
						if (!hasCheckpoint) files.checkpoint = undefined;
					});
					const gone = [...new Set([...damaged, ...removed])].map((at) => at + 1).sort((one, other) => one - other);
					const done = await salvageLedger(place, id, Date.now());
					if (!done.ok) return void expect([hasCheckpoint, gone.includes(1)]).toEqual([false, true]);
					const { run } = value(await store.read(id));
					// A lost end cannot be noticed without a state file.
					const named = done.value.lost.flatMap(([first, last]) =>
						Array.from({ length: last - first + 1 }, (_, at) => first + at),
					);
					expect(gone).toEqual(expect.arrayContaining(named));
					if (!hasCheckpoint) {
						const expected = stateAt((gone[0] ?? whole.length + 1) - 1);
						expect([run.state, run.visit]).toEqual([expected.state, expected.visit]);
					}
				},
			),
			{ numRuns: runs(0.3) },
		);
	});
});
