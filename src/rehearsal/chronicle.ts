// Rehearses a chronicle: finds its template, plans a path through its states, and runs it with the commands of the command line. The
// scenario answers questions; the default is yes.
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type FoundTemplate, readTemplates, type Template, templateFolders } from "../chronicle/index.ts";
import { BUILT_IN_TOOLS, keepAllowed, loadAgentRegistry, readToolNames, resolvePersona } from "../persona/index.ts";
import {
	chronicleEvidence,
	type Evidence,
	ledgerOrigin,
	planChronicleCoverage,
	type RehearsedChild,
	readLedger,
	withChildren,
} from "./every/index.ts";
import { openScenario, unknownScripts } from "./open-scenario.ts";
import { planPath } from "./path.ts";
import { runProcess } from "./process.ts";
import {
	type Coverable,
	defaultTask,
	type Expected,
	type Playable,
	type ProjectPaths,
	type RehearsalRequest,
	type RunContext,
	type RunResult,
	type Unplayable,
} from "./rehearse.ts";
import { asSentence, type UserAnswer } from "./scenario.ts";
import { understudyModel } from "./understudy.ts";

/** Maximum number of questions answered in one run. */
const maxAnswers = 100;

/** The names of all templates that load. */
export function chronicleNames(paths: ProjectPaths): string[] {
	return [...load(paths)].filter(([, { read }]) => read !== undefined).map(([name]) => name);
}

/** Finds and checks the requested template; `undefined` if no template has that name, valid or not. */
export function planChronicle(request: RehearsalRequest, paths: ProjectPaths): Playable | Unplayable | undefined {
	const found = load(paths).get(request.name);
	if (!found) return undefined;
	if (!found.read)
		return {
			kind: "unplayable",
			message: `The chronicle ${request.name} does not load.`,
			diagnostics: found.diagnostics,
		};
	const opened = openScenario(request, paths, "chronicle", found);
	if (opened.kind === "unplayable") return opened;
	const { template } = found.read;
	const expected = [...statesOf(template), ...childStates(template, paths)];
	const task = request.task.trim() || defaultTask;
	return {
		kind: "playable",
		shipped: found.tier === "shipped",
		program: {
			kind: "chronicle",
			name: found.key,
			task,
			scenario: opened.file,
			diagnostics: [...found.diagnostics, ...opened.diagnostics, ...unknownScripts(opened, "state", expected)],
			expected,
		},
		config: { path: pathOf(template) },
		play: (scene) => playChronicle(found.key, task, scene),
	};
}

/** Plans the coverage of a template; `undefined` as for {@link planChronicle}. */
export function planChronicleRuns(request: RehearsalRequest, paths: ProjectPaths): Coverable | Unplayable | undefined {
	const playable = planChronicle(request, paths);
	const template = load(paths).get(request.name)?.read?.template;
	if (playable?.kind !== "playable" || !template) return playable?.kind === "unplayable" ? playable : undefined;
	const { program } = playable;
	const children = childTemplates(template, paths);
	return {
		kind: "coverable",
		shipped: playable.shipped,
		program: { ...program, scenario: undefined },
		plan: withChildren(planChronicleCoverage(template, toolsOf(template, paths)), children),
		async play(scene, atStart) {
			const ended = await playChronicle(program.name, program.task, scene, atStart);
			const sessions = join(scene.copy.project, ".pi", "chronicle", "sessions");
			const logs = readdirSync(sessions).filter((name) => name.endsWith(".events.jsonl"));
			scene.tracker.end("stopped");
			const ledgers = logs.map((name) => readLedger(join(sessions, name)));
			return { ...ended, evidence: treeEvidence(template, children, ledgers, scene.tracker.visits) };
		},
	};
}

