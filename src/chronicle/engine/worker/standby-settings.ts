// The settings of standbys: `"chronicle": { "standby": 2, "standbySeconds": 60 }` in pi's settings files; a trusted project's override the user's.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { anyObject } from "../shape.ts";
import type { StandbyLimits } from "./standby.ts";

const mostStandbys = 100;
const mostSeconds = 86_400;

/** Invalid values are ignored. */
export function standbySettings(place: {
	readonly cwd: string;
	readonly agentFolder: string;
	readonly trust: "trusted" | "untrusted";
}): StandbyLimits {
	const written = {
		...chronicleOf(join(place.agentFolder, "settings.json")),
		...(place.trust === "trusted" ? chronicleOf(join(place.cwd, ".pi", "settings.json")) : {}),
	};
	const number = (value: unknown, most: number, standard: number): number =>
		typeof value === "number" && value >= 0 && value <= most ? value : standard;
	return {
		most: Math.floor(number(written.standby, mostStandbys, 2)),
		waitMs: number(written.standbySeconds, mostSeconds, 60) * 1000,
	};
}

function chronicleOf(file: string): Readonly<Record<string, unknown>> {
	try {
		const settings: unknown = JSON.parse(readFileSync(file, "utf8"));
		const { chronicle } = anyObject(settings) ? (settings as { readonly chronicle?: unknown }) : {};
		return anyObject(chronicle) ? (chronicle as Readonly<Record<string, unknown>>) : {};
	} catch {
		return {};
	}
}
