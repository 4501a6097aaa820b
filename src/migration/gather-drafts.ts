// Converts the files of an import into drafts: agents first, because other definitions name them. Lists files that cannot be converted, with the reason.
import { join } from "node:path";
import type { Project } from "../chronicle/index.ts";
import { formatDiagnostic, isInside } from "../definition/index.ts";
import { findSkill, loadAgentRegistry, skillPlaces } from "../persona/index.ts";
import { type ImportDraft, ImportRefusal } from "./draft.ts";
import { type Recognition, recognise } from "./recognise.ts";
import type { ImportSources } from "./sources.ts";
import type { ImportTarget } from "./worker-fields.ts";

/** A file that was not converted. */
export interface LeftFile {
	/** Absolute. */
	readonly file: string;
	/** One sentence. */
	readonly reason: string;
}

export interface Gathered {
	readonly drafts: readonly ImportDraft[];
	/** Files that could not be converted. */
	readonly refused: readonly LeftFile[];
	/** Files of other tools without a counterpart here. */
	readonly withoutCounterpart: readonly { readonly file: string; readonly format: string }[];
	/** Definitions that are already in the project. */
	readonly inPlace: readonly string[];
	/** Files in an unknown format. */
	readonly unknown: readonly string[];
}

/** `project`: the project that the definitions are imported into. */
export function gatherDrafts(project: Project, sources: ImportSources): Gathered {
	const refused: LeftFile[] = [];
	const attempt = <T>(file: string, make: () => T): T | undefined => {
		try {
			return make();
		} catch (error) {
			if (!(error instanceof ImportRefusal)) throw error;
			refused.push({ file, reason: error.message });
			return undefined;
		}
	};
	const { cwd } = project.place;
	const files = sources.files.map((file) => [file, attempt(file, () => recognise(file, sources))] as const);
	const broken = files.flatMap(([, each]) => (each?.kind === "broken" ? [each.problem] : []));
	for (const problem of broken) refused.push({ file: problem.file, reason: formatDiagnostic(problem, cwd) });

	const drafts: ImportDraft[] = [];
	const makeAll = (order: "agent" | "other", target: ImportTarget): void => {
		for (const [file, each] of files)
			if (each?.kind === "made" && each.order === order) drafts.push(...(attempt(file, () => each.make(target)) ?? []));
	};
	makeAll("agent", targetOf(project, []));
	makeAll("other", targetOf(project, drafts));

	const parts = new Set(drafts.flatMap((draft) => draft.parts ?? []));
	const isInPlace = ({ copied, from }: ImportDraft): boolean => copied === true && isInside(join(cwd, ".pi"), from);
	return {
		drafts: drafts.filter((draft) => !isInPlace(draft)),
		refused,
		withoutCounterpart: files.flatMap(([file, each]) => (parts.has(file) ? [] : withoutCounterpart(file, each))),
		inPlace: drafts.filter(isInPlace).map(({ from }) => from),
		unknown: files.flatMap(([file, each]) => (each?.kind === "unknown" && !parts.has(file) ? [file] : [])),
	};
}

function withoutCounterpart(file: string, each: Recognition | undefined) {
	return each?.kind === "without counterpart" ? [{ file, format: each.format }] : [];
}

/** What exists in the project, and the agents of the import. */
function targetOf({ place }: Project, made: readonly ImportDraft[]): ImportTarget {
	const { cwd, home, agentFolder } = place;
	const { agents } = loadAgentRegistry({ cwd, home, agentFolder, project: "trusted" });
	// An agent of a folder above is found by its name too, but is not part of the project.
	const known = agents.filter(({ origin }) => origin.tier !== "project" || isInside(cwd, origin.file));
	const imported = made.filter(({ kind }) => kind === "agent");
	const skills = skillPlaces([cwd], agentFolder, home);
	return {
		agents: new Set([...known, ...imported].map(({ name }) => name.toLowerCase())),
		hasSkill: (name) => findSkill(name, cwd, skills) !== undefined,
	};
}
