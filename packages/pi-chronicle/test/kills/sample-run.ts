// A small run that shows the effect of kills: three states, commands that leave a mark, a background process, a cleanup, an approval, and
// where the task wants it a question to the user.
// The model is a pure function of the conversation: it does the first step without a result, so a conversation that lost or
// repeated something is detected.
import type { ModelRequest } from "../harness/model-request.ts";
import { call, type Reply } from "../harness/reply.ts";

export const template = {
	name: "Play",
	states: {
		planning: { persona: "Planner", next: ["building"], requires_approval: true },
		building: {
			persona: "Builder",
			next: ["checking"],
			cleanup: ["touch in-cleanup; sleep 0.3; echo cleaned >> cleanup.log"],
		},
		checking: { persona: "Checker", next: ["done"] },
		done: { next: [] },
	},
	limits: { retries: 50, attempts: 100, no_progress: 100 },
};

/** Writes `word` to the log unless it is there, as a careful worker does after an interruption. */
const once = (word: string) => `grep -qx ${word} log.txt 2>/dev/null || echo ${word} >> log.txt`;

/** A call that the model makes. */
export type Step = readonly [tool: string, args: Record<string, unknown>];

const steps: Readonly<Record<string, readonly Step[]>> = {
	planning: [
		["workflow_update_snapshot", { data: { findings: [{ key: "port", text: "The port is 8081" }] } }],
		["bash", { command: once("planned") }],
		["workflow_transition", { target_state: "building", summary: "Planned." }],
	],
	building: [
		["bash", { command: once("begun") }],
		["bash", { command: `touch in-bash; sleep 0.5; ${once("built")}` }],
		["bash", { command: "nohup sleep 300 > /dev/null 2>&1 & echo started" }],
		["workflow_transition", { target_state: "checking", summary: "Built." }],
	],
	checking: [
		["bash", { command: once("checked") }],
		["ask_user", { question: "Which port?" }],
		["workflow_transition", { target_state: "done", summary: "Checked." }],
	],
};

/** The user's answer to the question. */
export const userAnswer = "Use 8081.\n  Only that.";

/** A task with which the last state asks. */
export const askingTask = "Do it all, and ask me.";

/** Lines that must be in the log at the end, each once. */
export const marks = ["planned", "begun", "built", "checked"];

/** The state that a request belongs to. */
export function stateOf({ users }: Pick<ModelRequest, "users">): string {
	return /the state "(\w+)"/.exec(users[0] ?? "")?.[1] ?? "";
}

/** The step of its state that a request asks for, from 0. */
export function stepOf(request: ModelRequest): number {
	return nextStep(request, stepsOf(request));
}

/** The steps of a request's state; without the question where the task does not want it, or the user has answered in a message. */
function stepsOf(request: ModelRequest): readonly Step[] {
	const [first = ""] = request.users;
	const asks = first.includes(askingTask) && !first.includes(userAnswer);
	return (steps[stateOf(request)] ?? []).filter(([tool]) => asks || tool !== "ask_user");
}

/** The first of `list` that has no result in the request's conversation, else the last. */
function nextStep({ results }: ModelRequest, list: readonly Step[]): number {
	const seen = new Set(
		results
			.filter(
				({ text }) => !/abort|interrupt|no result|not run|not asked|exited with code|without an exit code/i.test(text),
			)
			.map(({ id }) => id.split("-")[1]),
	);
	const next = list.findIndex((_, index) => !seen.has(String(index)));
	return next === -1 ? list.length - 1 : next;
}

/** The model's answer to a request. */
export function answer(request: ModelRequest): Reply {
	return answerBySteps(request, stepsOf(request));
}

/** The next of the steps that the request's worker makes. */
export function answerBySteps(request: ModelRequest, list: readonly Step[]): Reply {
	const step = nextStep(request, list);
	const [tool, args] = list[step] ?? ["bash", { command: "false" }];
	const id = `${stateOf(request)}-${step}-${request.number}`;
	return call(tool, args, { id, usage: { input: 100, output: 10 } });
}

/** The number of requests of an undisturbed run. */
export const requestsOfPlay = Object.values(steps).reduce((sum, list) => sum + list.length, 0);
