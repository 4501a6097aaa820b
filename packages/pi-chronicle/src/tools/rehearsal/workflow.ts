// Rehearses a workflow: finds and checks it, and runs it in pi's print mode.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { asSentence, type Diagnostic } from "@pi-chronicle/core/definition";
import { exitCodes } from "../../pi/index.ts";
import type { ChildExit } from "../../process/index.ts";
import {
	answerLine,
	askLine,
	type Catalogue,
	filesOfWorkflow,
	loadCatalogue,
	type WorkflowDefinition,
	workflowRoots,
} from "../../workflow/index.ts";
import type { Play, PlayedDecision } from "./by-hand/index.ts";
import { planWorkflowCoverage, readSession, workflowEvidence } from "./every/index.ts";
import { checkPhaseInstructions } from "./instructions/index.ts";
import { openScenario, unknownScripts } from "./open-scenario.ts";
import { type ProcessEnd, runProcess } from "./process.ts";
import {
	type Coverage,
	defaultTask,
	type Expected,
	type Playable,
	type Program,
	type ProjectPaths,
	type RehearsalRequest,
	type RunContext,
	type RunResult,
	type Unplayable,
} from "./rehearse.ts";
import type { UserAnswer } from "./scenario.ts";
import type { WorkflowProgress } from "./session-position.ts";
import { understudyModel } from "./understudy.ts";

/** Maximum number of answers in a rehearsal: a scenario may loop endlessly. */
const maxAnswers = 100;
/** Characters of pi's last output that a player reads before a decision. */
const longestOutput = 4000;

/** The names of all workflows that can be started. */
export function workflowNames(paths: ProjectPaths): string[] {
	return [...loadWorkflows(paths).commands].filter(([, { show }]) => show === "user").map(([name]) => name);
}

/** Finds and checks the requested workflow; `undefined` if no workflow has that name, valid or not. */
export function planWorkflow(request: RehearsalRequest, paths: ProjectPaths): Playable | Unplayable | undefined {
	const catalogue = loadWorkflows(paths);
	const definition = catalogue.commands.get(request.name) ?? catalogue.definitions.get(request.name);
	if (!definition) {
		const rejected = catalogue.rejected.get(request.name);
		if (!rejected) return undefined;
		return {
			kind: "unplayable",
			message: `The workflow ${request.name} does not load.`,
			diagnostics: rejected.diagnostics,
		};
	}
	const { commandName: name } = definition;
	if (definition.show === "workflows" || name === undefined) {
		const message = `The workflow ${request.name} runs only inside other workflows. Rehearse one that contains it.`;
		return { kind: "unplayable", message, diagnostics: [] };
	}
	const opened = openScenario(request, paths, "workflow", definition);
	if (opened.kind === "unplayable") return opened;
	const expected = phasesOf(definition, catalogue);
	const task = request.task.trim() || defaultTask;
	return {
		kind: "playable",
		shipped: definition.tier === "shipped",
		program: {
			kind: "workflow",
			name,
			task,
			scenario: opened.file,
			diagnostics: [
				...problemsOf(definition, catalogue),
				...instructionProblems(definition, catalogue),
				...opened.diagnostics,
				...unknownScripts(opened, "phase", expected),
			],
			expected,
		},
		config: {},
		play: (scene) => playWorkflow(name, task, scene),
		coverage: () => coverageOf(catalogue, definition.key, { name, task }),
	};
}

function coverageOf({ definitions }: Catalogue, key: string, { name, task }: Pick<Program, "name" | "task">): Coverage {
	return {
		plan: planWorkflowCoverage(definitions, key),
		async play(scene) {
			const ended = await playWorkflow(name, task, scene);
			scene.tracker.end("stopped");
			const session = sessionOf(scene);
			const entries = existsSync(session) ? readSession(session) : [];
			return { ...ended, evidence: workflowEvidence(definitions, key, entries, scene.tracker.visits) };
		},
	};
}

function sessionOf({ copy }: RunContext): string {
	return join(dirname(copy.project), "session.jsonl");
}

async function playWorkflow(name: string, task: string, scene: RunContext): Promise<RunResult> {
	const { host, copy, tracker, signal, say, decide } = scene;
	const { pi, packageRoot } = host;
	const args = ["-p", "--offline", "--approve", "-ne", "-e", packageRoot, "--model", understudyModel];
	const run = (prompt: string) =>
		runProcess(
			{ command: pi.command, args: [...pi.args, ...args, "--session", sessionOf(scene), prompt] },
			copy,
			tracker,
			signal,
		);
	let ended = await run(`/workflow ${name} ${task}`);
	let last = ended.output;
	// The rehearsal also answers for the user: it ends a phase that waits for them, or sends a paused run back.
	for (let answered = 0; (decide || answered < maxAnswers) && !signal?.aborted; answered++) {
		const waits = tracker.progress === "waits" && isWaiting(ended.exit);
		const answer = tracker.takeAnswer();
		const prompts = decide
			? await decidedPrompts(decide, tracker.progress, { ...ended, output: last })
			: scriptedPrompts(waits, tracker.progress, answer);
		if (prompts.length === 0) break;
		for (const prompt of prompts) {
			say(`The user would be asked here; ${decide ? "the player" : "the rehearsal"} answers ${asSentence(prompt)}`);
			const further = await run(prompt);
			last = further.output;
			ended = { ...further, output: ended.output + further.output, errors: ended.errors + further.errors };
		}
	}
	const result = last.trim();
	if (tracker.progress !== "done") return { ...ended, outcome: "stopped" };
	return { ...ended, outcome: "done", ...(result === "" ? {} : { result }) };
}

