// The record that an analysis writes while it walks: touches, runs, unknowns, each once, within bounds.
// R1 nothing is dropped silently: past a bound, one `syntax` unknown that may do anything stands for the rest.
import type { Access, Footprint, Run, Surroundings, Touch, Unknown } from "./footprint.ts";
import { followLinks, pathRules, temporaryFolders } from "./paths.ts";

/** Bounds of one footprint. They hold the worst case of any input to a fraction of a second. */
export const limits = {
	touches: 4000,
	runs: 1500,
	unknowns: 400,
	/** Parts of a command that are looked at; loops and functions count each time they are walked. */
	steps: 20_000,
	/** Names taken from directories while globs are matched. */
	names: 20_000,
	/** Shell text within shell text (`sh -c`, `eval`, functions, substitutions). */
	depth: 24,
	/** UTF-16 units of one command. */
	text: 1_000_000,
} as const;

export const everyAccess: readonly Access[] = ["read", "list", "write", "delete", "link"];

/** How a touch is made; absent means no. */
export interface TouchDetail {
	readonly recursive?: boolean;
	readonly replaces?: boolean;
	readonly only?: readonly string[];
	readonly skips?: Touch["skips"];
}

export interface Record {
	readonly around: Surroundings;
	/** Adds a touch of an absolute path, which may hold `..` that the kernel would follow through links. */
	touch(access: Access, path: string, by: string, detail?: TouchDetail): void;
	run(run: Run): void;
	unknown(unknown: Unknown): void;
	/** Says that a bound was reached: the rest may do anything. */
	overflow(why: string): void;
	/** Counts one part of the command; false once the bound is reached, and the walk must stop. */
	step(): boolean;
	/** Counts names taken from a directory; false once the bound is reached. */
	names(count: number): boolean;
	/** Whether something was written, linked or changed at or below a directory so far: what the disk says of it may be stale. */
	changed(directory: string): boolean;
	real(path: string): string;
	finish(tool: string): Footprint;
}

/** Opens an empty record. */
export function openRecord(around: Surroundings): Record {
	const touches = new Map<string, Touch>();
	const runs = new Map<string, Run>();
	const unknowns = new Map<string, Unknown>();
	const followed = new Map<string, string>();
	const written = new Set<string>();
	const rules = pathRules(around);
	let steps = 0;
	let names = 0;
	let overflown = false;

	const overflow = (why: string) => {
		if (overflown) return;
		overflown = true;
		unknowns.set("overflow", { what: "syntax", text: why, may: everyAccess });
	};
	return {
		around,
		overflow,
		real: (path) => followLinks(path, around, followed),
		touch(access, path, by, detail = {}) {
			const lexical = rules.normalize(path);
			const normal = lexical.length > 1 && lexical.endsWith(rules.sep) ? rules.resolve(lexical) : lexical;
			const { recursive = false, replaces = false, only, skips } = detail;
			const key = `${access}${recursive ? "+" : "-"}${replaces ? "!" : ""}${normal}\0${only?.join("\0") ?? ""}\0${skips?.join() ?? ""}`;
			if (touches.has(key)) return;
			if (touches.size >= limits.touches) return overflow("more paths than can be judged");
			if (access === "write" || access === "link") written.add(rules.dirname(normal));
			touches.set(key, {
				access,
				path: normal,
				real: followLinks(path, around, followed),
				recursive,
				...(replaces && { replaces }),
				...(only && { only }),
				...(skips && { skips }),
				by,
			});
		},
		run(run) {
			const key = `${run.elsewhere ? "@" : ""}${run.text}\0${run.effects.join()}\0${run.changes.join()}`;
			if (runs.has(key)) return;
			if (runs.size >= limits.runs) return overflow("more commands than can be judged");
			runs.set(key, run);
		},
		unknown(unknown) {
			const text = unknown.text.length > 200 ? `${unknown.text.slice(0, 199)}…` : unknown.text;
			const key = `${unknown.what}\0${text}\0${unknown.may.join()}\0${unknown.under ?? ""}\0${unknown.tail ?? ""}`;
			if (unknowns.has(key)) return;
			if (unknowns.size >= limits.unknowns) return overflow("more unknown words than can be judged");
			unknowns.set(key, { ...unknown, text });
		},
		step() {
			steps++;
			if (steps > limits.steps) overflow("a command longer than can be judged");
			return steps <= limits.steps;
		},
		names(count) {
			names += count;
			return names <= limits.names;
		},
		changed(directory) {
			if (written.size === 0) return false;
			return written.has(rules.normalize(directory));
		},
		finish: (tool) => ({
			tool,
			touches: [...touches.values()],
			runs: [...runs.values()],
			unknowns: [...unknowns.values()],
			temporary: temporaryFolders(around, (path) => followLinks(path, around, followed)),
		}),
	};
}
