// A workflow to rehearse: finds it, tells beforehand what cannot work, and plays it in one pi without a screen.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Diagnostic } from "../definition/index.ts";
import { exitCodes } from "../pi/index.ts";
import type { ChildExit } from "../process/index.ts";
import { type Catalogue, loadCatalogue, type WorkflowDefinition, workflowRoots } from "../workflow/index.ts";
import { runAct } from "./act.ts";
import { planWorkflowCoverage, readSession, workflowEvidence } from "./every/index.ts";
import { openScenario, strangers } from "./own-scenario.ts";
import {
	type Coverable,
	type Expected,
	type Outcome,
	type Place,
	type Playable,
	type PlayScene,
	taskOfNobody,
	type Unplayable,
	type Wish,
} from "./program.ts";
import { asSentence, type PersonAnswer } from "./scenario.ts";
import { understudyModel } from "./understudy.ts";

/** How often a rehearsal ends a phase in place of a person: a scenario may loop for ever. */
const mostWords = 100;

/** The names of all workflows that can be started. */
export function workflowNames(place: Place): string[] {
	return [...load(place).commands].filter(([, { show }]) => show === "user").map(([name]) => name);
}

/** Finds and checks the workflow that `wish` names; `undefined` where there is none of that name, sound or not. */
export function planWorkflow(wish: Wish, place: Place): Playable | Unplayable | undefined {
	const catalogue = load(place);
	const definition = catalogue.commands.get(wish.name) ?? catalogue.definitions.get(wish.name);
	if (!definition) {
		const rejected = catalogue.rejected.get(wish.name);
		if (!rejected) return undefined;
		return {
			kind: "unplayable",
			message: `The workflow ${wish.name} does not load.`,
			diagnostics: rejected.diagnostics,
		};
	}
	const { commandName: name } = definition;
	if (definition.show === "workflows" || name === undefined) {
		const message = `The workflow ${wish.name} runs only inside others, so rehearse one that contains it.`;
		return { kind: "unplayable", message, diagnostics: [] };
	}
	const opened = openScenario(wish, place, "workflow", definition.key);
	if (opened.kind === "unplayable") return opened;
	const expected = phasesOf(definition, catalogue);
	const task = wish.task.trim() || taskOfNobody;
	return {
		kind: "playable",
		program: {
			kind: "workflow",
			name,
			task,
			scenario: opened.file,
			diagnostics: [
				...problemsOf(definition, catalogue),
				...opened.diagnostics,
				...strangers(opened, "phase", expected),
			],
			expected,
		},
		sheet: {},
		play: (scene) => playWorkflow(name, task, scene),
	};
}

/** Plans the coverage of a workflow; `undefined` as for {@link planWorkflow}. */
export function planWorkflowRuns(wish: Wish, place: Place): Coverable | Unplayable | undefined {
	const playable = planWorkflow(wish, place);
	if (playable?.kind !== "playable") return playable;
	const { program } = playable;
	const { commands, definitions } = load(place);
	const key = (commands.get(wish.name) ?? definitions.get(wish.name))?.key ?? wish.name;
	return {
		kind: "coverable",
		program: { ...program, scenario: undefined },
		plan: planWorkflowCoverage(definitions, key),
		async play(scene) {
			const ended = await playWorkflow(program.name, program.task, scene);
			scene.tracker.end("stopped");
			const session = sessionOf(scene);
			const entries = existsSync(session) ? readSession(session) : [];
			return { ...ended, evidence: workflowEvidence(definitions, key, entries, scene.tracker.parts) };
		},
	};
}

function sessionOf({ stage }: PlayScene): string {
	return join(dirname(stage.project), "session.jsonl");
}

async function playWorkflow(name: string, task: string, scene: PlayScene): Promise<Outcome> {
	const { house, stage, tracker, signal, say } = scene;
	const { pi, packageRoot } = house;
	const args = ["-p", "--offline", "--approve", "-ne", "-e", packageRoot, "--model", understudyModel];
	const act = (prompt: string) =>
		runAct(
			{ command: pi.command, args: [...pi.args, ...args, "--session", sessionOf(scene), prompt] },
			stage,
			tracker,
			signal,
		);
	let ended = await act(`/workflow ${name} ${task}`);
	// The rehearsal plays the person as well: who ends a phase that waits for them, or sends a paused run back.
	for (let said = 0; said < mostWords && !signal?.aborted; said++) {
		const waits = tracker.standing === "waits" && isWaiting(ended.exit);
		const answer = tracker.takeAnswer();
		if (!waits && !(tracker.standing === "open" && answer?.kind === "sent")) break;
		for (const words of waits ? [wordsFor(answer)] : [wordsFor(answer), "/workflow resume"]) {
			say(`A person would be asked here; the rehearsal goes on with ${asSentence(words)}`);
			const further = await act(words);
			ended = { ...further, output: ended.output + further.output, errors: ended.errors + further.errors };
		}
	}
	return { ...ended, outcome: tracker.standing === "done" ? "done" : "stopped" };
}

/** What a person types to give this answer. */
function wordsFor(answer: PersonAnswer | undefined): string {
	switch (answer?.kind) {
		case undefined:
			return "/workflow next";
		case "reject":
			return answer.words;
		case "sent":
			return `/workflow back ${answer.to}`;
	}
}

function isWaiting(exit: ChildExit): boolean {
	return exit.kind === "exited" && exit.code === exitCodes.waits;
}

function load({ cwd, agentFolder }: Place): Catalogue {
	return loadCatalogue(workflowRoots({ agentDir: agentFolder, cwd, trusted: true }));
}

/** Every phase that a workflow comes through when nothing is looped, subworkflows included. */
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

/** What the catalogue says about the files that the workflow consists of. */
function problemsOf(definition: WorkflowDefinition, catalogue: Catalogue): readonly Diagnostic[] {
	const files = new Set<string>();
	const collect = (part: WorkflowDefinition): void => {
		files.add(part.file);
		for (const entry of part.entries) {
			if (entry.kind === "phase") files.add(entry.file);
			else {
				const inner = catalogue.definitions.get(entry.key);
				if (inner) collect(inner);
			}
		}
	};
	collect(definition);
	return catalogue.diagnostics.filter(({ file }) => files.has(file));
}
