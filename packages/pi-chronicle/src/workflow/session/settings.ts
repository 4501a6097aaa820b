// User settings for all workflows: `"chronicle": { "workflow": { "countdown": 3, "reminders": 3, "snapshots": false } }`
// in pi's settings.

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { propertiesOf } from "@pi-chronicle/core/definition";
import { chronicleSettings } from "../../pi/index.ts";

export interface WorkflowSettings {
	/** Seconds of the visible countdown before the model is reminded to continue. */
	readonly countdown: number;
	/** Reminders in a row, without any work in between, before the workflow pauses. */
	readonly reminders: number;
	/** Whether the files are saved when a phase begins. */
	readonly snapshots: boolean;
}

/** The current settings; an invalid value falls back to its default. */
export function workflowSettings(pi: Pick<ExtensionAPI, "getSettings">): WorkflowSettings {
	const { workflow } = chronicleSettings(pi);
	const written = propertiesOf(workflow);
	const whole = (value: unknown, from: number, to: number, standard: number) =>
		Number.isInteger(value) && (value as number) >= from && (value as number) <= to ? (value as number) : standard;
	return {
		countdown: whole(written.countdown, 0, 60, 3),
		reminders: whole(written.reminders, 0, 20, 3),
		snapshots: written.snapshots === true,
	};
}
