// A ledger store in memory, for tests. It has the guarantees of the file store, except for power cuts.
// Events go through their text, so nothing survives here that would not survive on disk.

import { foldEvent, type LedgerEvent, type Run, startRun, type UserEvent } from "@pi-chronicle/core/machine";
import type {
	Clock,
	HeldLedger,
	LedgerEntry,
	LedgerStore,
	PostListener,
	PostState,
	ReadLedger,
	StoreFailure,
} from "@pi-chronicle/core/ports";
import { storeFailure } from "../../../src/local/ledger/failures.ts";
import { decodeLine, encodeLine, stampEvent } from "../../../src/local/ledger/line.ts";
import { namedIds, resolveRunId, summarizeRun } from "../../../src/local/ledger/list-runs.ts";
import { withoutCrc } from "../../../src/local/ledger/read-events.ts";
import { redactEvent } from "../../../src/local/ledger/redaction.ts";
import { openRedaction } from "../../../src/safety/index.ts";

interface Kept {
	readonly lines: string[];
	fence: number;
	/** Fence of the lease; 0: nobody has it. */
	held: number;
	readonly posted: { readonly event: UserEvent; readonly at: number; state: PostState }[];
	listener: PostListener | undefined;
	taking: Promise<void>;
}

/** `folder` is where workers of the runs may keep their files. */
export function openMemoryStore({ clock, folder }: { clock: Pick<Clock, "now">; folder: string }): LedgerStore {
	const redact = openRedaction(process.env);
	const runs = new Map<string, Kept>();
	const unknown = (id: string) => storeFailure("unknown", `No run has the id "${id}".`, "See the list of runs.");

	const eventsOf = (kept: Kept): LedgerEvent[] =>
		kept.lines.flatMap((line) => {
			const event = decodeLine(Buffer.from(line.slice(0, -1)));
			return event ? [withoutCrc(event)] : [];
		});
	const runOf = (kept: Kept): Run | undefined => {
		const [first, ...rest] = eventsOf(kept);
		const begun = first && startRun(first);
		return begun && rest.reduce(foldEvent, begun);
	};
	const reading = (id: string, kept: Kept): Omit<ReadLedger, "run"> => ({
		repairs: [],
		holder: kept.held > 0 ? { host: "here", pid: process.pid, started: "", fence: kept.held, alive: "yes" } : undefined,
		place: `the record of run ${id}`,
		folder: `${folder}/${id}`,
		async *events(after = 0) {
			for (const event of eventsOf(kept)) if (event.seq > after) yield event;
		},
	});
	const deliver = (kept: Kept): Promise<void> => {
		kept.taking = kept.taking
			.then(async () => {
				while (kept.listener && kept.posted[0]) {
					const [post] = kept.posted;
					const reason = await kept.listener.event(post.event, post.at);
					post.state = reason === undefined ? { kind: "taken" } : { kind: "refused", reason };
					kept.posted.shift();
				}
			})
			// What the listener does not take stays for the next holder.
			.catch(() => {});
		return kept.taking;
	};
	const hold = (id: string, kept: Kept, run: Run): HeldLedger => {
		kept.fence += 1;
		const { fence } = kept;
		kept.held = fence;
		const lost: { ok: false; failure: StoreFailure } = storeFailure(
			"fenced",
			"Another process has the run.",
			"Go on there.",
		);
		return {
			...reading(id, kept),
			run,
			fence,
			holdsLease: async () => kept.held === fence,
			leaseLoss: async () => lost.failure,
			get holder() {
				return kept.held === fence ? reading(id, kept).holder : undefined;
			},
			async append(bodies) {
				if (kept.held !== fence) return lost;
				const at = new Date(clock.now()).toISOString();
				const events = bodies.map((body, index) =>
					stampEvent(redactEvent(body, redact), { seq: kept.lines.length + index + 1, at, fence }),
				);
				kept.lines.push(...events.map(encodeLine));
				return { ok: true, value: events };
			},
			async checkpoint(now) {
				if (kept.held !== fence) return lost;
				if (now.seq !== kept.lines.length)
					return storeFailure("io", "The checkpoint is not at the end of the log.", "Fold the appended events first.");
				return { ok: true, value: undefined };
			},
			onPosted(listener) {
				kept.listener = listener;
				return deliver(kept);
			},
			async releaseLease() {
				kept.listener = undefined;
				await kept.taking;
				if (kept.held === fence) kept.held = 0;
			},
		};
	};
	const entries = (): LedgerEntry[] =>
		[...runs]
			.flatMap(([id, kept]): LedgerEntry[] => {
				const run = runOf(kept);
				const { holder } = reading(id, kept);
				return run ? [{ kind: "run", id, summary: summarizeRun(run, holder), holder }] : [];
			})
			.sort((a, b) =>
				b.kind === "run" && a.kind === "run" ? b.summary.updatedAt.localeCompare(a.summary.updatedAt) : 0,
			);

	return {
		async create(first) {
			if (runs.has(first.id)) return storeFailure("exists", `The run ${first.id} exists already.`, "Use another id.");
			const kept: Kept = { lines: [], fence: 0, held: 0, posted: [], listener: undefined, taking: Promise.resolve() };
			const event = stampEvent(redactEvent(first, redact), {
				seq: 1,
				at: new Date(clock.now()).toISOString(),
				fence: 1,
			});
			const run = startRun(event);
			if (!run) return storeFailure("corrupt", "The template's definition cannot be read.", "Check the template.");
			kept.lines.push(encodeLine(event));
			runs.set(first.id, kept);
			return { ok: true, value: hold(first.id, kept, run) };
		},
		async open(id) {
			const kept = runs.get(id);
			const run = kept && runOf(kept);
			if (!kept || !run) return unknown(id);
			if (kept.held > 0) return storeFailure("held", "The run belongs to this process.", "Use the commands there.");
			return { ok: true, value: hold(id, kept, run) };
		},
		async read(id) {
			const kept = runs.get(id);
			const run = kept && runOf(kept);
			return kept && run ? { ok: true, value: { ...reading(id, kept), run } } : unknown(id);
		},
		list: async () => entries(),
		recent: async (count) => entries().slice(0, count),
		ids: async () => [...runs.keys()],
		entry: async (id) => entries().find((entry) => entry.id === id),
		async remove(id) {
			const kept = runs.get(id);
			if (!kept) return unknown(id);
			if (kept.held > 0) return storeFailure("held", "The run belongs to another supervisor.", "Use it there.");
			runs.delete(id);
			return { ok: true, value: { bytes: 0 } };
		},
		find: async (name) => resolveRunId(name, namedIds(entries())),
		async post(id, event) {
			const kept = runs.get(id);
			if (!kept) return unknown(id);
			const said = JSON.parse(JSON.stringify(redactEvent(event, redact))) as UserEvent;
			const post: Kept["posted"][number] = { event: said, at: clock.now(), state: { kind: "waiting" } };
			kept.posted.push(post);
			void deliver(kept);
			const withdraw = async (): Promise<boolean> => {
				const at = kept.posted.indexOf(post);
				if (at !== -1) kept.posted.splice(at, 1);
				return at !== -1;
			};
			return { ok: true, value: { state: async () => post.state, withdraw } };
		},
	};
}
