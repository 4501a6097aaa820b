// The warning about an order that its agent cannot follow. Pure.
import type { Diagnostic, Place } from "../../definition/index.ts";
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
