// Reads one workflow with its phase files; references to other workflows are not resolved yet.
import { basename, dirname, join } from "node:path";
import {
	type Diagnostic,
	nearest,
	openReport,
	type Place,
	type Problem,
	quoted,
	type Report,
	readSource,
} from "@pi-chronicle/core/definition";
import { folderNames } from "../../disk/index.ts";
import type { Mention, Phase, Reference, Rejection, WorkflowDefinition, WorkflowTier } from "./definition.ts";
import { locateEntry, type RealDirectories } from "./entry-path.ts";
import type { PhaseReader } from "./phase-file.ts";
import type { Candidate } from "./scan.ts";
import { type PlacedEntry, readWorkflow } from "./workflow-file.ts";

interface PlacedReference {
	readonly key: string;
	readonly place: Place;
}

type FileEntry = Extract<PlacedEntry, { kind: "file" }>;

export interface Draft extends Rejection {
	readonly depth: "direct" | "nested";
	/** `undefined` if an error prevents it from loading. */
	readonly definition: WorkflowDefinition | undefined;
	readonly references: readonly PlacedReference[];
	readonly commandPlace: Place;
	readonly mentions: readonly Mention[];
}

/** Reads a workflow and its phase files. */
export function draftWorkflow(
	candidate: Candidate,
	tier: WorkflowTier,
	readPhaseFile: PhaseReader,
	realDirectory: RealDirectories,
): Draft {
	const { key, depth, file } = candidate;
	const report = openReport();
	const draft = (read: Partial<Draft>): Draft => ({
		key,
		tier,
		depth,
		file,
		definition: undefined,
		references: [],
		commandPlace: { file },
		mentions: [],
		diagnostics: report.diagnostics,
		...read,
	});

	const found = readSource(file);
	if (found.kind !== "text") {
		report.add([found.kind === "problem" ? found.diagnostic : missingFile(file)]);
		return draft({});
	}
	const { fields, entries: written, commandPlace, diagnostics } = readWorkflow(found.source);
	report.add(diagnostics);
	const { entries, references, mentions } = readDraftEntries(written, candidate, {
		readPhaseFile,
		realDirectory,
		report,
	});
	if (!fields || report.failed) return draft({ references, commandPlace, diagnostics: report.diagnostics });
	const { phases: _, commandName, initialMessage, ...rest } = fields;
	const definition: WorkflowDefinition = Object.freeze({
		...rest,
		key,
		commandName: commandName?.trim() ? commandName : undefined,
		initialMessage: initialMessage ?? "",
		entries: Object.freeze(entries),
		tier,
		file,
	});
	return draft({ definition, references, commandPlace, mentions, diagnostics: report.diagnostics });
}

interface EntryReading {
	readonly readPhaseFile: PhaseReader;
	readonly realDirectory: RealDirectories;
	readonly report: Report;
}

interface EntriesRead {
	readonly entries: (Phase | Reference)[];
	readonly references: PlacedReference[];
	readonly mentions: Mention[];
}

/** Reads the phase files that the entries of one workflow name. */
function readDraftEntries(written: readonly PlacedEntry[], candidate: Candidate, reading: EntryReading): EntriesRead {
	const read: EntriesRead = { entries: [], references: [], mentions: [] };
	const paths = new Map<string, string>();
	const reported = new Set<string>();
	for (const entry of written) {
		if (entry.kind === "reference") {
			read.entries.push(Object.freeze({ kind: "reference", key: entry.key }));
			read.references.push({ key: entry.key, place: entry.place });
			continue;
		}
		const found = readPhaseEntry(entry, candidate, reported, reading);
		if (!found) continue;
		const { phase, mentions } = found;
		const earlier = paths.get(phase.id);
		if (earlier === undefined) paths.set(phase.id, entry.path);
		else reading.report.error(entry.place, duplicatePhase(candidate.key, phase.id, earlier, entry.path));
		read.entries.push(phase);
		read.mentions.push(...mentions);
	}
	return read;
}

/** Reads the phase file that an entry names, or reports why it cannot. `reported`: files whose problems are already in the report. */
function readPhaseEntry(
	entry: FileEntry,
	candidate: Candidate,
	reported: Set<string>,
	{ readPhaseFile, realDirectory, report }: EntryReading,
): { readonly phase: Phase; readonly mentions: readonly Mention[] } | undefined {
	const located = locateEntry(entry.path, candidate, realDirectory);
	if (located.kind === "refused") {
		report.error(entry.place, located.problem);
		return undefined;
	}
	const { file } = located;
	const found = located.kind === "absent" ? located : readPhaseFile(file, located.real);
	if (found.kind === "absent") {
		report.error(entry.place, absent(entry, file));
		return undefined;
	}
	const diagnostics = found.kind === "problem" ? [found.diagnostic] : found.read.diagnostics;
	if (!reported.has(file)) report.add(diagnostics);
	reported.add(file);
	const phase = found.kind === "read" ? found.read.phase : undefined;
	if (found.kind === "read" && phase) return { phase, mentions: found.read.mentions };
	report.error(entry.place, phaseFailed(candidate.key, entry, diagnostics));
	return undefined;
}

function duplicatePhase(key: string, id: string, earlier: string, path: string): Problem {
	return {
		code: "duplicate-phase",
		...(earlier === path
			? {
					message: `Workflow ${quoted(key)} lists the phase file ${quoted(path)} twice.`,
					remedy: "Remove one of the two, or move the repeated part into its own workflow and refer to it twice.",
				}
			: {
					message: `Workflow ${quoted(key)} has two phases with the id ${quoted(id)}: ${quoted(earlier)} and ${quoted(path)}.`,
					remedy: "Give each phase of a workflow a unique `id`.",
				}),
	};
}

/** A workflow.yaml that was listed but cannot be found: a broken link, or removed in the meantime. */
function missingFile(file: string): Diagnostic {
	return {
		file,
		line: 1,
		column: 1,
		severity: "error",
		code: "broken-link",
		message: "The file is a broken link, or was just removed.",
		remedy: "Point the link at a file that exists, or remove it.",
	};
}

function absent(entry: FileEntry, file: string): Problem {
	const near = nearest(basename(file), folderNames(dirname(file)));
	const remedy = near
		? `Did you mean \`${join(dirname(entry.path), near)}\`?`
		: entry.path.includes("\\")
			? "Separate folders with `/`."
			: /[./]/.test(entry.path)
				? "Create it, or correct the path: it is relative to the folder of workflow.yaml."
				: `Create it; to run another workflow here write \`subworkflow: ${entry.path}\`.`;
	return { code: "absent-phase", message: `The phase file ${quoted(entry.path)} does not exist.`, remedy };
}

function phaseFailed(key: string, entry: FileEntry, diagnostics: readonly Diagnostic[]): Problem {
	const errors = diagnostics.filter(({ severity }) => severity === "error").length;
	return {
		code: "phase-failed",
		message: `Workflow ${quoted(key)} does not load because its phase file ${quoted(entry.path)} has ${errors === 1 ? "an error" : `${errors} errors`}.`,
		remedy: "Fix the phase file: its own problems are listed.",
	};
}
