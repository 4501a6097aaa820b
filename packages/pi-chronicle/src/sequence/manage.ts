// `/sequence list|show|save|edit|delete`: manages the project's saved sequences. Nothing saved is overwritten or removed without asking.
import { existsSync, rmSync } from "node:fs";
import { relative } from "node:path";
import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { counted, didYouMean, errorMessage, formatDiagnostics } from "@pi-chronicle/core/definition";
import { askUser, definitionsTrusted, exitCodes, rejectCommand, say } from "../pi/index.ts";
import { previewLines } from "./preview.ts";
import type { SequenceSnapshot } from "./recorded.ts";
import { rulesText } from "./repeat.ts";
import {
	nameMistake,
	type SavedSequence,
	type SequenceLocation,
	savedSequences,
	sequenceFolder,
	writeSaved,
} from "./saved.ts";
import type { SequenceFile } from "./sequence-file.ts";

/** A saved sequence whose file is valid. */
export type UsableSequence = SavedSequence & { readonly sequence: SequenceFile };

export function sequenceLocation(ctx: ExtensionCommandContext): SequenceLocation {
	return { cwd: ctx.cwd, trusted: definitionsTrusted(ctx) };
}

/** `/sequence list`. */
export function listSequences(ctx: ExtensionCommandContext, last: SequenceSnapshot | undefined): void {
	const place = sequenceLocation(ctx);
	const saved = savedSequences(place);
	const rows = saved.map(({ name, sequence }) => {
		if (sequence === undefined) return `${name} · invalid`;
		const { steps, description } = sequence;
		return `${name} · ${counted(steps.length, "step")}${description === undefined ? "" : ` · ${description}`}`;
	});
	const recording =
		last === undefined
			? "This session has no recording."
			: `This session's recording: ${counted(last.steps.length, "step")}.`;
	const head =
		saved.length === 0 ? "No saved sequences; /sequence save <name> saves the recording." : "Saved sequences:";
	say(ctx, [head, ...rows, recording, ...trustHint(place)].join("\n"));
	tellProblems(ctx, saved);
}

/** The saved sequence called `name`. If there is none, or it is not usable, the user sees the reason. */
export function findSaved(ctx: ExtensionCommandContext, name: string): UsableSequence | undefined {
	const place = sequenceLocation(ctx);
	const all = savedSequences(place);
	const saved = all.find((one) => one.name === name);
	if (saved === undefined) {
		const names = all.map((one) => one.name);
		const known = names.length === 0 ? "There are no saved sequences." : `Saved sequences: ${names.join(", ")}.`;
		rejectCommand(
			ctx,
			[`There is no sequence "${name}".${didYouMean(name, names)} ${known}`, ...trustHint(place)].join("\n"),
		);
		return undefined;
	}
	if (saved.sequence === undefined) {
		rejectCommand(ctx, formatDiagnostics(saved.diagnostics, ctx.cwd).join("\n"));
		return undefined;
	}
	tellProblems(ctx, [saved]);
	return { ...saved, sequence: saved.sequence };
}

/** `/sequence show <name>`. */
export function showSaved(ctx: ExtensionCommandContext, name: string): void {
	const saved = findSaved(ctx, name);
	if (saved === undefined) return;
	const { steps, runs } = saved.sequence;
	const rules = rulesText(saved.sequence);
	say(ctx, [...previewLines(steps), ...(rules === "" ? [] : [`${counted(runs, "run")}${rules}`])].join("\n"));
}

/** `/sequence save <name>`: saves the session's recording as a file of the project. */
export async function saveRecording(
	ctx: ExtensionCommandContext,
	name: string,
	last: SequenceSnapshot | undefined,
): Promise<void> {
	if (last === undefined) return rejectCommand(ctx, "This session's branch has no recorded sequence to save.");
	const mistake = nameMistake(name);
	if (mistake !== undefined) return rejectCommand(ctx, mistake);
	const place = sequenceLocation(ctx);
	if (!place.trusted)
		return rejectCommand(
			ctx,
			"This project is not trusted, so sequences in its .pi/sequences are not read. /trust changes that.",
		);
	const old = savedSequences(place).find((one) => one.name === name);
	if (old !== undefined) {
		const answer = await askUser(ctx, {
			title: `Replace the sequence "${name}"?`,
			message:
				old.sequence === undefined ? "Its file is not a valid sequence." : previewLines(old.sequence.steps).join("\n"),
			words: { no: "No, keep it", yes: "Yes, replace its steps" },
		});
		if (answer === "nobody")
			return rejectCommand(ctx, `A sequence "${name}" already exists; delete it first or choose another name.`);
		if (answer === "no") return;
	}
	store(ctx, place, name, last.steps, old);
}

/** Writes the steps and shows the path. */
export function store(
	ctx: ExtensionCommandContext,
	place: SequenceLocation,
	name: string,
	steps: readonly string[],
	old: SavedSequence | undefined,
): void {
	try {
		const file = writeSaved(place, name, steps, old);
		say(ctx, `Saved "${name}" in ${relative(ctx.cwd, file)}. Run it with /sequence run ${name}.`);
	} catch (error) {
		rejectCommand(ctx, `"${name}" could not be saved: ${errorMessage(error)}`, { code: exitCodes.failed });
	}
}

/** `/sequence delete <name>`. If the user cannot be asked, the command itself is the confirmation. */
export async function deleteSequence(ctx: ExtensionCommandContext, name: string): Promise<void> {
	const saved = savedSequences(sequenceLocation(ctx)).find((one) => one.name === name);
	if (saved === undefined) {
		findSaved(ctx, name);
		return;
	}
	const answer = await askUser(ctx, {
		title: `Delete the sequence "${name}"?`,
		message: `${relative(ctx.cwd, saved.file)}\n${previewLines(saved.sequence?.steps ?? []).join("\n")}`,
		words: { no: "No, keep it", yes: "Yes, delete it" },
	});
	if (answer === "no") return;
	try {
		rmSync(saved.file);
		say(ctx, `Deleted ${relative(ctx.cwd, saved.file)}.`);
	} catch (error) {
		rejectCommand(ctx, `"${name}" could not be deleted: ${errorMessage(error)}`, { code: exitCodes.failed });
	}
}

function tellProblems(ctx: ExtensionCommandContext, saved: readonly SavedSequence[]): void {
	const found = saved.flatMap(({ diagnostics }) => diagnostics);
	if (found.length > 0) say(ctx, formatDiagnostics(found, ctx.cwd).join("\n"), "warning");
}

function trustHint({ cwd, trusted }: SequenceLocation): string[] {
	if (trusted || !existsSync(sequenceFolder(cwd))) return [];
	return ["This project is not trusted, so the sequences in its .pi/sequences are not read. /trust changes that."];
}
