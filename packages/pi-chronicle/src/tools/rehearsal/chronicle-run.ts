// Runs a chronicle in a rehearsal with the commands of the command line. The player or the scenario decides for the user; the default is yes.

import { join } from "node:path";
import { asSentence, propertiesOf } from "@pi-chronicle/core/definition";
import { exitCodes } from "../../pi/index.ts";
import type { PlayedDecision } from "./by-hand/index.ts";
import { type ProcessEnd, runProcess } from "./process.ts";
import type { RunContext, RunResult } from "./rehearse.ts";
import type { UserAnswer } from "./scenario.ts";
import { understudyModel } from "./understudy.ts";

/** Maximum number of questions that a scenario answers in one run. */
const maxAnswers = 100;

/** Plays a chronicle to its end. `atStart` answers a question that is asked before the understudy's first message. */
export async function playChronicle(
	name: string,
	task: string,
	scene: RunContext,
	atStart?: UserAnswer,
): Promise<RunResult> {
	const begin = ["run", "--json", "--approve", "--without-cleanup", "--model", understudyModel, name, "--", task];
	let ended = await runVerb(begin, scene);
	const { decide, signal } = scene;
	for (let answered = 0; (decide || answered < maxAnswers) && !signal?.aborted; answered++) {
		const further = await answerRun(ended, scene, answered === 0 ? atStart : undefined);
		if (!further) break;
		ended = further;
	}
	const { status, waits, result } = readResult(ended.output);
	const done = ended.exit.kind === "exited" && ended.exit.code === 0 && status === "done";
	// The commands' progress lines are omitted, because the report lists the visits.
	return {
		...ended,
		outcome: done ? "done" : "stopped",
		output: waits ?? "",
		errors: done ? "" : ended.errors,
		...(done && result !== undefined ? { result } : {}),
	};
}

/** Runs one command of `pi-chronicle` in the copy. */
function runVerb(words: readonly string[], { host, copy, tracker, signal }: RunContext): Promise<ProcessEnd> {
	return runProcess(
		{
			// The single binary of pi is not Node.
			command: process.versions.bun ? "node" : process.execPath,
			args: [join(host.packageRoot, "bin", "pi-chronicle.mjs"), ...words],
		},
		{ ...copy, env: { ...copy.env, PI_CHRONICLE_PI: host.pi.args.at(-1) ?? host.pi.command } },
		tracker,
		signal,
	);
}

/** Answers the question that the run ended with; `undefined`: it asks nothing, or ends here. */
async function answerRun(
	ended: ProcessEnd,
	scene: RunContext,
	atStart: UserAnswer | undefined,
): Promise<ProcessEnd | undefined> {
	const result = readResult(ended.output);
	if (ended.exit.kind !== "exited" || result.id === undefined) return undefined;
	const decision = await decideOn(result, scene, atStart);
	if (!decision) return undefined;
	const further = await runVerb(answerArguments(result.id, decision), scene);
	const isRefused = further.exit.kind === "exited" && further.exit.code === exitCodes.usage;
	if (!scene.decide || !isRefused) return further;
	// The player reads why the run does not take the decision, and decides again; a script has no other answer.
	scene.say(further.errors.trim());
	return ended;
}

type Answering = Exclude<PlayedDecision, { readonly kind: "stop" }>;

/** The decision of the player or of the scenario, `atStart` before it; `undefined`: the run asks nothing, or ends here. */
async function decideOn(
	result: PlayedResult,
	{ tracker, say, decide }: RunContext,
	atStart: UserAnswer | undefined,
): Promise<Answering | undefined> {
	const accepts = accepted[result.status ?? ""];
	if (!accepts) return undefined;
	// Children that work at the same time ask in any order.
	const asks = result.status === "asks";
	const scripted = atStart ?? tracker.takeAnswer(({ kind }) => (kind === "answer") === asks);
	const decision = decide ? await decide({ text: askedText(result), accepts }) : decisionOf(result, scripted);
	if (!decision || decision.kind === "stop" || !accepts.includes(decision.kind)) return undefined;
	say(
		`? ${result.question ?? "The run asks a question."} ${decide ? "The user" : "The rehearsal"} ${describeAnswer(decision)}`,
	);
	return decision;
}

