// A chronicle to rehearse: finds its template, plans the way through its states, and plays it with the command line's own verbs. What a
// person would be asked is answered with yes, and told.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type FoundTemplate, readTemplates, type Template, templateFolders } from "../chronicle/index.ts";
import { BUILT_IN_TOOLS, keepAllowed, loadAgentRegistry, readToolNames, resolvePersona } from "../persona/index.ts";
import { runAct } from "./act.ts";
import { chronicleEvidence, planChronicleCoverage, readLedger } from "./every/index.ts";
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
import { planRoute } from "./route.ts";
import { asSentence, type PersonAnswer } from "./scenario.ts";
import { understudyModel } from "./understudy.ts";

/** Answers to questions of one run; a run that asks more often stops. */
const mostAnswers = 100;

/** The names of all templates that load. */
export function chronicleNames(place: Place): string[] {
	return [...load(place)].filter(([, { read }]) => read !== undefined).map(([name]) => name);
}

/** Finds and checks the template that `wish` names; `undefined` where there is none of that name, sound or not. */
export function planChronicle(wish: Wish, place: Place): Playable | Unplayable | undefined {
	const found = load(place).get(wish.name);
	if (!found) return undefined;
	if (!found.read)
		return { kind: "unplayable", message: `The chronicle ${wish.name} does not load.`, diagnostics: found.diagnostics };
	const opened = openScenario(wish, place, "chronicle", found.key);
	if (opened.kind === "unplayable") return opened;
	const { template } = found.read;
	const expected = statesOf(template);
	const task = wish.task.trim() || taskOfNobody;
	return {
		kind: "playable",
		program: {
			kind: "chronicle",
			name: found.key,
			task,
			scenario: opened.file,
			diagnostics: [...found.diagnostics, ...opened.diagnostics, ...strangers(opened, "state", expected)],
			expected,
		},
		sheet: { route: routeOf(template) },
		play: (scene) => playChronicle(found.key, task, scene),
	};
}

/** Plans the coverage of a template; `undefined` as for {@link planChronicle}. */
export function planChronicleRuns(wish: Wish, place: Place): Coverable | Unplayable | undefined {
	const playable = planChronicle(wish, place);
	const template = load(place).get(wish.name)?.read?.template;
	if (playable?.kind !== "playable" || !template) return playable?.kind === "unplayable" ? playable : undefined;
	const { program } = playable;
	return {
		kind: "coverable",
		program: { ...program, scenario: undefined },
		plan: planChronicleCoverage(template, toolsOf(template, place)),
		async play(scene, atStart) {
			const ended = await playChronicle(program.name, program.task, scene, atStart);
			const sessions = join(scene.stage.project, ".pi", "chronicle", "sessions");
			const [ledger] = readdirSync(sessions).filter((name) => name.endsWith(".events.jsonl"));
			const events = ledger === undefined ? [] : readLedger(join(sessions, ledger));
			scene.tracker.end("stopped");
			return { ...ended, evidence: chronicleEvidence(template, events, scene.tracker.parts) };
		},
	};
}

/** The tools that a state's worker may have by its template and its agent file; `undefined`: nothing limits them. */
function toolsOf({ states }: Template, { cwd, agentFolder }: Place): (state: string) => readonly string[] | undefined {
	// A rehearsal's home has no agents of its own.
	const cast = loadAgentRegistry({ cwd, project: "trusted", agentFolder, home: agentFolder });
	return (name) => {
		const state = states.get(name);
		if (!state?.persona) return undefined;
		const listed = state.tools && readToolNames(state.tools);
		const found = resolvePersona({ ...state.persona, team: state.team, listsTools: listed !== undefined }, cast);
		if (found.kind === "none") return undefined;
		const { tools, restrictions } = found.persona;
		const given = listed?.kind === "all" ? undefined : (listed?.names ?? tools);
		const free = keepAllowed(BUILT_IN_TOOLS, restrictions).left.length === 0;
		return given === undefined && free ? undefined : keepAllowed(given ?? BUILT_IN_TOOLS, restrictions).kept;
	};
}

