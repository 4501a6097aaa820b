// The result of an import as plain lines.

import { counted, formatPath, singleLine, truncate } from "@pi-chronicle/core/definition";
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
	/** `page`: a page of pi's screen, which shows its beginning; `terminal`: text, of which the end stays in sight. */
	readonly shownOn: "page" | "terminal";
	/** The command that rehearses: `/rehearse` or `pi-chronicle rehearse`. */
	readonly rehearse: string;
	/** The project, absolute. */
	readonly cwd: string;
}

const maxListed = 10;
const maxWarnings = 3;
const longestNote = 160;

export function importLines({ gathered, imported, dryRun, shownOn, rehearse, cwd }: ImportResult): readonly string[] {
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
	const result = [
		summary(imported.length, refused.length, dryRun),
		...(names[0] !== undefined && !dryRun ? [`Try it without a model: ${rehearse} ${names[0]} <task>`] : []),
	];
	const details = [
		...imported.flatMap((each) => draftLines(each, show)),
		...refused.map(({ file, reason }) => `✗ ${show(file)}: ${singleLine(reason)}`),
		...section(
			"These have no counterpart here and stay unchanged:",
			withoutCounterpart.map(({ file, format }) => `${show(file)}: ${format}`),
		),
		...section("Already part of the project:", inPlace.map(show)),
		...section("In an unknown format:", firstItems(unknown, maxListed).map(show)),
	];
	return shownOn === "page" ? [...result, "", ...details] : [...details, ...result];
}

function isRunnable({ kind }: ImportDraft): boolean {
	return kind === "workflow" || kind === "chronicle template";
}

function draftLines({ draft, warnings }: ImportedDraft, show: (file: string) => string): readonly string[] {
	const { kind, files, from, format, notes } = draft;
	const [main, ...others] = files;
	const more = others.length === 0 ? "" : ` and ${others.length} more`;
	const listed = notes.map((note) => `      ${clipped(note)}`);
	return [
		`✓ ${main?.path ?? ""}${more}: ${kind}, from ${show(from)} (${format})`,
		...(listed.length === 0 ? [] : ["    Without a counterpart:", ...listed]),
		...firstItems(warnings, maxWarnings).map((warning) => `    warning: ${clipped(singleLine(warning))}`),
	];
}

function clipped(text: string): string {
	return truncate(text, longestNote);
}

function section(title: string, items: readonly string[]): readonly string[] {
	return items.length === 0 ? [] : [title, ...items.map((item) => `  ${item}`)];
}

function firstItems(items: readonly string[], max: number): readonly string[] {
	return items.length <= max ? items : [...items.slice(0, max), `… and ${items.length - max} more`];
}

function summary(made: number, refused: number, dryRun: boolean): string {
	const what = `${counted(made, "definition")} ${dryRun ? "would be written" : "written"}`;
	return refused === 0 ? `${what}.` : `${what}, ${refused} not imported.`;
}
