// The result of an import as plain lines.
import { formatPath, singleLine } from "../definition/index.ts";
import type { ImportDraft } from "./draft.ts";
import type { Gathered } from "./gather-drafts.ts";

export interface ImportedDraft {
	readonly draft: ImportDraft;
	/** The diagnostics of `check`. */
	readonly warnings: readonly string[];
}

export interface ImportResult {
	readonly gathered: Gathered;
	readonly imported: readonly ImportedDraft[];
	readonly dryRun: boolean;
	/** The project, absolute. */
	readonly cwd: string;
}

const maxListed = 10;
const longestNote = 160;

export function importLines({ gathered, imported, dryRun, cwd }: ImportResult): readonly string[] {
	const { refused, withoutCounterpart, inPlace, unknown } = gathered;
	const show = (file: string): string => singleLine(formatPath(file, cwd));
	const names = [
		...new Set(
			imported
				.map(({ draft }) => draft)
				.filter(isRunnable)
				.map(({ name }) => name),
		),
	];
	return [
		...imported.flatMap((each) => draftLines(each, show)),
		...refused.map(({ file, reason }) => `✗ ${show(file)}: ${singleLine(reason)}`),
		...section(
			"These have no counterpart here and stay unchanged:",
			withoutCounterpart.map(({ file, format }) => `${show(file)}: ${format}`),
		),
		...section("Already part of the project:", inPlace.map(show)),
		...section("In an unknown format:", shortened(unknown).map(show)),
		summary(imported.length, refused.length, dryRun),
		...(names[0] !== undefined && !dryRun ? [`Try it without a model: pi-chronicle rehearse ${names[0]} <task>`] : []),
	];
}

function isRunnable({ kind }: ImportDraft): boolean {
	return kind === "workflow" || kind === "chronicle template";
}

function draftLines({ draft, warnings }: ImportedDraft, show: (file: string) => string): readonly string[] {
	const { kind, files, from, format, notes } = draft;
	const [main, ...others] = files;
	const more = others.length === 0 ? "" : ` and ${others.length} more`;
	const listed = notes.map(({ where, what }) => `      ${where === "" ? "" : `${where}: `}${clipped(what)}`);
	return [
		`✓ ${main?.path ?? ""}${more}: ${kind}, from ${show(from)} (${format})`,
		...(listed.length === 0 ? [] : ["    Without a counterpart:", ...listed]),
		...shortened(warnings).map((warning) => `    warning: ${clipped(singleLine(warning))}`),
	];
}

function clipped(text: string): string {
	return text.length > longestNote ? `${text.slice(0, longestNote - 1)}…` : text;
}

function section(title: string, items: readonly string[]): readonly string[] {
	return items.length === 0 ? [] : [title, ...items.map((item) => `  ${item}`)];
}

function shortened(items: readonly string[]): readonly string[] {
	return items.length <= maxListed ? items : [...items.slice(0, maxListed), `… and ${items.length - maxListed} more`];
}

function summary(made: number, refused: number, dryRun: boolean): string {
	const what = `${made} ${made === 1 ? "definition" : "definitions"} ${dryRun ? "would be written" : "written"}`;
	return refused === 0 ? `${what}.` : `${what}, ${refused} not imported.`;
}
