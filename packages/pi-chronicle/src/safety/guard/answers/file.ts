// The user's file of permanent answers, in pi's agent folder, never in a project. `../judge/judge-paths.ts` protects it.
// Invariants: a file that cannot be fully parsed gives no answers and is never overwritten; it is replaced atomically and readable only by
// its owner.
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { replaceFileSync } from "../../../disk/index.ts";
import type { Subject } from "./subject.ts";

export interface StoredAnswer {
	readonly answer: "yes" | "no";
	readonly subject: Subject;
	/** ISO time of the answer. */
	readonly at: string;
	/** ISO time at which it ends; absent: it does not. */
	readonly until?: string;
}

export type AnswersRead =
	| { readonly kind: "read"; readonly answers: readonly StoredAnswer[] }
	| { readonly kind: "unreadable"; readonly reason: string };

const MAX_ANSWERS = 1000;

/** The path of the file; `agentDir` is pi's agent folder. */
export function answersFile(agentDir: string): string {
	return join(agentDir, "guard-answers.json");
}

/** Reads the answers that have not ended; a missing file has none. */
export function readAnswers(file: string): AnswersRead {
	let text: string;
	try {
		text = readFileSync(file, "utf8");
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		return code === "ENOENT" ? { kind: "read", answers: [] } : { kind: "unreadable", reason: message };
	}
	try {
		const { version, answers } = JSON.parse(text) as { version?: unknown; answers?: unknown };
		if (version === 1 && Array.isArray(answers) && answers.every(isAnswer)) {
			const now = new Date().toISOString();
			return { kind: "read", answers: answers.filter(({ until = now }) => until >= now) };
		}
		return { kind: "unreadable", reason: "it is not an answers file, or its version is newer" };
	} catch {
		return { kind: "unreadable", reason: "it is not JSON" };
	}
}

/** Writes the answers. Throws if that fails. */
export function writeAnswers(file: string, answers: readonly StoredAnswer[]): void {
	mkdirSync(dirname(file), { recursive: true });
	const kept = answers.slice(-MAX_ANSWERS);
	replaceFileSync(file, `${JSON.stringify({ version: 1, answers: kept }, undefined, "\t")}\n`);
}

function isAnswer(value: unknown): value is StoredAnswer {
	const { answer, subject, at, until } = (value ?? {}) as Record<string, unknown>;
	const { tool, text, folder, reach, rules } = (subject ?? {}) as Record<string, unknown>;
	return (
		(answer === "yes" || answer === "no") &&
		(until === undefined || typeof until === "string") &&
		[at, tool, text, folder, reach].every((part) => typeof part === "string" && part !== "") &&
		Array.isArray(rules) &&
		rules.length > 0 &&
		rules.every((rule) => typeof rule === "string")
	);
}
