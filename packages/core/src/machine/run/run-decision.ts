// One decision of the user, as a run keeps it. Data only; see `decision-record.ts`.

export interface RunDecision {
	/** From 1, in the order in which they were made; never reused. */
	readonly number: number;
	/** `seq` of the event, and its time (ISO 8601). */
	readonly seq: number;
	readonly at: string;
	readonly visit: number;
	readonly state: string;
	/** Name of the child run in which it was made; absent: none. */
	readonly child?: string;
	/** It was made in a parent run, whose visit and state these are, after this run had begun. Absent: not. */
	readonly above?: true;
	readonly did: "approved" | "rejected" | "told" | "answered" | "resumed" | "released" | "reopened" | "aborted";
	/** What it is about, or the whole question that it answers; absent: nothing in particular. */
	readonly about?: string;
	/** As the user wrote them; may be empty. */
	readonly words: string;
	/** The visit that ended with the rewind that undid it; absent: it is valid. */
	readonly undone?: number;
}
