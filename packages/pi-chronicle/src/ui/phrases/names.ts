// Names, marks and times as every screen writes them, and the words of printed commands. Pure except for the time zone.
import { singleLine, truncate } from "@pi-chronicle/core/definition";
import type { Run } from "@pi-chronicle/core/machine";
import type { CommandPlan } from "@pi-chronicle/core/template";

/** A command as a title: its beginning, on one line. */
export function commandTitle({ line }: CommandPlan): string {
	return truncate(singleLine(line), 60);
}

/** Marks of the breadcrumbs, by meaning. */
export const marks = {
	done: "✓",
	working: "●",
	waiting: "?",
	paused: "‖",
	delayed: "◷",
	failed: "✗",
	refused: "⊘",
	human: "!",
	released: "↩",
	undone: "↶",
	todo: " ",
} as const;

export type Mark = keyof typeof marks;

/** What a mark means. */
export const markWords: Readonly<Record<Mark, string>> = {
	done: "done",
	working: "at work",
	waiting: "waits for you",
	paused: "paused",
	delayed: "waits for the provider",
	failed: "failed",
	refused: "a move was refused",
	human: "waits for your decision",
	released: "released",
	undone: "undone by a rewind",
	todo: "not visited",
};

/** The name of the run's template: its own name, else the name of its file. */
export function templateNameOf({ plan, template }: Pick<Run, "plan" | "template">): string {
	return plan.name === "" ? template.name : plan.name;
}

/** The template's name, with the child's name before it. */
export function runTitle(run: Pick<Run, "plan" | "template" | "parent">): string {
	return run.parent ? `${run.parent.name} · ${templateNameOf(run)}` : templateNameOf(run);
}

/** `red-team_assessment` → `Red team assessment`. */
export function titleOf(state: string): string {
	const words = state.replace(/[-_\s]+/g, " ").trim();
	return words.charAt(0).toUpperCase() + words.slice(1);
}

/** An ISO 8601 time as `09:41:07` in local time; any other text unchanged. */
export function clockTime(at: string): string {
	const time = new Date(at);
	if (Number.isNaN(time.getTime())) return at;
	return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
}

/** An ISO 8601 time as `2030-01-31 09:41` in local time; any other text unchanged. */
export function dayTime(at: string): string {
	const time = new Date(at);
	if (Number.isNaN(time.getTime())) return at;
	const two = (part: number): string => String(part).padStart(2, "0");
	return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${clockTime(at).slice(0, 5)}`;
}

/** An ISO 8601 time as `09:41` in local time, with the day if that is not the one of `near`; any other text unchanged. */
export function timeOf(at: string, near = at): string {
	const time = new Date(at);
	if (Number.isNaN(time.getTime())) return at;
	return time.toDateString() === new Date(near).toDateString() ? clockTime(at).slice(0, 5) : dayTime(at);
}

/** A word as it stands in a printed command: as it is, or in single quotes. */
export function commandWord(text: string): string {
	return /^[\p{L}\p{N}_@+=:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

interface TypedWord {
	readonly text: string;
	readonly start: number;
	readonly end: number;
}

/** The words of a line: separated by white space; what {@link commandWord} has quoted is one word, other quotes are text. */
export function typedWords(line: string): TypedWord[] {
	return [...line.matchAll(/(?<!\S)'(?:[^']|'\\'')*'(?!\S)|\S+/g)].map(({ 0: written, index }) => ({
		text: unquoted(written),
		start: index,
		end: index + written.length,
	}));
}

function unquoted(written: string): string {
	return /^'(?:[^']|'\\'')*'$/.test(written) ? written.slice(1, -1).replaceAll("'\\''", "'") : written;
}
