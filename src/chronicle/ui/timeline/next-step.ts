// The user's next step and the commands for it, shared by the timeline, the status and the list. Pure.
import { truncate } from "../../../definition/index.ts";
import { awaitedAnswer, type ChildStatus, candidatesIn, measures, type Run, winnerOf } from "../../core/index.ts";
import { haltReason } from "./why.ts";

/** Whether it waits for an approval or an answer, its own or that of a child. */
export function asksUser({ status }: Pick<Run, "status">): boolean {
	return status === "awaiting_approval" || status === "asks";
}

export interface NextStep {
	/** The reason for waiting, in one sentence. */
	readonly what: string;
	/** Commands without their prefix, most likely first: `approve`, `reject <words>`. */
	readonly commands: readonly string[];
}

/** Commands that answer: printed with the answered event, so that a late answer cannot apply to another question. */
const answering = new Set(["approve", "reject", "answer", "resume", "release"]);

/** A command about another run, such as a child. */
const namesRun = /^\S+ [0-9a-f]{8}(?: |$)/;

/** `approve` with its run and the answered event: `approve 5f2c81d0 --answers 12`. A command that names a run stays as it is. */
export function commandAbout(run: Run, command: string): string {
	if (namesRun.test(command)) return command;
	const short = run.id.slice(0, 8);
	const answers = awaitedAnswer(run);
	return command.replace(/^\S+/, (verb) =>
		answers !== undefined && answering.has(verb) ? `${verb} ${short} --answers ${answers}` : `${verb} ${short}`,
	);
}

const options = { costUsd: "--cost <usd>", tokens: "--tokens <n>", activeMs: "--minutes <n>" } as const;

/** The commands that raise the reached ceilings. */
function raises(run: Run): string[] {
	const full = measures(run).filter(({ spent, ceiling }) => spent >= ceiling);
	const own = full.map(
		({ figure, state }) => `resume ${state === undefined ? "" : `--state ${state} `}${options[figure]}`,
	);
	return own.length > 0 ? own : [`resume ${options.costUsd}`, `resume ${options.tokens}`];
}

/** The command that undoes the rewind after which the run waits. */
function undoes({ hold, kept }: Run): string[] {
	const last = kept.at(-1);
	return hold?.cause === "rewound" && last ? [`rewind kept-${last.seq}`] : [];
}

/** The next commands for a run that waits because of its children. A command about a child names the child's run. */
function childCommands({ children }: Run): string[] {
	const of = (...statuses: readonly ChildStatus[]): string | undefined =>
		children?.children.find(({ status }) => statuses.includes(status))?.id.slice(0, 8);
	const lost = of("failed", "aborted");
	const waits = of("parked");
	// Resuming the run lets children continue that wait, and joins again, but does not revive a failed one.
	if (lost !== undefined && waits === undefined && children?.phase === "working")
		return [`reopen ${lost} <state>`, `drop ${lost}`, "abort"];
	const child = waits ?? lost;
	return ["resume", ...(child === undefined ? [] : [`drop ${child}`]), "abort"];
}

function approvalStep(run: Run): NextStep {
	const { stage } = run;
	const question = stage.kind === "asking" ? stage.question : undefined;
	if (question?.side === "conflict")
		return {
			what: "Changes conflict at the join. Who resolves them?",
			commands: [
				"approve --choice ours",
				"approve --choice theirs",
				"approve --choice worker",
				"approve --choice hand",
				"diff",
			],
		};
	if (!question && run.hold?.cause === "children")
		return { what: run.hold.detail, commands: ["approve", "reject <words>", "abort"] };
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

/** The answers to the questions of the worker, or of the children. */
function answerStep(run: Run): NextStep {
	const { question, hold, children } = run;
	if (question) {
		const { text, choices } = question;
		const [what = ""] = text.trim().split("\n", 1);
		return {
			what: `The worker asks: ${truncate(what, 300)}`,
			commands: [choices.length > 0 ? "answer <number or words>" : "answer <words>", "tell <words>", "abort"],
		};
	}
	const asking = (children?.children ?? []).filter(({ waits }) => waits === "asks");
	const named = asking.map(({ name, detail }) => `"${name}" ${detail.replace(/^it /, "")}`);
	const few = asking.slice(0, 5).map(({ name, id }) => (/^[\w.-]+$/.test(name) ? name : id.slice(0, 8)));
	return {
		what: truncate(named.length > 1 ? named.join(" · ") : (hold?.detail ?? ""), 1000),
		commands: [...few.map((child) => `answer --child ${child} <words>`), "abort"],
	};
}

/** The user's next step; `undefined` while the run needs nothing from the user. */
export function nextStep(run: Run): NextStep | undefined {
	switch (run.status) {
		case "asks":
			return answerStep(run);
		case "awaiting_approval":
			return approvalStep(run);
		case "paused":
			if (run.hold?.cause === "children") return { what: run.hold.detail, commands: childCommands(run) };
			return {
				what: haltReason(run) ?? "Paused.",
				commands: ["resume", ...undoes(run), "tell <words>", "abort"],
			};
		case "budget_exceeded":
			return {
				what: haltReason(run) ?? "A ceiling is reached.",
				commands: [...raises(run), "abort"],
			};
		case "human_intervention":
			return {
				what: haltReason(run) ?? "Decide how it continues.",
				commands: ["release", "release <state>", "abort"],
			};
		case "running": {
			const [question] = run.questions;
			return question === undefined
				? undefined
				: { what: `The worker waits for an answer in the dialog: ${question.title}`, commands: [] };
		}
		case "done":
		case "failed":
		case "aborted":
			return undefined;
	}
}
