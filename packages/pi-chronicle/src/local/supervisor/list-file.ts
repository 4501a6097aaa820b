// The file with the task list for which a state starts children.

import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { systemWords } from "@pi-chronicle/core/definition";
import { type ListOfFile, planOf } from "@pi-chronicle/core/machine";
import { readTaskList } from "@pi-chronicle/core/tasks";
import type { ExecutorContext } from "./executor-context.ts";

type FoundList = ListOfFile & { readonly missing?: true };

const maxBytes = 1_000_000;

/** The list in the file that `state` names, or why it cannot be read; `undefined`: the state names no file. */
export async function readListOf({ run, workspace }: ExecutorContext, state: string): Promise<ListOfFile | undefined> {
	const { children } = planOf(run(), state);
	if (!children?.fromFile || children.forEach === undefined) return undefined;
	const opened = await workspace.open();
	if (!opened.ok) return { problem: opened.failure.message };
	const { missing: _, ...list } = await readListFile(join(opened.value.cwd, children.forEach));
	return list;
}

/** Reads a task list from a file, absolute. `missing`: there is no such file. */
export async function readListFile(file: string): Promise<FoundList> {
	try {
		const { size } = await stat(file);
		if (size > maxBytes) return { problem: `has ${size} bytes, and a list can have at most ${maxBytes}` };
		return readTaskList(await readFile(file, "utf8"));
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		return code === "ENOENT"
			? { problem: "does not exist", missing: true }
			: { problem: `cannot be read (${systemWords(code)})` };
	}
}