/** The prompts of a scenario's answer; none if the run does not take it. */
function scriptedPrompts(waits: boolean, progress: WorkflowProgress, answer: UserAnswer | undefined): string[] {
	if (waits) return [promptFor(answer)];
	return progress === "open" && answer?.kind === "sent" ? [promptFor(answer), "/workflow resume"] : [];
}

/** The prompts of a player's decision; none if the run has ended, or shall end. */
async function decidedPrompts(
	decide: Play["decide"],
	progress: WorkflowProgress,
	{ output, errors }: ProcessEnd,
): Promise<string[]> {
	if (progress !== "waits" && progress !== "open") return [];
	const waits = progress === "waits";
	const asked = questionIn(output) ?? questionIn(errors);
	const text =
		asked === undefined
			? [
					waits
						? "The phase waits for the user. `approve` ends the phase, `answer` and `reject` send words to the agent, `release` goes back to a phase."
						: "The workflow is paused. `approve` resumes it, `answer` and `reject` send words to the agent, `release` goes back to a phase.",
					output.trim().slice(-longestOutput),
					errors.trim().slice(-longestOutput),
				].filter((part) => part !== "")
			: [`The agent asks: ${asked}`, "`answer` sends your words to the agent, `release` goes back to a phase."];
	const decision = await decide({
		text: text.join("\n\n"),
		accepts: asked === undefined ? ["approve", "reject", "answer", "release", "stop"] : ["answer", "release", "stop"],
	});
	return promptsOf(decision, waits);
}

/** A message resumes a paused workflow; where the user ends the phase, it reaches the agent before the command. */
function promptsOf(decision: PlayedDecision, waits: boolean): string[] {
	const words = "words" in decision && decision.words ? [decision.words] : [];
	const resumes = waits || words.length > 0 ? [] : ["/workflow resume"];
	switch (decision.kind) {
		case "approve":
			return [...words, ...(waits ? ["/workflow next"] : resumes)];
		case "reject":
		case "answer":
			return words;
		case "release":
			return [...words, `/workflow back ${decision.to}`, ...resumes];
		case "stop":
			return [];
	}
}

/** The prompt that gives this answer. */
function promptFor(answer: UserAnswer | undefined): string {
	switch (answer?.kind) {
		case undefined:
			return "/workflow next";
		case "reject":
		case "answer":
			return answer.words;
		case "sent":
			return `/workflow back ${answer.to}`;
	}
}

function isWaiting(exit: ChildExit): boolean {
	return exit.kind === "exited" && exit.code === exitCodes.waits;
}

function loadWorkflows({ cwd, agentFolder }: ProjectPaths): Catalogue {
	return loadCatalogue(workflowRoots({ agentDir: agentFolder, cwd, trusted: true }));
}

/** Every phase of a run without loops, subworkflows included. */
function phasesOf(definition: WorkflowDefinition, catalogue: Catalogue, above = ""): readonly Expected[] {
	const path = `${above}${definition.name} > `;
	return definition.entries.flatMap((entry) => {
		if (entry.kind === "phase") {
			const { id, name, emoji } = entry;
			return [{ scope: definition.key, id, name, label: `${path}${emoji} ${name}` }];
		}
		const inner = catalogue.definitions.get(entry.key);
		return inner ? phasesOf(inner, catalogue, path) : [];
	});
}

/** Warnings about instructions of its phases, those of subworkflows included. */
function instructionProblems(definition: WorkflowDefinition, catalogue: Catalogue): readonly Diagnostic[] {
	const inner = definition.entries.flatMap((entry) =>
		entry.kind === "reference" ? [catalogue.definitions.get(entry.key)] : [],
	);
	const below = inner.flatMap((each) => (each ? instructionProblems(each, catalogue) : []));
	return [...checkPhaseInstructions(definition), ...below];
}

/** The catalogue's diagnostics about the files of the workflow. */
function problemsOf(definition: WorkflowDefinition, catalogue: Catalogue): readonly Diagnostic[] {
	const files = filesOfWorkflow(definition, catalogue.definitions);
	return catalogue.diagnostics.filter(({ file }) => files.has(file));
}

/** The question with which the workflow waits, in what pi printed; `undefined`: none. */
function questionIn(printed: string): string | undefined {
	const begin = askLine("");
	const at = printed.lastIndexOf(begin);
	if (at < 0) return undefined;
	const [question = ""] = printed.slice(at + begin.length).split(`\n${answerLine()}`, 1);
	return question.trim();
}
