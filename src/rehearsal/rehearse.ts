// Conducts one rehearsal: starts a real pi on a stage, follows the journal, and tells what happened, part by part.
// R1 it needs no person and no network; R2 it ends when pi ends, and ends pi when it is told to; R3 what it reports was written by the
// processes that took part, never guessed from their output.
import { setTimeout as sleep } from "node:timers/promises";
import { type Child, type Exit, type PiCommand, startChild } from "../pi/index.ts";
import { type JournalLine, openJournalReader } from "./journal.ts";
import type { Standing } from "./place.ts";
import type { Stage } from "./stage.ts";
import { understudyModel } from "./understudy.ts";

/** One visit of a phase or state, as it was played. */
export interface Part {
	readonly what: "phase" | "state";
	/** Workflow that the phase stands in. */
	readonly scope: string | undefined;
	readonly id: string;
	readonly name: string;
	readonly visit: number;
	readonly calls: readonly Called[];
	/** Milliseconds from entering it to leaving it. */
	readonly ms: number;
	/** Whether something came after it; `false` for the part in which the run stopped. */
	readonly left: boolean;
}

export type Called = Omit<Extract<JournalLine, { kind: "called" }>, "kind" | "at" | "order">;

export interface Played {
	readonly parts: readonly Part[];
	/** How the newest workflow run stood when pi had nothing more to do. */
	readonly standing: Standing;
	readonly exit: Exit;
	/** What pi printed. */
	readonly output: string;
	readonly errors: string;
}

export interface Performance {
	readonly pi: PiCommand;
	readonly stage: Stage;
	/** pi's options and prompt, after `-p`. */
	readonly args: readonly string[];
	/** Called when a part is over. */
	readonly onPart?: (part: Part) => void;
	readonly signal?: AbortSignal;
}

const pollMs = 50;

/** Runs pi in print mode on the stage and resolves when it has ended. Never rejects for what pi does. */
export async function play({ pi, stage, args, onPart, signal }: Performance): Promise<Played> {
	const child = startChild({
		command: pi.command,
		args: [...pi.args, "-p", "--offline", "--model", understudyModel, ...args],
		cwd: stage.project,
		env: stage.env,
	});
	child.endInput();
	let output = "";
	child.onOutput((chunk) => {
		output += chunk.toString("utf8");
	});
	const stop = () => void child.stop();
	signal?.addEventListener("abort", stop, { once: true });
	if (signal?.aborted) stop();
	const tracker = trackParts(onPart);
	const journal = openJournalReader(stage.journal);
	try {
		const exit = await follow(child, () => journal.read().forEach(tracker.take));
		tracker.end();
		return { parts: tracker.parts, standing: tracker.standing, exit, output, errors: child.stderr() };
	} finally {
		signal?.removeEventListener("abort", stop);
		journal.close();
	}
}

/** Calls `look` until the child has ended, and once more after that. */
async function follow(child: Child, look: () => void): Promise<Exit> {
	let exit: Exit | undefined;
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

/** Folds journal lines into parts: what is called belongs to the part entered last. */
export function trackParts(onPart?: (part: Part) => void) {
	const parts: Part[] = [];
	let open: { line: Entered; calls: (Called & { order: number })[]; until: number } | undefined;
	const close = (left: boolean, at: number): void => {
		if (!open) return;
		const { what, scope, id, name, visit, at: from } = open.line;
		const calls = open.calls.sort((a, b) => a.order - b.order).map(({ order: _order, ...call }) => call);
		const part = { what, scope, id, name, visit, calls, ms: Math.max(0, at - from), left };
		open = undefined;
		parts.push(part);
		onPart?.(part);
	};
	let standing: Standing = "none";
	return {
		parts,
		get standing() {
			return standing;
		},
		take(line: JournalLine): void {
			if (line.kind === "settled") standing = line.standing;
			if (line.kind === "entered") {
				close(true, line.at);
				open = { line, calls: [], until: line.at };
			} else if (open) {
				open.until = line.at;
				if (line.kind === "called") {
					const { kind: _kind, at: _at, ...call } = line;
					open.calls.push(call);
				}
			}
		},
		/** The run is over: the part that was open is the one it ended in. */
		end: (): void => close(standing === "done", open?.until ?? 0),
	};
}
