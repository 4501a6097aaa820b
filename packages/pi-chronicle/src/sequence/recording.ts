// The steps of an unfinished recording: add, edit, delete, move, with a selection. Pure; the editor and the preview draw it.
// No typed text is lost: a refused text stays in the editor; the original is unchanged until the recording is finished.
import { counted } from "@pi-chronicle/core/definition";
import { resolveStep } from "./resolve.ts";
import type { KnownCommand, StepRefusal } from "./step.ts";

export interface Recording {
	readonly steps: readonly string[];
	/** Index of the selected step, while the user navigates the steps. */
	readonly selected: number | undefined;
	/** Index of the step whose text is in the editor. */
	readonly editing: number | undefined;
	/** Notice for the user below the steps. */
	readonly notice: string | undefined;
}

export function startRecording(steps: readonly string[]): Recording {
	return { steps: [...steps], selected: undefined, editing: undefined, notice: undefined };
}

/** Adds `text` as a step, or replaces the edited step. Blank text changes nothing. */
export function enterStep(
	recording: Recording,
	text: string,
	commands: readonly KnownCommand[],
):
	| { kind: "entered" | "blank"; recording: Recording }
	| { kind: "refused"; recording: Recording; refusal: StepRefusal } {
	if (text.trim() === "") return { kind: "blank", recording: { ...recording, notice: undefined } };
	const step = resolveStep(text, commands);
	if (step.kind === "refused")
		return { kind: "refused", refusal: step, recording: { ...recording, notice: step.reason } };
	const { editing } = recording;
	const steps =
		editing === undefined
			? [...recording.steps, text]
			: recording.steps.map((old, index) => (index === editing ? text : old));
	return { kind: "entered", recording: { steps, selected: undefined, editing: undefined, notice: undefined } };
}

/** Moves the selection by `by`; moving past either end clears it. */
export function select(recording: Recording, by: 1 | -1): Recording {
	const { steps, selected } = recording;
	const next = selected === undefined ? (by === -1 ? steps.length - 1 : undefined) : selected + by;
	const inside = next !== undefined && next >= 0 && next < steps.length;
	return { ...recording, selected: inside ? next : undefined, notice: undefined };
}

/** Deletes the selected step; selects the next one, or the last one if there is no next. */
export function deleteSelected(recording: Recording): Recording {
	const { selected } = recording;
	if (selected === undefined) return recording;
	const steps = recording.steps.filter((_, index) => index !== selected);
	return { ...recording, steps, selected: steps.length === 0 ? undefined : Math.min(selected, steps.length - 1) };
}

/** Swaps the selected step with its neighbor. */
export function moveSelected(recording: Recording, by: 1 | -1): Recording {
	const { selected, steps } = recording;
	if (selected === undefined) return recording;
	const target = selected + by;
	const [here, there] = [steps[selected], steps[target]];
	if (here === undefined || there === undefined) return recording;
	const moved = steps.map((step, index) => (index === selected ? there : index === target ? here : step));
	return { ...recording, steps: moved, selected: target };
}

/** Starts editing the selected step. */
export function editSelected(recording: Recording): Recording {
	return { ...recording, editing: recording.selected, selected: undefined, notice: undefined };
}

/** The status line while recording. */
export function recordingStatus(recording: Recording): string {
	return `● recording sequence · ${counted(recording.steps.length, "step")} · ${recordingKeys(recording)}`;
}

/** Describes the keys while no step is selected. */
export function recordingKeys({ editing }: Recording): string {
	const enter = editing === undefined ? "Enter adds step" : `Enter replaces step ${editing + 1}`;
	return `${enter} · Ctrl+Enter finishes · Esc cancels`;
}
