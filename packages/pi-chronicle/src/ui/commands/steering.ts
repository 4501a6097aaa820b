// The commands that steer a run: the arguments of each, and the run command that it builds. Delivers nothing.

import { keptBefore, startOfVisit } from "@pi-chronicle/core/history";
import type { TemplateReload } from "@pi-chronicle/core/machine";
import type { ReadLedger } from "@pi-chronicle/core/ports";
import type { ParsedArguments } from "./arguments.ts";
import {
	abortCommand,
	answerCommand,
	approveCommand,
	dropCommand,
	pauseCommand,
	type RaisedLimits,
	type RunCommand,
	refuseEarlier,
	refuseOther,
	refuseOtherFiles,
	rejectionCommand,
	releaseCommand,
	reopenCommand,
	resumeCommand,
	rewindCommand,
	tellCommand,
	tooLong,
	undoCommand,
} from "./run-command.ts";

export interface Misuse {
	readonly code: string;
	readonly message: string;
}

/** `reload`: the current template, if the user requested it. */
export type Make = (ledger: ReadLedger, words: string, reload?: TemplateReload) => RunCommand | Promise<RunCommand>;

export interface Steering {
	readonly name: string;
	readonly takes: string;
	readonly explained: string;
	/** Help lines about its options. */
	readonly options?: string;
	/** Whether a run without a supervisor continues after the command. */
	readonly afterwards: "continue" | "release";
	/**
	 * Builds the command from the run and the arguments, or returns an error message. `model`: the value of `--model`, as `provider/id`.
	 */
	make(parsed: ParsedArguments, model?: string): Make | Misuse;
}

const needsState = (usage: string): Misuse => ({ code: "usage", message: `Name a state: ${usage}` });

const reloadUsage = `  --reload          continue with the current version of the template; the past does not change
  --approve-cleanup, --without-cleanup   for its cleanup commands, as for run
`;

const verbs: readonly Steering[] = [
	{
		name: "resume",
		takes: "[run] [words…]",
		explained:
			"The text goes to the worker, or to every unfinished child. The options raise limits; a new limit must exceed the amount spent.",
		options: `  --queued          only carry out the commands that were sent to it while no process supervised it
  --cost <usd>  --tokens <n>  --minutes <n>  --moves <n>   new limits of the run
  --state <state>   set the limits of this state instead
  --model <model>   use another model for states that name none
  --other-branch    join the children's files although another branch is checked out than when they began
${reloadUsage}`,
		afterwards: "continue",
		make(parsed, model) {
			const raise = raiseOf(parsed);
			if ("code" in raise) return raise;
			if (parsed.flags.has("queued")) return () => ({ kind: "nothing" });
			return ({ run }, words, reload) =>
				resumeCommand(run, words, {
					...{ raise, reload, otherBranch: parsed.flags.has("other-branch") },
					...(model === undefined ? {} : { model }),
				});
		},
	},
	{
		name: "approve",
		takes: "[run] [words…]",
		explained:
			"The text goes to the next worker. If files have changed since you were asked, the run asks again. If the changes of children conflict, `--choice` decides who resolves them: `ours` is the earlier side, `theirs` the later child. If the move takes one of several children, `--choice` selects a different child than the worker, by its name or the start of its id.",
		options: `  --choice <who>  for conflicts of children: ours, theirs, worker or hand
  --choice <name>  for one of several children: its name or the start of its id
`,
		afterwards: "continue",
		make: ({ values: { choice } }) =>
			choice === ""
				? { code: "usage", message: "--choice needs a value: ours, theirs, worker, hand, or the name of a child." }
				: (ledger, words) => approveCommand(ledger.run, words, choice),
	},
	{
		name: "reject",
		takes: "[run] <words…>",
		explained: "The conversation stays the same.",
		afterwards: "continue",
		make: () => (ledger, words) => rejectionCommand(ledger.run, words),
	},
	{
		name: "answer",
		takes: "[run] <words…>",
		explained:
			"The text becomes the result of the worker's call, in the same conversation. A proposed answer is given by its number or its text. If several child runs ask, name one.",
		options: "  --child <name>  the child run that asks: its name or the start of its id\n",
		afterwards: "continue",
		make: () => (ledger, words) => answerCommand(ledger.run, words),
	},
	{
		name: "tell",
		takes: "[run] <words…>",
		explained: "A waiting run keeps waiting: a message answers no question.",
		afterwards: "release",
		make: () => (ledger, words) => tellCommand(ledger.run, words),
	},
	{
		name: "pause",
		takes: "[run]",
		explained: "Continue it with resume.",
		afterwards: "continue",
		make: ({ text: [surplus] }) =>
			surplus === undefined
				? (ledger) => pauseCommand(ledger.run)
				: { code: "usage", message: `"${surplus}" is not a run; pause takes no other argument.` },
	},
	{
		name: "drop",
		takes: "<child>",
		explained: "The child must have failed, be aborted, or wait. Its folder is removed; its ledger is kept.",
		afterwards: "continue",
		make: ({ names: [child], text: [surplus] }) =>
			child !== undefined && surplus === undefined
				? ({ run }) => dropCommand(run)
				: { code: "usage", message: "Name one child run: drop <child>." },
	},
	{
		name: "abort",
		takes: "[run] [why…]",
		explained: "Cleanup still runs. To continue the run, use reopen.",
		afterwards: "continue",
		make: () => (ledger, words) => abortCommand(ledger.run, words),
	},
	{
		name: "release",
		takes: "[run] [state] [words…]",
		explained: "Without a state, the refused move is made. The limit that was reached is reset.",
		options: "  --done            end the run as done\n",
		afterwards: "continue",
		make: ({ text: [state], flags }) => {
			return (ledger, words) => releaseCommand(ledger.run, state, words, flags.has("done"));
		},
	},
	{
		name: "reopen",
		takes: "[run] <state> [words…]",
		explained: "It stays the same run with the same ledger.",
		afterwards: "continue",
		make: ({ text: [state] }) =>
			state === undefined
				? needsState("reopen [run] <state>")
				: (ledger, words) => reopenCommand(ledger.run, state, words),
	},
	{
		name: "rewind",
		takes: "[run] <visit> | kept-<number> | undo",
		explained:
			"The current files are saved first: `rewind kept-<number>` restores them, and `rewind undo` undoes the last rewind. Continue with resume.",
		options: `  --dry-run         only show what it would change
  --other-branch    rewind although another branch is checked out than when the visit began
${reloadUsage}`,
		afterwards: "continue",
		make: ({ text: [goal = "", surplus], flags }) =>
			isGoal(goal) && surplus === undefined
				? flags.has("reload") && !/^\d+$/.test(goal)
					? { code: "usage", message: "--reload needs the number of a visit: rewind [run] <visit> --reload." }
					: (ledger, _, reload) => rewindTo(ledger, goal, reload)
				: {
						code: "usage",
						message:
							"Name a visit by its number, or the files that a rewind saved: rewind [run] <visit>, kept-<number> or undo. status and report list them.",
					},
	},
];