/** The evidence of a run and of its child runs. */
function treeEvidence(
	template: Template,
	children: readonly RehearsedChild[],
	ledgers: readonly ReturnType<typeof readLedger>[],
	visits: Parameters<typeof chronicleEvidence>[2],
): Evidence {
	const root = ledgers.find((events) => !ledgerOrigin(events).isChild) ?? [];
	const { covered, broken, end } = chronicleEvidence(template, root, visits);
	const all = { covered: new Set(covered), broken: new Map(broken), end };
	for (const events of ledgers.filter((one) => ledgerOrigin(one).isChild)) {
		const child = children.find(({ key }) => key === ledgerOrigin(events).name);
		if (!child) continue;
		const { covered: below, broken: wrong } = chronicleEvidence(child.template, events, visits, child.key);
		for (const id of below) all.covered.add(`${child.key}/${id}`);
		for (const [id, why] of wrong) all.broken.set(`${child.key}/${id}`, why);
	}
	return all;
}

/** The templates that the children of a template run, directly and through others. */
function childTemplates(template: Template, paths: ProjectPaths): readonly RehearsedChild[] {
	const catalogue = load(paths);
	const found = new Map<string, RehearsedChild>();
	const add = (plan: Template, root: string | undefined): void => {
		for (const { name, children } of plan.states.values())
			for (const branch of children?.branches ?? []) {
				const [key, child] = childTemplate(branch, catalogue);
				if (!child || found.has(key)) continue;
				const state = root ?? name;
				found.set(key, { key, template: child, toolsOf: toolsOf(child, paths), state });
				add(child, state);
			}
	};
	add(template, undefined);
	return [...found.values()];
}

/** The tools that the template and the agent file allow a state's worker; `undefined`: all. */
function toolsOf(
	{ states }: Template,
	{ cwd, agentFolder }: ProjectPaths,
): (state: string) => readonly string[] | undefined {
	// The home folder of a rehearsal has no agents.
	const registry = loadAgentRegistry({ cwd, project: "trusted", agentFolder, home: agentFolder });
	return (name) => {
		const state = states.get(name);
		if (!state?.persona) return undefined;
		const listed = state.tools && readToolNames(state.tools);
		const found = resolvePersona({ ...state.persona, team: state.team, listsTools: listed !== undefined }, registry);
		if (found.kind === "none") return undefined;
		const { tools, restrictions } = found.persona;
		const given = listed?.kind === "all" ? undefined : (listed?.names ?? tools);
		const free = keepAllowed(BUILT_IN_TOOLS, restrictions).left.length === 0;
		return given === undefined && free ? undefined : keepAllowed(given ?? BUILT_IN_TOOLS, restrictions).kept;
	};
}

function load({ cwd, agentFolder }: ProjectPaths): ReadonlyMap<string, FoundTemplate> {
	return readTemplates(templateFolders({ cwd, agentFolder, trusted: true })).templates;
}

/** The states of all child runs, by the names of their templates. */
function childStates(template: Template, paths: ProjectPaths): Expected[] {
	const templates = childTemplates(template, paths);
	const all = [template, ...templates.map(({ template: child }) => child)];
	return templates.flatMap(({ key, template: child }) => {
		const children = [...new Set(all.flatMap((parent) => namesOfChildren(parent, key)))];
		return statesOf(child).map((state) => ({ ...state, scope: key, children, label: `${key}/${state.name}` }));
	});
}

/** Names of the children of `parent` that run the template `key`. */
function namesOfChildren({ states }: Template, key: string): string[] {
	return [...states.values()].flatMap(({ children }) =>
		(children?.branches ?? [])
			.filter(({ name, template }) => (template.kind === "inline" ? name : template.name) === key)
			.map(({ name }) => (children?.forEach === undefined ? name : `${name} 1`)),
	);
}

type StatePlan = NonNullable<ReturnType<Template["states"]["get"]>>;
type Branch = NonNullable<StatePlan["children"]>["branches"][number];

