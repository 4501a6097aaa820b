// What a form of the page does to a run: the same commands as those of the command line, delivered the same way. An answer names the question and the
// files that the page showed; a command that cannot be taken back is asked about first.
import type { Project } from "../../local/index.ts";
import { nobody } from "../../local/index.ts";
import {
	type CommandHost,
	type CommandResponse,
	type Confirmation,
	commands,
	performCommand,
	type Supervisors,
} from "../commands/index.ts";
import { optionsIn } from "../option-usage.ts";
import { cleanupAnswers, cleanupTitle } from "../phrases/index.ts";
import { hashText } from "./access.ts";

/** FormFields of a form by name. */
export type FormFields = Readonly<Record<string, string>>;

export type ActionResult =
	/** `isQueued`: nobody has read it yet. */
	| { readonly kind: "done"; readonly text: string; readonly id?: string | undefined; readonly isQueued?: boolean }
	| { readonly kind: "refused"; readonly text: string }
	/** To be confirmed by the same form with the field `confirm`. */
	| { readonly kind: "asks"; readonly question: Confirmation; readonly confirm: string };

export interface PageAction {
	readonly project: Project;
	readonly fields: FormFields;
	readonly supervisors: Supervisors;
	/** Who sends it, and from where. */
	readonly via: string;
	/** Precedes the commands in texts. */
	readonly prefix: string;
}

/** The arguments of each command that a run's page offers. */
const steering: Readonly<Record<string, (fields: FormFields) => readonly string[] | undefined>> = {
	approve: ({ answers, tree, choice, words }) =>
		answered(answers, [...option("tree", tree), ...option("choice", choice)], words),
	reject: ({ answers, words }) => answered(answers, [], words),
	answer: ({ answers, words, picked }) => answered(answers, [], words || picked),
	resume: ({ answers, cost, tokens, minutes, moves, state, words }) =>
		answered(
			answers,
			[
				...[...option("cost", cost), ...option("tokens", tokens), ...option("minutes", minutes)],
				...[...option("moves", moves), ...option("state", state)],
			],
			words,
		),
	release: ({ answers, to, words }) =>
		answered(answers, to === "done!" ? ["--done"] : [], to === "done!" ? words : [to, words].filter(Boolean).join(" ")),
	reopen: ({ answers, to, words }) => (to ? answered(answers, [], `${to} ${words ?? ""}`) : undefined),
	tell: ({ words }) => linesOfText(words),
	pause: () => [],
	abort: ({ words }) => linesOfText(words),
	rewind: ({ to }) => linesOfText(to),
};

export const steeringVerbs: readonly string[] = [...Object.keys(steering), "drop"];

function option(name: string, value: string | undefined): readonly string[] {
	return value === undefined || value === "" ? [] : [`--${name}`, value];
}

function linesOfText(words: string | undefined): readonly string[] {
	return words === undefined || words.trim() === "" ? [] : ["--", ...words.trim().split(/ (.*)/s).filter(Boolean)];
}

/** `undefined`: the form does not say what it answers. */
function answered(
	answers: string | undefined,
	options: readonly string[],
	words: string | undefined,
): readonly string[] | undefined {
	return answers === undefined ? undefined : ["--answers", answers, ...options, ...linesOfText(words)];
}

/** Performs the command `verb` on run `id`. */
export async function steerRun(action: PageAction, id: string, verb: string): Promise<ActionResult> {
	if (verb === "drop") return performAction(action, "drop", [id]);
	const args = steering[verb]?.(action.fields);
	if (args === undefined)
		return { kind: "refused", text: "The form does not say what it answers. Load the page again." };
	return performAction(action, verb, ["--run", id, ...args]);
}

/** Starts a run of `template`. */
export function startFromPage(action: PageAction, template: string): Promise<ActionResult> {
	const { task = "", model } = action.fields;
	return performAction(action, "run", [template, ...option("model", model), "--", task.trim()]);
}

async function performAction(action: PageAction, name: string, args: readonly string[]): Promise<ActionResult> {
	const { project } = action;
	const command = commands.find((one) => one.name === name);
	if (!command) return { kind: "refused", text: `There is no command ${name}.` };
	const { host, asked, notes } = pageHost(action);
	const response = await performCommand(command, args, {
		...{ project, host, signal: new AbortController().signal },
		surfaceOptions: optionsIn(command.shellOptions),
		textOf: (from, count) =>
			args
				.slice(from, from + count)
				.join(" ")
				.trim(),
	});
	const question = asked();
	if (question) return { kind: "asks", question, confirm: hashOf(question) };
	return resultOf(response, notes);
}

function resultOf(response: CommandResponse, notes: readonly string[]): ActionResult {
	switch (response.kind) {
		case "done": {
			const said = response.notice?.text ?? response.lines.join("\n");
			const { id, heard } = response.data as { readonly id?: unknown; readonly heard?: unknown };
			const text = [...notes, said].join("\n");
			return { kind: "done", text, id: typeof id === "string" ? id : undefined, isQueued: heard === "left" };
		}
		case "refused": {
			const { message, remedy = "", lines = [], diagnostics = [], problems = [] } = response;
			const more = [
				...diagnostics.map(({ message }) => message),
				...problems.map((one) => `${one.message} ${one.remedy}`),
			];
			return { kind: "refused", text: [message, ...lines, ...more, remedy].filter(Boolean).join("\n") };
		}
		case "silent":
			return { kind: "done", text: notes.join("\n") };
	}
}

/** A host that supervises nothing, and asks by the next page. */
function pageHost({ fields, supervisors, via, prefix }: PageAction) {
	const notes: string[] = [];
	let question: Confirmation | undefined;
	const confirms = (one: Confirmation): boolean => {
		if (fields.confirm === hashOf(one)) return true;
		question = one;
		return false;
	};
	const host: CommandHost = {
		...{ prefix, via, supervisors, hasScreen: false, supervised: new Map() },
		startLine: (template) => `${prefix}run ${template}`,
		approver: () => nobody,
		confirm: async (one) => confirms(one),
		async approveCleanup(name, lines) {
			if (fields.cleanup === "none") return "none";
			return confirms(cleanupQuestion(name, lines)) ? "approved" : undefined;
		},
		warn: (text) => void notes.push(text),
		report: (text) => void notes.push(text),
		started: () => {},
		contained: () => {},
		attend: async () => undefined,
	};
	return { host, notes, asked: () => question };
}

function cleanupQuestion(name: string, lines: readonly string[]): Confirmation {
	return { title: cleanupTitle(name), lines, no: cleanupAnswers.nothing, yes: cleanupAnswers.approved, leave: "" };
}

/** Of all that the person saw: a confirmation of anything else does not count. */
function hashOf({ title, lines }: Confirmation): string {
	return hashText(JSON.stringify([title, lines]));
}
