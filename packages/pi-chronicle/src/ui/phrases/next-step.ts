// The user's next step and the commands for it, shared by the timeline, the status and the list. Pure.

import { truncate } from "@pi-chronicle/core/definition";
import {
	apartState,
	type ChildRun,
	candidatesIn,
	measures,
	type Run,
	undoOf,
	winnerOf,
} from "@pi-chronicle/core/machine";
import { commandWord } from "./names.ts";
import { childrenWait, haltReason, providerText, waitsForProvider } from "./why.ts";

/** Whether it waits for an approval or an answer, its own or that of a child. */
export function asksUser({ status }: Pick<Run, "status">): boolean {
	return status === "awaiting_approval" || status === "asks";
}

export interface NextStep {
	/** The reason for waiting, in one sentence. */
	readonly what: string;
	/** What helps, in one sentence, or how a command ended; absent: the commands say it. */
	readonly help?: string;
	/** Commands without their prefix, most likely first: `approve`, `reject <words>`. */
	readonly commands: readonly string[];
}

/** A command about another run, such as a child. */
const namesRun = /^\S+ [0-9a-f]{8}(?: |$)/;

/** `approve` with its run: `approve 5f2c81d0`. A command that names a run stays as it is. */
export function commandAbout(run: Pick<Run, "id">, command: string): string {
	return namesRun.test(command) ? command : command.replace(/^\S+/, (verb) => `${verb} ${run.id.slice(0, 8)}`);
}

const options = { costUsd: "--cost <usd>", tokens: "--tokens <n>", activeMs: "--minutes <n>" } as const;

function raises(run: Run): string[] {
	const full = measures(run).filter(({ spent, ceiling }) => spent >= ceiling);
	const own = full.map(
		({ figure, state }) => `resume ${state === undefined ? "" : `--state ${commandWord(state)} `}${options[figure]}`,
	);
	return own.length > 0 ? own : [`resume ${options.costUsd}`, `resume ${options.tokens}`];
}

function undoes(run: Run): string[] {
	const way = run.hold?.cause === "rewound" ? undoOf(run) : undefined;
	return way === undefined ? [] : [way];
}

const maxListed = 3;

/** The next commands for a run that waits because of its children. A command about a child names the child's run. */
function childCommands({ children }: Run): string[] {
	const all = children?.children ?? [];
	const [lost] = all.filter(({ status }) => status === "failed" || status === "aborted");
	const parked = all.filter(({ status }) => status === "parked");
	const answers = parked.flatMap((child) => answersTo(child, parked.length === 1)).slice(0, maxListed);
	if (parked.length > 0) return [...answers, `drop ${parked[0]?.id.slice(0, 8)}`, "abort"];
	if (children?.ofCopy) return ["resume", "resume --other-branch", "abort"];
	// Resuming the run joins again, but does not revive a failed child.
	if (lost && children?.phase === "working")
		return [`reopen ${lost.id.slice(0, 8)} <state>`, `drop ${lost.id.slice(0, 8)}`, "abort"];
	return ["resume", ...(lost ? [`drop ${lost.id.slice(0, 8)}`] : []), "abort"];
}

/** The commands with which a child continues. `isOnly`: no other child waits. */
function answersTo({ id, waits, below }: ChildRun, isOnly: boolean): string[] {
	const child = (below?.run ?? id).slice(0, 8);
	switch (below?.status ?? waits) {
		case "asks":
			return [`answer ${child} <words>`];
		case "awaiting_approval":
			return [`approve ${child}`, ...(isOnly ? [`reject ${child} <words>`] : [])];
		case "human_intervention":
			return [`release ${child}`];
		case "budget_exceeded":
			// Only the child's own status says which of its ceilings is reached.
			return [`status ${child}`];
		case "paused":
		case null:
			return [`resume ${child}`];
	}
}

function approvalStep(run: Run): NextStep {
	const { stage } = run;
	const question = stage.kind === "asking" ? stage.question : undefined;
	if (question?.side === "conflict")
		return {
			what: run.children?.ofCopy
				? "The run's changes conflict with yours. Who resolves them?"
				: "Changes conflict at the join. Who resolves them?",
			commands: [
				"approve --choice ours",
				"approve --choice theirs",
				"approve --choice worker",
				"approve --choice hand",
				"diff",
			],
		};
	if (!question && run.hold?.cause === "children") return { what: run.hold.detail, commands: childCommands(run) };
	const what =
		question === undefined
			? "Waiting for your approval."
			: question.side === "entry"
				? `Start ${question.target}?`
				: `Move from ${question.state} to ${question.target}?`;
	// More than one child can be taken.
	const chooses = question !== undefined && candidatesIn(run, question.state).length > 1;
	const isTaking = chooses && winnerOf(run, question.target) !== undefined;
	return { what, commands: ["approve", ...(isTaking ? ["approve --choice <name>"] : []), "reject <words>", "diff"] };
}