/** The name and the template of a child run; no template if it does not load. */
function childTemplate(
	{ name, template }: Branch,
	catalogue: ReadonlyMap<string, FoundTemplate>,
): readonly [string, Template | undefined] {
	if (template.kind === "inline") return [name, template.template];
	return [template.name, catalogue.get(template.name)?.read?.template];
}

/** The states with a worker. */
function statesOf({ states }: Template): Expected[] {
	return [...states.values()]
		.filter(({ terminal, persona, children }) => (!terminal || persona !== undefined) && !children)
		.filter(({ name }) => name !== "human_intervention")
		.map(({ name }) => ({ scope: undefined, id: name, name, label: name }));
}

function pathOf({ initial, states, limits }: Template): readonly string[] {
	return planPath({
		initial,
		person: "human_intervention",
		personChooses: true,
		mayRepeat: () => false,
		next: new Map(
			[...states].map(([name, { next, terminal, children }]) => [
				name,
				terminal ? [] : children ? next.slice(0, 1) : next,
			]),
		),
		maxMoves: limits.moves,
		maxMovesBetween: (one, other) => limits.pairs[[one, other].sort().join(" <-> ")] ?? limits.pairMoves,
	});
}

async function playChronicle(name: string, task: string, scene: RunContext, atStart?: UserAnswer): Promise<RunResult> {
	const { host, copy, tracker, signal, say } = scene;
	const verb = (words: readonly string[]) =>
		runProcess(
			{
				// The single binary of pi is not Node.
				command: process.versions.bun ? "node" : process.execPath,
				args: [join(host.packageRoot, "bin", "pi-chronicle.mjs"), ...words],
			},
			{ ...copy, env: { ...copy.env, PI_CHRONICLE_PI: host.pi.args.at(-1) ?? host.pi.command } },
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
	for (let answered = 0; answered < maxAnswers && !signal?.aborted; answered++) {
		const { status, question, id } = readResult(ended.output);
		const answer = answered === 0 && atStart ? atStart : tracker.takeAnswer();
		if (ended.exit.kind !== "exited" || id === undefined || !takesAnswer(status, answer)) break;
		say(`? ${question ?? "The run asks a question."} The rehearsal ${describeAnswer(answer)}`);
		ended = await verb(answerArguments(askingRun(copy.project, id), answer));
	}
	const { status, waits } = readResult(ended.output);
	const done = ended.exit.kind === "exited" && ended.exit.code === 0 && status === "done";
	// The commands' progress lines are omitted, because the report lists the visits.
	return { ...ended, outcome: done ? "done" : "stopped", output: waits ?? "", errors: done ? "" : ended.errors };
}

/** The run that asks: the first run `id`, or one of the child runs. */
function askingRun(project: string, id: string): string {
	const sessions = join(project, ".pi", "chronicle", "sessions");
	const asking = readdirSync(sessions)
		.filter((name) => name.endsWith(".json"))
		.filter((name) => {
			const { stage } = JSON.parse(readFileSync(join(sessions, name), "utf8")) as { stage?: { kind?: string } };
			return stage?.kind === "asking";
		})
		.map((name) => basename(name, ".json"));
	return asking.includes(id) ? id : (asking[0] ?? id);
}

/** Whether a run in this status accepts the answer. `human_intervention` only accepts a target. */
function takesAnswer(status: string | undefined, answer: UserAnswer | undefined): boolean {
	return status === "awaiting_approval" || (status === "human_intervention" && answer?.kind === "sent");
}

/** The command line that gives this answer to the run `id`. */
function answerArguments(id: string, answer: UserAnswer | undefined): string[] {
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

function describeAnswer(answer: UserAnswer | undefined): string {
	switch (answer?.kind) {
		case undefined:
			return "approves.";
		case "reject":
			return `rejects: ${asSentence(answer.words)}`;
		case "sent":
			return `sends it to ${answer.to}.`;
	}
}

/** The fields of a verb's JSON output; empty if the output is something else. */
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
