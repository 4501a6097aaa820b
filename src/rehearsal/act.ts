// One process of a rehearsal after another, and the journal that they write, told part by part.
// R1 a process gets no input; it ends by itself or when the rehearsal is told to stop; R2 what is told was written by the processes that
// took part, never guessed from their output.
import { setTimeout as sleep } from "node:timers/promises";
import { type Child, type ChildExit, startChild } from "../process/index.ts";
import { type JournalLine, openJournalReader } from "./journal.ts";
import type { Standing } from "./place.ts";
import type { PersonAnswer } from "./scenario.ts";
import type { Stage } from "./stage.ts";

/** One visit of a phase or state, as it was played. */
export interface Part {
	readonly what: "phase" | "state";
	/** Workflow that the phase stands in. */
	readonly scope: string | undefined;
	readonly id: string;
	/** For people; the id where nothing better is known. */
	readonly name: string;
	readonly visit: number;
	readonly calls: readonly Called[];
	/** Milliseconds from entering it to leaving it. */
	readonly ms: number;
	/** Whether something came after it; `false` for the part in which the run stopped. */
	readonly left: boolean;
}

export type Called = Omit<Extract<JournalLine, { kind: "called" }>, "kind" | "at" | "order">;

/** One process of a rehearsal, on its stage. */
export interface Act {
	/** Absolute path of the program. */
	readonly command: string;
	readonly args: readonly string[];
}

export interface Ended {
	readonly exit: ChildExit;
	/** What it printed. */
	readonly output: string;
	readonly errors: string;
}

const pollMs = 50;

/** Runs one process on the stage, its parts told to `tracker`, and resolves when it has ended. Never rejects for what it does. */
export async function runAct(act: Act, stage: Stage, tracker: Tracker, signal?: AbortSignal): Promise<Ended> {
	const child = startChild({ ...act, cwd: stage.project, env: stage.env });
	child.endInput();
	let output = "";
	child.onOutput((chunk) => {
		output += chunk.toString("utf8");
	});
	const stop = () => void child.stop();
	signal?.addEventListener("abort", stop, { once: true });
	if (signal?.aborted) stop();
	try {
		const exit = await follow(child, tracker.look);
		return { exit, output, errors: child.stderr() };
	} finally {
		signal?.removeEventListener("abort", stop);
	}
}

/** Calls `look` until the child has ended, and once more after that. */
async function follow(child: Child, look: () => void): Promise<ChildExit> {
	let exit: ChildExit | undefined;
	void child.exited.then((ended) => {
		exit = ended;
	});
	while (exit === undefined) {
		look();
		await Promise.race([sleep(pollMs), child.exited]);
	}
	look();
	return exit;
}

type Entered = Extract<JournalLine, { kind: "entered" }>;

/** Makes parts of what the journal tells. */
export interface Tracker {
	readonly parts: readonly Part[];
	/** How the newest workflow run stood when pi had nothing more to do. */
	readonly standing: Standing;
	/** What the scenario lets the person answer to a question that is asked now, once; `undefined`: yes. */
	takeAnswer(): PersonAnswer | undefined;
	/** Reads what has been written since the last time. */
	look(): void;
	/** The rehearsal is over: the part that was open is its last, `left` if it was played to its end. */
	end(last: "left" | "stopped"): void;
}

/** Follows a journal: what is called belongs to the part entered last. `onPart` is called when a part is over. */
export function trackParts(journal: string, onPart?: (part: Part) => void): Tracker {
	const reader = openJournalReader(journal);
	const parts: Part[] = [];
	let standing: Standing = "none";
	let answer: PersonAnswer | undefined;
	let open: { line: Entered; calls: (Called & { order: number })[]; until: number } | undefined;
	const close = (left: boolean, at: number): void => {
		if (!open) return;
		const { what, scope, id, visit, at: from } = open.line;
		const calls = open.calls.sort((a, b) => a.order - b.order).map(({ order: _order, ...call }) => call);
		const part = { what, scope, id, name: id, visit, calls, ms: Math.max(0, at - from), left };
		open = undefined;
		parts.push(part);
		onPart?.(part);
	};
	const take = (line: JournalLine): void => {
		if (line.kind === "settled") standing = line.standing;
		if (line.kind === "answer") answer = line.answer;
		if (line.kind === "entered") {
			const { id, visit, scope } = line;
			// Another worker that goes on with the same visit.
			if (open && open.line.id === id && open.line.visit === visit && open.line.scope === scope) return;
			close(true, line.at);
			open = { line, calls: [], until: line.at };
		} else if (open) {
			open.until = line.at;
			if (line.kind === "called") {
				const { kind: _kind, at: _at, ...call } = line;
				open.calls.push(call);
			}
		}
	};
	return {
		parts,
		get standing() {
			return standing;
		},
		takeAnswer() {
			const given = answer;
			answer = undefined;
			return given;
		},
		look: () => reader.read().forEach(take),
		end(last) {
			close(last === "left", open?.until ?? 0);
			reader.close();
		},
	};
}
