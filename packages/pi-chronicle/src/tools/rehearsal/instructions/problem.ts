// The warning about an order that its agent cannot follow. Pure.

import { readFileSync } from "node:fs";
import type { Diagnostic } from "@pi-chronicle/core/definition";
import { type Node, openSource, type Place, parseJson, parseYaml, type Source } from "@pi-chronicle/core/definition";
import { attempt } from "../../../disk/index.ts";
import type { NeedKind } from "./needs.ts";

/** What an agent can do. */
export type Abilities = Readonly<Record<NeedKind, boolean>>;

const code = "cannot-follow";

const reasons: Readonly<Record<NeedKind, { readonly why: string; readonly remedy: string }>> = {
	shell: {
		why: "it may not run programs.",
		remedy: "Allow bash there, not limited to reading, or leave it to a state or phase that may.",
	},
	write: {
		why: "it may not change files.",
		remedy: "Allow edit and write there, or leave the change to a state or phase that may.",
	},
	worktree: {
		why: "it may not change the project, and a worktree is recorded in the project's repository.",
		remedy: "Clone the project to a temporary folder, or allow edit and write there.",
	},
	user: {
		why: "`questions: none` takes away the tool that asks the user.",
		remedy: "Remove `questions: none`, or do without the question.",
	},
	findings: {
		why: "no state before it can save findings.",
		remedy: "Say where they come from, or let an earlier state save them.",
	},
	tasks: {
		why: "no state before it can save pending tasks.",
		remedy: "Say where they come from, or let an earlier state save them.",
	},
};

/** The warning that `who` (`The state "review"`) cannot follow the order `words`. */
export function cannotFollow(who: string, kind: NeedKind, words: string, place: Place): Diagnostic {
	const { why, remedy } = reasons[kind];
	const order = words.replace(/\s+/g, " ");
	return { ...place, severity: "warning", code, message: `${who} is told "${order}", but ${why}`, remedy };
}

/** The warning about data of a state that cannot precede the reader. */
export function comesTooLate(who: string, reference: string, state: string, place: Place): Diagnostic {
	return {
		...place,
		severity: "warning",
		code,
		message: `${who} reads {output.${reference}}, but no path leads from "${state}" to it, so it is always empty.`,
		remedy: "Name a state that comes before it, or add the transition.",
	};
}

/** A file with definitions, parsed only when something has to be found in it. */
export interface Placed {
	/** The place of `words` below the node at `path`, or of that node, or of the file's beginning. */
	find(words: string, path: readonly string[]): Place;
}

export function openPlaces(file: string): Placed {
	let read: { readonly source: Source; readonly root: Node | undefined } | undefined;
	return {
		find(words, path) {
			read ??= readDefinition(file);
			const { source, root } = read;
			const from = offsetAt(root, path);
			const pattern = new RegExp(words.split(/\s+/).map(escapeText).join(String.raw`(?:\s|\\n)+`));
			const at = pattern.exec(source.text.slice(from))?.index;
			return source.place(from + (at ?? 0));
		},
	};
}

function readDefinition(file: string): { readonly source: Source; readonly root: Node | undefined } {
	const source = openSource(file, attempt(() => readFileSync(file, "utf8")) ?? "");
	if (/\.json$/i.test(file)) return { source, root: parseJson(source).root };
	return { source, root: /\.ya?ml$/i.test(file) ? parseYaml(source).root : undefined };
}

/** Offset of the node at `path`, or of the last one on the way to it that exists. */
function offsetAt(root: Node | undefined, path: readonly string[]): number {
	let node = root;
	for (const key of path) {
		const next = node?.kind === "map" ? node.entries.get(key)?.value : undefined;
		if (!next) break;
		node = next;
	}
	return node?.start ?? 0;
}

function escapeText(text: string): string {
	return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
