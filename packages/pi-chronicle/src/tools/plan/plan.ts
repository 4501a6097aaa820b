// A plan: a draft that passed, with its task and its preview.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { errorMessage } from "@pi-chronicle/core/definition";
import { writeTogether } from "../../disk/index.ts";
import type { DefinitionDraft, ReadDraft } from "./draft.ts";
import type { Usage } from "./estimate.ts";
import { type Examination, examineDraft, type PlanHost } from "./examine.ts";
import { planLines } from "./preview.ts";

export interface Plan {
	readonly task: string;
	readonly draft: DefinitionDraft;
	/** The name that starts it. */
	readonly command: string;
	/** The preview, as text. */
	readonly lines: readonly string[];
	/** Usage of the drafting. */
	readonly usage: Usage;
}

/** Turns a draft into a plan, or reports all of its problems. Throws as {@link examineDraft} does. */
export async function makePlan(
	task: string,
	read: ReadDraft,
	usage: Usage,
	host: PlanHost,
	signal: AbortSignal,
): Promise<Plan | Extract<Examination, { kind: "problems" }>> {
	const draft = read.kind === "draft" ? read.draft : read.rest;
	const known = read.kind === "problems" ? read.problems : [];
	if (!draft) return { kind: "problems", problems: known };
	const examined = await examineDraft(draft, task, host, signal, known);
	if (examined.kind === "problems") return examined;
	const lines = await planLines(task, draft, examined, usage);
	return { task, draft, command: examined.outline.command, lines, usage };
}

/** Writes the files of a draft into the project at `cwd`, all or none. Returns why none was written, as a sentence. */
export function saveDraft({ files }: DefinitionDraft, cwd: string): string | undefined {
	const taken = files.find(({ path }) => existsSync(join(cwd, path)));
	if (taken) return `${taken.path} exists by now, so nothing was written.`;
	try {
		writeTogether(
			files.map(({ path, text }) => ({ path: join(cwd, path), content: text })),
			"fail",
		);
	} catch (error) {
		return `The files cannot be written, so none was: ${errorMessage(error)}`;
	}
	return undefined;
}
