// Checks and rehearses a draft on a copy of the project; the project itself stays unchanged.
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { formatDiagnostics } from "@pi-chronicle/core/definition";
import { openProject, type Project, type ProjectEnvironment } from "../../local/index.ts";
import { checkProject } from "../check/index.ts";
import { loadRehearsal, type ProjectCopy } from "../rehearsal/index.ts";
import type { DefinitionDraft } from "./draft.ts";
import { type Outline, outlineOf } from "./outline.ts";

/** A project, and the package that rehearses in it. */
export interface PlanHost {
	readonly place: ProjectEnvironment;
	/** Root folder of this package. */
	readonly packageRoot: string;
}

/** A draft that passed. */
export interface Examined {
	readonly outline: Outline;
	/** Characters of the requests of each visit of the rehearsal. */
	readonly requests: readonly (readonly number[])[];
	/** States or phases that the rehearsal did not reach. */
	readonly missed: readonly string[];
}

export type Examination =
	| ({ readonly kind: "sound" } & Examined)
	/** Each with its place in the draft, for the model and the user. */
	| { readonly kind: "problems"; readonly problems: readonly string[] };

/** Milliseconds that a rehearsal may take. */
const rehearsalMs = 5 * 60_000;

/**
 * Examines a draft for `task`. `known`: problems that were found before; they are reported together with those of the files. Throws if the
 * project cannot be copied, or if `signal` aborts.
 */
export async function examineDraft(
	draft: DefinitionDraft,
	task: string,
	host: PlanHost,
	signal: AbortSignal,
	known: readonly string[] = [],
): Promise<Examination> {
	const { cwd, agentFolder, env = process.env } = host.place;
	const taken = draft.files.filter(({ path }) => existsSync(join(cwd, path)));
	const { openProjectCopy } = await loadRehearsal();
	const copy = await openProjectCopy({ project: cwd, agentFolder, config: {}, env });
	try {
		for (const { path, text } of draft.files) {
			await mkdir(dirname(join(copy.project, path)), { recursive: true });
			await writeFile(join(copy.project, path), text);
		}
		const project = openProject({ ...host.place, cwd: copy.project, trust: "trusted" });
		const wrong = [
			...known,
			...taken.map(
				({ path }) =>
					`${path} already exists in the project, and existing files are not overwritten. Choose another name.`,
			),
			...(await draftProblems(draft, project)),
		];
		if (wrong.length > 0) return problems(wrong);
		const outline = await outlineOf(draft, project);
		if (typeof outline === "string") return problems([outline]);
		// A sequence sends its steps as they are: there is nothing to rehearse.
		if (draft.kind === "sequence") return { kind: "sound", outline, requests: [], missed: [] };
		return await rehearseDraft({ ...draft, kind: draft.kind }, task, outline, { ...host, copy }, signal);
	} finally {
		await copy.close();
	}
}

function problems(found: readonly string[]): Examination {
	return { kind: "problems", problems: found };
}

/** What the check reports about the files of a draft in a project that contains them; warnings count too, because the draft is new. */
export async function draftProblems(draft: DefinitionDraft, project: Project): Promise<string[]> {
	const { cwd } = project.place;
	const checked = await checkProject(project, []);
	const own = new Set(draft.files.map(({ path }) => join(cwd, path)));
	const all = [...checked.findings.flatMap(({ diagnostics }) => diagnostics), ...checked.further];
	const found = all.filter(({ file }) => own.has(file));
	// Paths as they are in the draft.
	return [...new Set(formatDiagnostics(found, cwd).map((line) => line.replaceAll(`${cwd}${sep}`, "")))];
}

async function rehearseDraft(
	draft: DefinitionDraft & { readonly kind: "chronicle" | "workflow" },
	task: string,
	outline: Outline,
	{ place, packageRoot, copy }: PlanHost & { readonly copy: ProjectCopy },
	signal: AbortSignal,
): Promise<Examination> {
	const { agentFolder, pi, env = process.env } = place;
	const host = { cwd: copy.project, agentFolder, pi, packageRoot, env };
	const { plan, rehearse, closingLines } = await loadRehearsal();
	const sample = task || "Do what this definition is for.";
	const planned = plan({ name: outline.command, task: sample, scenario: undefined }, draft.kind, host);
	if (planned.kind === "unplayable") return problems([planned.message]);
	const limit = AbortSignal.timeout(rehearsalMs);
	const report = await rehearse(planned, host, { signal: AbortSignal.any([signal, limit]), afterwards: "remove" });
	signal.throwIfAborted();
	if (report.outcome !== "done") {
		const end = limit.aborted ? "The rehearsal took longer than 5m." : closingLines(report).join("\n").trim();
		return problems([`The rehearsal did not reach the end. ${end}`]);
	}
	return { kind: "sound", outline, requests: report.parts.map(({ requests }) => requests), missed: report.missed };
}
