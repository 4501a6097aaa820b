// Converts the files of an import into drafts: agents first, because other definitions name them. Lists files that cannot be converted, with the reason.
import { basename, dirname, join } from "node:path";
import { formatDiagnostic, isInside } from "@pi-chronicle/core/definition";
import type { Project } from "../../local/index.ts";
import { loadAgentRegistry } from "../../persona/index.ts";
import type { ImportDraft, ImportTarget } from "./draft.ts";
import { ImportRefusal } from "./plain-value.ts";
import { type Recognition, recognise } from "./recognise.ts";
import type { ImportSources } from "./sources.ts";

/** A file that was not converted. */
export interface LeftFile {
	/** Absolute. */
	readonly file: string;
	/** One sentence. */
	readonly reason: string;
}

export interface Gathered {
	/** Each with files of its own; workflows may share a phase. */
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

/** `project`: the project that the definitions are imported into. `plan`: the command that drafts a definition from a file. */
export function gatherDrafts(project: Project, sources: ImportSources, plan: (file: string) => string): Gathered {
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
	const strays = sources.elsewhere.filter((file) => attempt(file, () => recognise(file, sources))?.kind === "made");
	refused.push(
		...strays.map((file) => ({
			file,
			reason: "It lies where no tool looks for definitions. To import it, name its folder.",
		})),
		...files.flatMap(([file, each]) => refusedBy(file, each, plan, cwd)),
	);

	const texts = new Map<string, string>();
	const drafts: ImportDraft[] = [];
	const makeOne = (file: string, each: Extract<Recognition, { kind: "made" }>, target: ImportTarget): void => {
		const isTaken = (draft: ImportDraft): boolean =>
			draft.files.some(({ path, text }) => (texts.get(path) ?? text) !== text);
		const plain = each.make(target, "");
		const draft = isTaken(plain) ? each.make(target, `${basename(dirname(file))}-`) : plain;
		if (isTaken(draft))
			throw new ImportRefusal(
				`Another file of this import becomes ${draft.files[0]?.path} too: import them one after another, with --to.`,
			);
		for (const { path, text } of draft.files) texts.set(path, text);
		drafts.push(draft);
	};
	for (const order of ["agent", "other"] as const) {
		const target = importTarget(project, drafts);
		for (const [file, each] of files)
			if (each?.kind === "made" && each.order === order) attempt(file, () => makeOne(file, each, target));
	}

	const parts = new Set(drafts.flatMap((draft) => draft.parts ?? []));
	const rest = files.filter(([file]) => !parts.has(file));
	const read = agentsOf(project).map(({ origin }) => origin.file);
	const isRead = ({ copied, kind, from }: ImportDraft): boolean =>
		kind === "agent" ? read.includes(from) : copied === true && isInside(join(cwd, ".pi"), from);
	// A twin of an agent in place would become the same file.
	const inPlace = new Set(drafts.filter(isRead).flatMap(({ files: made }) => made.map(({ path }) => path)));
	const isInPlace = (draft: ImportDraft): boolean => draft.files.every(({ path }) => inPlace.has(path));
	return {
		drafts: drafts.filter((draft) => !isInPlace(draft)),
		refused,
		withoutCounterpart: rest.flatMap(([file, each]) =>
			each?.kind === "foreign" && each.format.use !== "plan" ? [{ file, format: each.format.name }] : [],
		),
		inPlace: drafts.filter(isInPlace).map(({ from }) => from),
		unknown: rest.flatMap(([file, each]) => (each?.kind === "unknown" ? [file] : [])),
	};
}

/** A file that is broken, or of another tool. */
function refusedBy(
	file: string,
	each: Recognition | undefined,
	plan: (file: string) => string,
	cwd: string,
): readonly LeftFile[] {
	if (each?.kind === "broken") return [{ file, reason: formatDiagnostic(each.problem, cwd) }];
	if (each?.kind !== "foreign" || each.format.use !== "plan") return [];
	return [{ file, reason: `This is ${each.format.name}. To draft a definition from it: ${plan(file)}` }];
}

/** The agents that the project reads. An agent of a folder above is found by its name too, but is not part of the project. */
function agentsOf({ place: { cwd, home, agentFolder } }: Project) {
	const { agents } = loadAgentRegistry({ cwd, home, agentFolder, project: "trusted" });
	return agents.filter(({ origin }) => origin.tier !== "project" || isInside(cwd, origin.file));
}

/** What exists in the project, and the agents of the import. */
function importTarget(project: Project, made: readonly ImportDraft[]): ImportTarget {
	const known = agentsOf(project);
	const imported = made.filter(({ kind }) => kind === "agent");
	return { cwd: project.place.cwd, agents: new Set([...known, ...imported].map(({ name }) => name.toLowerCase())) };
}
