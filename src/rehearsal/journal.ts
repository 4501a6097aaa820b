// The journal of a rehearsal: one JSON line per thing that happened, appended by every process that takes part and followed by the one
// that conducts it. It lives in the stage's folder and goes with it.
// J1 lines are short (at most 2 KB) and appended whole, so that several processes can write; J2 a torn last line is left for later.
import { appendFileSync, closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { redactSecrets } from "../safety/index.ts";
import type { Standing } from "./place.ts";
import type { PersonAnswer } from "./scenario.ts";

export type JournalLine =
	| {
			readonly kind: "entered";
			readonly what: "phase" | "state";
			/** Workflow that the phase stands in; absent for a state. */
			readonly scope?: string;
			readonly id: string;
			readonly visit: number;
			readonly at: number;
	  }
	| {
			readonly kind: "called";
			/** Number of the call in its process, by when it was made; calls of one message end in any order. */
			readonly order: number;
			readonly tool: string;
			/** What it was called with, in a few words. */
			readonly with: string;
			/** `refused`: a rule stopped it before it ran. `failed`: it ran and reported an error. */
			readonly outcome: "ok" | "refused" | "failed";
			/** Beginning of what it answered when it was refused or failed. */
			readonly reason?: string;
			readonly at: number;
	  }
	| { readonly kind: "said"; readonly text: string; readonly at: number }
	/** What the scenario lets the person answer when they are asked next. */
	| { readonly kind: "answer"; readonly answer: PersonAnswer; readonly at: number }
	/** pi has nothing more to do by itself; `standing` of the newest workflow run then. */
	| { readonly kind: "settled"; readonly aborted: boolean; readonly standing: Standing; readonly at: number };

const longestText = 400;

/** Appends one line, with its time (ms since the epoch). */
export function note(journal: string, line: JournalLine): void {
	appendFileSync(journal, `${JSON.stringify(line)}\n`, { mode: 0o600 });
}

/** Cuts a text for the journal: its first lines, on one line. */
export function brief(text: string, longest = longestText): string {
	const line = redactSecrets(text.replace(/\s+/g, " ").trim());
	return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
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
