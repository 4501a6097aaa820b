// One workflow with its phase files, before it is known whether what it refers to exists.
import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Diagnostic, nearest, openReport, type Place, quoted } from "../../definition/index.ts";
import type { Phase, Reference, ToolMention, WorkflowDefinition } from "./definition.ts";
import { locateEntry, type RealDirectories } from "./entry-path.ts";
import type { FileMemory } from "./file-memory.ts";
import type { PhaseRead } from "./phase-file.ts";
import type { Candidate } from "./scan.ts";
import type { PlacedEntry, WorkflowRead } from "./workflow-file.ts";

export interface PlacedReference {
	readonly key: string;
	readonly place: Place;
}

export interface Draft {
	readonly key: string;
	readonly tier: "global" | "project";
	readonly depth: "direct" | "nested";
	readonly file: string;
	/** `undefined` where an error keeps it from loading. */
	readonly definition: WorkflowDefinition | undefined;
	readonly references: readonly PlacedReference[];
	readonly commandPlace: Place;
	readonly mentions: readonly ToolMention[];
	/** Everything said about it and its phase files. */
	readonly diagnostics: readonly Diagnostic[];
}

export interface Memories {
	readonly workflows: FileMemory<WorkflowRead>;
	readonly phases: FileMemory<PhaseRead>;
}

/** Reads a workflow and its phase files. */
export function draftWorkflow(
	candidate: Candidate,
	tier: "global" | "project",
	{ workflows, phases }: Memories,
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

	const result = workflows.read(file);
	if (result.kind !== "value") {
		report.add([result.kind === "problem" ? result.diagnostic : gone(file)]);
		return draft({});
	}
	const { fields, entries: written, commandPlace, diagnostics } = result.value;
	report.add(diagnostics);

	const entries: (Phase | Reference)[] = [];
	const references: PlacedReference[] = [];
	const mentions: ToolMention[] = [];
	const seen = new Map<string, string>();
	const told = new Set<string>();
	for (const entry of written) {
		if (entry.kind === "reference") {
			entries.push(Object.freeze({ kind: "reference", key: entry.key }));
			references.push({ key: entry.key, place: entry.place });
			continue;
		}
		const located = locateEntry(entry.path, candidate, realDirectory);
		if (located.kind === "refused") {
			report.error(entry.place, located.problem);
			continue;
		}
		const read = located.kind === "absent" ? located : phases.read(located.file, located.real);
		if (read.kind === "absent") {
			report.error(entry.place, absent(entry, located.file));
			continue;
		}
		const said = read.kind === "problem" ? [read.diagnostic] : read.value.diagnostics;
		const phase = read.kind === "problem" ? undefined : read.value.phase;
		if (!told.has(located.file)) report.add(said);
		told.add(located.file);
		if (!phase) {
			report.error(entry.place, phaseFailed(key, entry, said));
			continue;
		}
		const earlier = seen.get(phase.id);
		if (earlier !== undefined)
			report.error(entry.place, {
				code: "duplicate-phase",
				message:
					earlier === entry.path
						? `Workflow ${quoted(key)} lists the phase file ${quoted(entry.path)} twice.`
						: `Workflow ${quoted(key)} has two phases with the id ${quoted(phase.id)}: ${quoted(earlier)} and ${quoted(entry.path)}.`,
				remedy:
					earlier === entry.path
						? "Remove one of the two, or make the repeated part a workflow of its own and refer to it twice."
						: "Give each phase of a workflow an `id` of its own.",
			});
		else seen.set(phase.id, entry.path);
		entries.push(phase);
		if (read.kind === "value") mentions.push(...read.value.mentions);
	}

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

/** A workflow.yaml that was listed and cannot be found: a link to nothing, or removed in between. */
function gone(file: string): Diagnostic {
	return {
		file,
		line: 1,
		column: 1,
		severity: "error",
		code: "broken-link",
		message: "The file is a link that leads nowhere, or it has just been removed.",
		remedy: "Point the link at a file that exists, or remove it.",
	};
}

function absent(
	entry: PlacedEntry & { kind: "file" },
	file: string,
): { code: string; message: string; remedy: string } {
	const near = nearest(basename(file), names(dirname(file)));
	const remedy = near
		? `Did you mean \`${join(dirname(entry.path), near)}\`?`
		: entry.path.includes("\\")
			? "Separate directories with `/`."
			: /[./]/.test(entry.path)
				? "Create it, or correct the path: it is relative to the directory of workflow.yaml."
				: `Create it; to run another workflow here write \`subworkflow: ${entry.path}\`.`;
	return { code: "absent-phase", message: `The phase file ${quoted(entry.path)} does not exist.`, remedy };
}

function names(directory: string): string[] {
	try {
		return readdirSync(directory).sort();
	} catch {
		return [];
	}
}

function phaseFailed(
	key: string,
	entry: PlacedEntry & { kind: "file" },
	said: readonly Diagnostic[],
): { code: string; message: string; remedy: string } {
	const errors = said.filter(({ severity }) => severity === "error").length;
	return {
		code: "phase-failed",
		message: `Workflow ${quoted(key)} does not load because its phase file ${quoted(entry.path)} has ${errors === 1 ? "an error" : `${errors} errors`}.`,
		remedy: "Fix the phase file: its own problems are listed.",
	};
}
