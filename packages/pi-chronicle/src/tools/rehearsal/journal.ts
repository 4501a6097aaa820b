// The journal of a rehearsal: one JSON line per event, appended by every process of the rehearsal and followed by the one that runs it. It
// is a temporary file next to the copy of the project.
// Lines are short (at most 2 KB) and appended whole, so that several processes can write. A torn last line is read later.
import { appendFileSync, closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { truncate } from "@pi-chronicle/core/definition";
import { redactSecrets } from "../../safety/index.ts";
import type { UserAnswer } from "./scenario.ts";
import type { WorkflowProgress } from "./session-position.ts";

/** `by`: id of the child run whose process wrote it; absent for the first run. */
export type JournalLine = { readonly by?: string } & (
	| {
			readonly kind: "entered";
			readonly what: "phase" | "state";
			/** Workflow that the phase belongs to, or template of the child run; absent for a state of the first run. */
			readonly scope?: string;
			/** Name of the child run. */
			readonly child?: string;
			readonly id: string;
			readonly visit: number;
			readonly at: number;
	  }
	/** A request to the understudy, with the size of its messages. */
	| { readonly kind: "asked"; readonly characters: number; readonly at: number }
	| {
			readonly kind: "called";
			/** Number of the call in its process, in the order in which calls are made; those of one message end in any order. */
			readonly order: number;
			/** Id of the call in pi's conversation. */
			readonly id?: string;
			readonly tool: string;
			/** Its main argument, shortened. */
			readonly with: string;
			/** `refused`: a rule stopped it before it ran. `failed`: it ran and reported an error. */
			readonly outcome: "ok" | "refused" | "failed";
			/** Beginning of its result if it was refused or failed. */
			readonly reason?: string;
			readonly at: number;
	  }
	| { readonly kind: "said"; readonly text: string; readonly at: number }
	/** The user's answer to the next question, from the scenario. */
	| { readonly kind: "answer"; readonly answer: UserAnswer; readonly at: number }
	/** pi has nothing left to do; with the progress of the newest workflow run then. */
	| { readonly kind: "settled"; readonly aborted: boolean; readonly progress: WorkflowProgress; readonly at: number }
);

const longestText = 400;

/** Appends one line, with its time (ms since the epoch). */
export function note(journal: string, line: JournalLine): void {
	appendFileSync(journal, `${JSON.stringify(line)}\n`, { mode: 0o600 });
}

/** A text for the journal: without secrets, on one line, cut to `longest` characters. */
export function brief(text: string, longest = longestText): string {
	const line = redactSecrets(text.replace(/\s+/g, " ").trim());
	return truncate(line, longest);
}

/** Reads what has been appended since the last call; the file need not exist yet. */
export function openJournalReader(path: string): { read(): JournalLine[]; close(): void } {
	let file: number | undefined;
	let at = 0;
	let rest = Buffer.alloc(0);
	return {
		read() {
			if (file === undefined && existsSync(path)) file = openSync(path, "r");
			if (file === undefined) return [];
			const fresh = Buffer.alloc(Math.max(0, fstatSync(file).size - at));
			const got = fresh.length === 0 ? 0 : readSync(file, fresh, 0, fresh.length, at);
			at += got;
			const bytes = Buffer.concat([rest, fresh.subarray(0, got)]);
			const end = bytes.lastIndexOf(0x0a) + 1;
			rest = bytes.subarray(end);
			return bytes
				.subarray(0, end)
				.toString("utf8")
				.split("\n")
				.filter((line) => line !== "")
				.map((line) => JSON.parse(line) as JournalLine);
		},
		close() {
			if (file !== undefined) closeSync(file);
			file = undefined;
		},
	};
}
