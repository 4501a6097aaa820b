// A plan: a draft that passed, with its task and its preview.
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { DefinitionDraft } from "./draft.ts";
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

/** Turns a draft into a plan, or reports the draft's errors. Throws as {@link examineDraft} does. */
export async function makePlan(
	task: string,
	draft: DefinitionDraft,
	usage: Usage,
	host: PlanHost,
	signal: AbortSignal,
): Promise<Plan | Extract<Examination, { kind: "problems" }>> {
	const examined = await examineDraft(draft, task, host, signal);
	if (examined.kind === "problems") return examined;
	const lines = await planLines(task, draft, examined, usage);
	return { task, draft, command: examined.outline.command, lines, usage };
}

/** Writes the files of a draft into the project at `cwd`. Returns the path of a file that exists, in which case nothing is written. */
export async function saveDraft({ files }: DefinitionDraft, cwd: string): Promise<string | undefined> {
	const taken = files.find(({ path }) => existsSync(join(cwd, path)));
	if (taken) return taken.path;
	for (const { path, text } of files) {
		await mkdir(dirname(join(cwd, path)), { recursive: true });
		await writeFile(join(cwd, path), text, { flag: "wx" });
	}
	return undefined;
}
