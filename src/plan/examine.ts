// Checks and rehearses a draft on a copy of the project; the project itself stays unchanged.
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { checkProject, type ProjectCheck } from "../check/index.ts";
import { openProject, type ProjectEnvironment } from "../chronicle/index.ts";
import { formatDiagnostic } from "../definition/index.ts";
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

/** Examines a draft for `task`. Throws if the project cannot be copied, or if `signal` aborts. */
export async function examineDraft(
	draft: DefinitionDraft,
	task: string,
	host: PlanHost,
	signal: AbortSignal,
): Promise<Examination> {
	const { cwd, agentFolder, env = process.env } = host.place;
	const taken = draft.files.filter(({ path }) => existsSync(join(cwd, path)));
	if (taken.length > 0)
		return problems(
			taken.map(
				({ path }) =>
					`${path} already exists in the project, and existing files are not overwritten. Choose another name.`,
			),
		);
	const { openProjectCopy } = await loadRehearsal();
	const copy = await openProjectCopy({ project: cwd, agentFolder, config: {}, env });
	try {
		for (const { path, text } of draft.files) {
			await mkdir(dirname(join(copy.project, path)), { recursive: true });
			await writeFile(join(copy.project, path), text);
		}
		const project = openProject({ ...host.place, cwd: copy.project, trust: "trusted" });
		const wrong = problemsOf(await checkProject(project, []), draft, copy);
		if (wrong.length > 0) return problems(wrong);
		const outline = outlineOf(draft, project);
		if (typeof outline === "string") return problems([outline]);
		return await rehearseDraft(draft, task, outline, { ...host, copy }, signal);
	} finally {
		await copy.close();
	}
}

function problems(found: readonly string[]): Examination {
	return { kind: "problems", problems: found };
}

/** The check's diagnostics of the draft's files; warnings count too, because the draft is new. */
function problemsOf(checked: ProjectCheck, draft: DefinitionDraft, { project }: ProjectCopy): string[] {
	const own = new Set(draft.files.map(({ path }) => join(project, path)));
	const all = [...checked.findings.flatMap(({ diagnostics }) => diagnostics), ...checked.further];
	const found = all.filter(({ file }) => own.has(file));
	return [...new Set(found.map((each) => formatDiagnostic(each, project)))];
}

async function rehearseDraft(
	draft: DefinitionDraft,
	task: string,
	outline: Outline,
	{ place, packageRoot, copy }: PlanHost & { readonly copy: ProjectCopy },
	signal: AbortSignal,
): Promise<Examination> {
	const { agentFolder, pi, env = process.env } = place;
	const host = { cwd: copy.project, agentFolder, pi, packageRoot, env };
	const { plan, rehearse, closingLines } = await loadRehearsal();
	const planned = plan({ name: outline.command, task, scenario: undefined }, draft.kind, host);
	if (planned.kind === "unplayable") return problems([planned.message]);
	const limit = AbortSignal.timeout(rehearsalMs);
	const report = await rehearse(planned, host, { signal: AbortSignal.any([signal, limit]), afterwards: "remove" });
	signal.throwIfAborted();
	if (report.outcome !== "done") {
		const end = limit.aborted ? "The rehearsal took longer than 5 minutes." : closingLines(report).join("\n").trim();
		return problems([`The rehearsal did not reach the end. ${end}`]);
	}
	return { kind: "sound", outline, requests: report.parts.map(({ requests }) => requests), missed: report.missed };
}