function answerStep(run: Run): NextStep {
	const { question, hold, children } = run;
	if (question) {
		const { text, choices } = question;
		const [what = ""] = text.trim().split("\n", 1);
		return {
			// A question without a call is how a command ended.
			what: `${question.call === "" ? "" : "The worker asks: "}${truncate(what, 300)}`,
			commands: [choices.length > 0 ? "answer <number or words>" : "answer <words>", "tell <words>", "abort"],
		};
	}
	const asking = (children?.children ?? []).filter(({ waits }) => waits === "asks");
	const named = asking.map(({ name, detail }) => `"${name}" ${detail.replace(/^it /, "")}`);
	const few = asking
		.slice(0, 5)
		.map(({ name, id, below }) => (below ? below.run.slice(0, 8) : /^[\w.-]+$/.test(name) ? name : id.slice(0, 8)));
	return {
		what: truncate(named.length > 1 ? named.join(" · ") : (hold?.detail ?? ""), 1000),
		commands: [...few.map((child) => `answer --child ${child} <words>`), "abort"],
	};
}

const otherModel = ["resume", "resume --model <model>", "abort"];

/** What helps after a pause, by its cause. */
const pauses: Readonly<Record<string, Omit<NextStep, "what">>> = {
	auth: {
		help: "Log in with /login in pi, or correct the key; then resume, with the same model or another one.",
		commands: otherModel,
	},
	quota: { help: "Add credit at the provider, or choose another model; then resume.", commands: otherModel },
	given_up: {
		help: "Mend what the reason names, then resume: the run continues where it was.",
		commands: ["resume", "abort"],
	},
};

const shownLength = 4096;

/** How the command ended for which the run waits, with the end of its output; nothing if it waits for something else. */
function commandEnd(run: Run): Pick<NextStep, "help"> {
	const { hold, visitRecord, snapshot, visit, status } = run;
	const last = snapshot.summaries.findLast((one) => one.visit < visit);
	if (status === "human_intervention") return last?.command ? { help: last.text.slice(-shownLength) } : {};
	return hold?.cause === "command" || hold?.cause === "timeout" ? { help: visitRecord.summary } : {};
}

/** The user's next step; `undefined` while the run needs nothing from the user. */
export function nextStep(run: Run): NextStep | undefined {
	const what = haltReason(run) ?? "The run waits.";
	switch (run.status) {
		case "asks":
			return answerStep(run);
		case "awaiting_approval":
			return approvalStep(run);
		case "awaiting_provider":
			return { what, help: "To try now, resume.", commands: ["resume", "pause", "abort"] };
		case "paused":
			if (run.hold?.cause === "children") return { what: run.hold.detail, commands: childCommands(run) };
			return {
				what,
				...commandEnd(run),
				...(pauses[run.hold?.cause ?? ""] ?? { commands: ["resume", ...undoes(run), "tell <words>", "abort"] }),
			};
		case "budget_exceeded":
			return { what, commands: [...raises(run), "abort"] };
		case "human_intervention":
			return { what, ...commandEnd(run), commands: ["release", "release <state>", "abort"] };
		case "running": {
			const [question] = run.questions;
			return question === undefined
				? undefined
				: { what: `The worker waits for an answer in the dialog: ${question.title}`, commands: [] };
		}
		case "done":
		case "failed":
		case "aborted":
			return takeStep(run);
	}
}

/** Of a run that has ended: what becomes of its files, if it has worked in a copy of the project. */
function takeStep(run: Run): NextStep | undefined {
	return apartState(run) === "waiting" ? untaken : undefined;
}

const untaken: NextStep = {
	what: "Its files are in a copy of the project, where it has worked: take or discard them.",
	commands: ["join", "join --branch <name>", "diff", "discard"],
};

/** The next step for a run that was running, or waited for its provider, and whose supervisor is gone. A child continues with the first run of its tree. */
export function interruptedStep(run: Run): NextStep {
	if (run.parent) {
		const root = run.parent.root.slice(0, 8);
		const what = `No process works on it now. It continues with the run ${root}.`;
		return { what, commands: [`status ${root}`, `resume ${root}`] };
	}
	const gone = "No process supervises it now. No recorded event is lost.";
	if (!waitsForProvider(run)) return { what: gone, commands: ["resume"] };
	const help = "The next session of pi in this project tries again when it is due; resume tries at once.";
	return { what: `${providerText(run, false) ?? childrenWait(run)} ${gone}`, help, commands: ["resume"] };
}

/** The user's next step for a child that waits, or has failed while its parent waits because of that. */
export function childStep(run: Run): NextStep {
	const next = nextStep(run);
	if (next) return { ...next, commands: [...next.commands.filter((command) => command !== "abort"), "drop"] };
	const ended = run.plan.states.get(run.state)?.terminal === true;
	const last = ended ? run.history.at(-1)?.from : run.state;
	return {
		what: haltReason(run) ?? `It is ${run.status}.`,
		commands: [`reopen ${last === undefined ? "<state>" : commandWord(last)}`, "drop"],
	};
}
