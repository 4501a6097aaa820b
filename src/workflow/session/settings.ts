// What a person may set for all workflows: `"chronicle": { "workflow": { "countdown": 3, "reminders": 3 } }` in pi's settings.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { chronicleSettings } from "../../pi/index.ts";

export interface WorkflowSettings {
	/** Seconds before the model is told to go on, where a person sees it. */
	readonly countdown: number;
	/** Reminders in a row, without any work between them, before the workflow is paused. */
	readonly reminders: number;
}

/** The settings in force now; a value that makes no sense is passed over. */
export function workflowSettings(pi: Pick<ExtensionAPI, "getSettings">): WorkflowSettings {
	const { workflow } = chronicleSettings(pi);
	const written = (typeof workflow === "object" && workflow !== null ? workflow : {}) as Record<string, unknown>;
	const whole = (value: unknown, from: number, to: number, standard: number) =>
		Number.isInteger(value) && (value as number) >= from && (value as number) <= to ? (value as number) : standard;
	return { countdown: whole(written.countdown, 0, 60, 3), reminders: whole(written.reminders, 0, 20, 3) };
}
