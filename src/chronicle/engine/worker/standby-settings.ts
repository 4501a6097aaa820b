// The settings of standbys: `"chronicle": { "standby": 2, "standbySeconds": 60 }` in pi's settings files; a trusted project's override the user's.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { anyObject } from "../shape.ts";
import type { StandbyLimits } from "./standby.ts";

interface Setting {
	readonly standard: number;
	/** A greater number, or anything else than a number from 0 on, is ignored. */
	readonly most: number;
	/** Markdown. */
	readonly about: string;
}

const settings = {
	standby: {
		standard: 2,
		most: 100,
		about: "Workers that are kept ready at most, by all runs of this machine together; `0` turns it off.",
	},
	standbySeconds: {
		standard: 60,
		most: 86_400,
		about: "Seconds that a run may wait for you until its standby is given up.",
	},
} as const satisfies Readonly<Record<string, Setting>>;

/** The limits as the settings files say now. */
export function standbySettings(place: {
	readonly cwd: string;
	readonly agentFolder: string;
	readonly trust: "trusted" | "untrusted";
}): StandbyLimits {
	const written = {
		...chronicleOf(join(place.agentFolder, "settings.json")),
		...(place.trust === "trusted" ? chronicleOf(join(place.cwd, ".pi", "settings.json")) : {}),
	};
	const numberOf = (name: keyof typeof settings): number => {
		const value = written[name];
		const { standard, most } = settings[name];
		return typeof value === "number" && value >= 0 && value <= most ? value : standard;
	};
	return { most: Math.floor(numberOf("standby")), waitMs: numberOf("standbySeconds") * 1000 };
}

/** The settings as a Markdown table. */
export function standbyTable(): readonly string[] {
	const rows = Object.entries(settings).map(([name, { standard, most, about }]) => {
		return `| \`${name}\` | ${standard} | 0 to ${most.toLocaleString("en-US")} | ${about} |`;
	});
	return ["| setting | default | values | meaning |", "|---|---|---|---|", ...rows];
}

function chronicleOf(file: string): Readonly<Record<string, unknown>> {
	try {
		const read: unknown = JSON.parse(readFileSync(file, "utf8"));
		const { chronicle } = anyObject(read) ? (read as { readonly chronicle?: unknown }) : {};
		return anyObject(chronicle) ? (chronicle as Readonly<Record<string, unknown>>) : {};
	} catch {
		return {};
	}
}