/** Commands about the visit that the user saw, and those that answer a question or a wait. */
const aboutVisit = new Set(["resume", "approve", "reject", "answer", "tell", "release"]);
const answering = new Set(["resume", "approve", "reject", "answer", "release", "reopen"]);

const seenUsage = {
	visit: "  --visit <n>       the visit that you answer; the command is refused if the run has left it\n",
	tree: "  --tree <tree>     the files that you approve (`question.diff` in status --json); the command is refused if they have changed\n",
	answers:
		"  --answers <event>  the question or wait that you answer (`answers` in status --json); the command is refused if it has changed\n",
};

/** All steering commands. Answers name the answered event, so that they do not affect a run that has moved on. */
export const steerings: readonly Steering[] = verbs.map((verb) => {
	const seen = [
		...(aboutVisit.has(verb.name) ? (["visit"] as const) : []),
		...(answering.has(verb.name) ? (["answers"] as const) : []),
		...(verb.name === "approve" ? (["tree"] as const) : []),
	];
	return {
		...verb,
		options: `${verb.options ?? ""}${seen.map((option) => seenUsage[option]).join("")}`,
		make: (parsed, model) => bindToSeen(limitTextLength(verb.make(parsed, model), parsed), parsed),
	};
});

function bindToSeen(made: Make | Misuse, { values: { visit, answers, tree } }: ParsedArguments): Make | Misuse {
	if ("code" in made) return made;
	if (visit !== undefined && !/^[1-9]\d{0,5}$/.test(visit))
		return { code: "usage", message: `--visit takes the number of a visit, not "${visit}".` };
	if (answers !== undefined && !/^[1-9]\d{0,8}$/.test(answers))
		return {
			code: "usage",
			message: `--answers takes the number of an event (answers in status --json), not "${answers}".`,
		};
	return (ledger, words, reload) =>
		(visit === undefined ? undefined : refuseEarlier(ledger.run, Number(visit))) ??
		(answers === undefined ? undefined : refuseOther(ledger.run, Number(answers))) ??
		(tree === undefined ? undefined : refuseOtherFiles(ledger.run, tree)) ??
		made(ledger, words, reload);
}

function limitTextLength(made: Make | Misuse, { text }: ParsedArguments): Make | Misuse {
	const long = tooLong(text.join(" "));
	return long === undefined ? made : { code: "usage", message: long };
}

/** A number alone is a visit, even if it could be the prefix of an id. */
export function onlyNumber({ name }: Steering, parsed: ParsedArguments): ParsedArguments {
	const [only = ""] = parsed.names;
	const isVisit = name === "rewind" && parsed.text.length === 0 && isGoal(only);
	return isVisit ? { ...parsed, names: [], text: [only] } : parsed;
}

function isGoal(word: string): boolean {
	return /^(?:(?:kept-)?\d{1,6}|undo)$/.test(word);
}

/** Rewinds to `goal`: a visit, `kept-<number>`, or `undo`. */
async function rewindTo(ledger: ReadLedger, goal: string, reload?: TemplateReload): Promise<RunCommand> {
	const { run } = ledger;
	if (/^\d+$/.test(goal)) return rewindCommand(run, Number(goal), await startOfVisit(ledger, Number(goal)), reload);
	const seq = goal === "undo" ? (run.kept.at(-1)?.seq ?? 0) : Number(goal.slice("kept-".length));
	return undoCommand(run, seq, await keptBefore(ledger, seq));
}

function raiseOf({ values }: ParsedArguments): RaisedLimits | Misuse {
	const raise: { -readonly [K in keyof RaisedLimits]: RaisedLimits[K] } = {};
	for (const [option, field, unit] of [
		["cost", "costUsd", 1],
		["tokens", "tokens", 1],
		["minutes", "activeMs", 60_000],
		["moves", "moves", 1],
	] as const) {
		const written = values[option];
		if (written === undefined) continue;
		const number = Number(written.replace(/^\$/, "").replaceAll(/[_,](?=\d{3})/g, ""));
		if (written.trim() === "" || !Number.isFinite(number) || number <= 0)
			return { code: "usage", message: `--${option} takes a number above 0, not "${written}".` };
		raise[field] = number * unit;
	}
	if (values.state !== undefined && Object.keys(raise).length === 0)
		return { code: "usage", message: "--state needs a limit: --cost, --tokens or --minutes." };
	return { ...raise, ...(values.state === undefined ? {} : { state: values.state }) };
}