function load({ cwd, agentFolder }: Place): ReadonlyMap<string, FoundTemplate> {
	return readTemplates(templateFolders({ cwd, agentFolder, trusted: true })).templates;
}

/** The states that a worker does. */
function statesOf({ states }: Template): Expected[] {
	return [...states.values()]
		.filter(({ terminal, persona, name }) => (!terminal || persona !== undefined) && name !== "human_intervention")
		.map(({ name }) => ({ scope: undefined, id: name, name, label: name }));
}

function routeOf({ initial, states, limits }: Template): string[] {
	return planRoute({
		initial,
		next: new Map([...states].map(([name, { next, terminal }]) => [name, terminal ? [] : next])),
		mostMoves: limits.moves,
		mostBetween: (one, other) => limits.pairs[[one, other].sort().join(" <-> ")] ?? limits.pairMoves,
	});
}

async function playChronicle(name: string, task: string, scene: PlayScene, atStart?: PersonAnswer): Promise<Outcome> {
	const { house, stage, tracker, signal, say } = scene;
	const verb = (words: readonly string[]) =>
		runAct(
			{
				// In a pi that is one binary, that binary is no Node.
				command: process.versions.bun ? "node" : process.execPath,
				args: [join(house.packageRoot, "bin", "pi-chronicle.mjs"), ...words],
			},
			{ ...stage, env: { ...stage.env, PI_CHRONICLE_PI: house.pi.args.at(-1) ?? house.pi.command } },
			tracker,
			signal,
		);
	let ended = await verb([
		"run",
		"--json",
		"--approve",
		"--without-cleanup",
		"--model",
		understudyModel,
		name,
		"--",
		task,
	]);
	for (let answered = 0; answered < mostAnswers && !signal?.aborted; answered++) {
		const { status, question, id } = readResult(ended.output);
		const answer = answered === 0 && atStart ? atStart : tracker.takeAnswer();
		if (ended.exit.kind !== "exited" || id === undefined || !takesAnswer(status, answer)) break;
		say(`? ${question ?? "A person is asked."} The rehearsal ${spokenAs(answer)}`);
		ended = await verb(answerWords(id, answer));
	}
	const { status, waits } = readResult(ended.output);
	const done = ended.exit.kind === "exited" && ended.exit.code === 0 && status === "done";
	// The progress that the verbs wrote is told part by part already.
	return { ...ended, outcome: done ? "done" : "stopped", output: waits ?? "", errors: done ? "" : ended.errors };
}

/** Whether a run in this status takes the answer. Out of `human_intervention` it can only be sent on. */
function takesAnswer(status: string | undefined, answer: PersonAnswer | undefined): boolean {
	return status === "awaiting_approval" || (status === "human_intervention" && answer?.kind === "sent");
}

/** The verb by which a person gives this answer to the run `id`. */
function answerWords(id: string, answer: PersonAnswer | undefined): string[] {
	const options = ["--json", "--approve", "--run", id, "--"];
	switch (answer?.kind) {
		case undefined:
			return ["approve", ...options];
		case "reject":
			return ["reject", ...options, answer.words];
		case "sent":
			return ["release", ...options, answer.to, ...(answer.words === "" ? [] : [answer.words])];
	}
}

function spokenAs(answer: PersonAnswer | undefined): string {
	switch (answer?.kind) {
		case undefined:
			return "agrees.";
		case "reject":
			return `says no: ${asSentence(answer.words)}`;
		case "sent":
			return `sends it to ${answer.to}.`;
	}
}

/** What a verb with --json says about the run; nothing where it says something else. */
function readResult(output: string): { id?: string; status?: string; question?: string; waits?: string } {
	try {
		const { id, status, question, waitsFor } = JSON.parse(output) as Record<string, unknown>;
		const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
		const asked = text((question as { text?: unknown } | null)?.text);
		const waits = text((waitsFor as { what?: unknown } | null)?.what);
		return {
			...(typeof id === "string" ? { id } : {}),
			...(typeof status === "string" ? { status } : {}),
			...(asked === undefined ? {} : { question: asked }),
			...(waits === undefined ? {} : { waits }),
		};
	} catch {
		return {};
	}
}
