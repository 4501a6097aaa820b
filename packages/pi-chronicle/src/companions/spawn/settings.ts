// The settings of child sessions: `"chronicle": { "children": { "atOnce": 3, "minutes": 30 } }` in pi's settings.

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { propertiesOf } from "@pi-chronicle/core/definition";
import { chronicleSettings } from "../../pi/index.ts";

/** Ceilings of one child. */
export interface ChildCeilings {
	/** Working time; waiting for the user does not count. */
	readonly minutes: number;
	/** Total as pi computes it. */
	readonly tokens: number;
	/** USD. */
	readonly costUsd: number;
}

export interface ChildSettings extends ChildCeilings {
	/** Maximum number of concurrent children; others wait. */
	readonly atOnce: number;
	/** `provider/id`, tried in this order; if empty, the session's model. */
	readonly models: readonly string[];
}

/** The current settings; invalid values are ignored. */
export function childSettings(pi: Pick<ExtensionAPI, "getSettings">): ChildSettings {
	const { children } = chronicleSettings(pi);
	const written = propertiesOf(children);
	const number = (value: unknown, max: number, standard: number) =>
		typeof value === "number" && value > 0 && value <= max ? value : standard;
	const atOnce = number(written.atOnce, 100, 3);
	return {
		atOnce: Math.max(1, Math.floor(atOnce)),
		minutes: number(written.minutes, 1440, 30),
		tokens: number(written.tokens, 1e12, 5_000_000),
		costUsd: number(written.costUsd, 1e6, 5),
		models: modelNames(written.models ?? written.model),
	};
}

function modelNames(value: unknown): string[] {
	const names = Array.isArray(value) ? value : [value];
	return names.filter((name) => typeof name === "string" && /^[^/\s]+\/\S+$/.test(name));
}
