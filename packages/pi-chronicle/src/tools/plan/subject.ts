// The file that a plan converts: a definition of another tool, which the words after `/plan` name first.
import { statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { foreignFile, readSource } from "@pi-chronicle/core/definition";
import { attempt } from "../../disk/index.ts";

export interface PlanSubject {
	/** As the user wrote it. */
	readonly path: string;
	/** The name of its format with the article; `undefined`: unknown. */
	readonly format: string | undefined;
	readonly text: string;
}

export interface PlanWords {
	/** The task of the run; empty if the words only name a file. */
	readonly task: string;
	readonly subject: PlanSubject | undefined;
}

const maxBytes = 200_000;

/**
 * Splits the words of a request. The first one is the subject if it names a file and stands alone, starts with `@`, or names a definition of
 * another tool; then the rest is the task. Returns why the file cannot be read, as a sentence.
 */
export function readPlanWords(words: string, cwd: string): PlanWords | string {
	const task = words.trim();
	const [, mark, quoted, plain, rest = ""] = /^(@?)(?:"([^"]+)"|(\S+))\s*([\s\S]*)$/.exec(task) ?? [];
	const path = quoted ?? plain;
	if (path === undefined) return { task, subject: undefined };
	const file = resolve(
		cwd,
		path.replace(/^~(?=\/)/, () => homedir()),
	);
	if (!attempt(() => statSync(file))?.isFile()) return { task, subject: undefined };
	const read = readSource(file, { maxBytes });
	const isMeant = mark === "@" || rest === "";
	if (read.kind !== "text") {
		if (!isMeant) return { task, subject: undefined };
		return read.kind === "absent" ? `${path} does not exist.` : `${path}: ${read.diagnostic.message}`;
	}
	const format = foreignFile(read.source)?.name;
	if (!isMeant && format === undefined) return { task, subject: undefined };
	return { task: rest.trim(), subject: { path, format, text: read.source.text } };
}