/** The decisions that a run takes, by its status; none by any other. */
const accepted: Readonly<Record<string, readonly PlayedDecision["kind"][]>> = {
	awaiting_approval: ["approve", "reject", "release", "stop"],
	asks: ["answer", "stop"],
	human_intervention: ["release", "stop"],
};

/** The decision that a scenario's answer stands for; `undefined`: there is none for this question. */
function decisionOf(
	{ status, choices: [first] }: PlayedResult,
	answer: UserAnswer | undefined,
): PlayedDecision | undefined {
	if (status === "asks") return { kind: "answer", words: answer?.words || first || "Yes." };
	if (answer?.kind === "sent") return { ...answer, kind: "release" };
	if (status === "human_intervention") return undefined;
	return answer ?? { kind: "approve" };
}

/** The command line that gives this decision to the run `id`. */
function answerArguments(id: string, decision: Answering): string[] {
	const options = ["--json", "--approve", "--run", id, "--"];
	switch (decision.kind) {
		case "approve":
			return ["approve", ...options, ...(decision.words ? [decision.words] : [])];
		case "reject":
		case "answer":
			return [decision.kind, ...options, decision.words];
		case "release":
			return ["release", ...options, decision.to, ...(decision.words === "" ? [] : [decision.words])];
	}
}

function describeAnswer(decision: Answering): string {
	switch (decision.kind) {
		case "approve":
			return decision.words ? `approves: ${asSentence(decision.words)}` : "approves.";
		case "reject":
			return `rejects: ${asSentence(decision.words)}`;
		case "answer":
			return `answers: ${asSentence(decision.words)}`;
		case "release":
			return `sends it to ${decision.to}.`;
	}
}

/** What a player reads before a decision; `output`: of the command that ended with a question. */
export function playersQuestion(output: string): string {
	return askedText(readResult(output));
}

function askedText({ question, child, waits, about, choices, targets, status }: PlayedResult): string {
	const asked = question ?? waits ?? "The run waits for the user.";
	return [
		child === undefined ? asked : `The child run "${child}" asks: ${asked}`,
		...(about.length === 0 ? [] : [about.join("\n").trim()]),
		...(choices.length === 0
			? []
			: [`Proposed answers, other words are allowed:\n${choices.map((one) => `- ${one}`).join("\n")}`]),
		// An answer sends the run nowhere; the targets of the parent are not those of a child.
		...(targets.length === 0 || status === "asks" || child !== undefined
			? []
			: [`It can go to: ${targets.join(", ")}.`]),
	].join("\n\n");
}

interface PlayedResult {
	/** Of the run, or of the child run that asks. */
	readonly id?: string;
	readonly status?: string;
	readonly question?: string;
	/** The child run that asks. */
	readonly child?: string;
	/** The answers that a worker proposes. */
	readonly choices: readonly string[];
	/** What an approval is about, as lines: summary, tasks, findings, files. */
	readonly about: readonly string[];
	readonly waits?: string;
	/** Last summary of a finished run. */
	readonly result?: string;
	readonly targets: readonly string[];
}

/** The fields of a verb's JSON output; empty if the output is something else. */
function readResult(output: string): PlayedResult {
	try {
		const { id, status, question, waitsFor, targets, result } = propertiesOf(JSON.parse(output));
		const { what, children } = propertiesOf(waitsFor);
		// The run itself asks nothing while it waits for a child that does.
		const below = question ? [] : listIn(children, propertiesOf);
		const child = below.find((one) => one.question) ?? below[0] ?? {};
		const asked = propertiesOf(question ?? child.question);
		const fields = {
			id: stringOf(child.id ?? id),
			status: stringOf(child.status ?? status),
			question: stringOf(asked.text),
			child: stringOf(child.name),
			waits: stringOf(what),
			result: stringOf(propertiesOf(result).summary),
		};
		const given = Object.entries(fields).filter(([, value]) => value !== undefined);
		return {
			...Object.fromEntries(given),
			about: listIn(asked.about, String),
			choices: listIn(asked.choices, String),
			targets: listIn(targets, String),
		};
	} catch {
		return { about: [], choices: [], targets: [] };
	}
}

function stringOf(value: unknown): string | undefined {
	return typeof value === "string" && value !== "" ? value : undefined;
}

function listIn<Item>(list: unknown, read: (value: unknown) => Item): Item[] {
	return Array.isArray(list) ? list.map(read) : [];
}
