// Reads from a run what its worker is told. Pure; the only place that does.
import { truncate } from "../definition/index.ts";
import {
	awaitedLists,
	candidatesIn,
	type LaunchReason,
	messageWords,
	outboxOfLaunch,
	outputIn,
	planOf,
	type Run,
	type RunDecision,
	readOutput,
	statesWithData,
	targetMeanings,
	targetsWithoutOutput,
} from "../machine/index.ts";
import { fillReferences, outputText, splitReference } from "../output/index.ts";
import type { WorkerAbilities } from "../ports/index.ts";
import { joinChanges, outputsOf, type Snapshot, visitsBefore } from "../snapshot/index.ts";
import { type CommandPlan, HUMAN_INTERVENTION, type StatePlan, type Template } from "../template/index.ts";
import type {
	CandidateChild,
	ChildRole,
	EarlierCall,
	Ending,
	FirstMessageBrief,
	Known,
	KnownSummary,
	Rewound,
	Target,
	Task,
} from "./first-message-brief.ts";
import { shortenedNext } from "./known.ts";

/** What the run itself does not know. */
export interface BriefPlace {
	/** Absolute path of the worker's folder. */
	readonly cwd: string;
	/** Path of the file with the unabridged handover, and of the event log. */
	readonly file: string;
	readonly log: string;
	/** Folders of the children to choose from, by run id. */
	readonly folders: ReadonlyMap<string, string>;
	/** Of the states of the run whose workers' abilities are known. */
	readonly abilities: ReadonlyMap<StatePlan, WorkerAbilities>;
}

/** The brief of the worker that is launched now because of `because`, or whose conversation was compacted. */
export function briefOf(run: Run, because: LaunchReason | "compacted", place: BriefPlace): FirstMessageBrief {
	const state = planOf(run);
	const { description, instructions } = state;
	const { inherited, plan } = run;
	// What is queued while it works is sent to it as a message.
	const queued = new Set((run.stage.kind === "working" ? [] : outboxOfLaunch(run)).map(({ id }) => id));
	const sentLater = new Set(run.outbox.filter(({ id, given }) => !queued.has(id) && !given).map(({ id }) => id));
	const own = place.abilities.get(state);
	const rewound = rewoundOf(run);
	const child = childRoleOf(run);
	return {
		run: run.template.name,
		visit: run.visit,
		state: {
			name: run.state,
			...(description === undefined ? {} : { description: fillIn(run, description) }),
			...(instructions === undefined ? {} : { instructions: fillIn(run, instructions) }),
		},
		way: wayThrough(plan, run.state),
		...(child ? { child } : {}),
		...earlierTry(run, because),
		...(rewound ? { rewound } : {}),
		...(own ? { abilities: own } : {}),
		freeShell: state.shell === "free",
		cwd: place.cwd,
		task: briefTask(run),
		decisions: [...(inherited?.decisions ?? []), ...run.decisions.filter(({ seq }) => !sentLater.has(seq))],
		unread: new Set(run.decisions.filter(({ seq }) => queued.has(seq))),
		candidates: candidatesToJudge(run, place.folders),
		known: knownOf(run, place),
		unmeasured: run.unmeasured.map(
			({ visit, why }) => `What visit ${visit} changed in the files could not be measured: ${why}`,
		),
		file: place.file,
		ending: endingOf(run, place.abilities),
	};
}

/** How the current state ends. `abilities`: of the workers that may follow, as far as they are known. */
export function endingOf(run: Run, abilities: BriefPlace["abilities"] = new Map()): Ending {
	const without = targetsWithoutOutput(run);
	return {
		targets: Object.entries(targetMeanings(run)).map(([name, meaning]) => ({
			...{ name, meaning, data: outputIn(run) !== undefined && !without.includes(name) },
			...(isElsewhere(run, name) ? followerOf(run, name, abilities) : { approved: false }),
		})),
		lists: awaitedLists(run),
	};
}

/** Whether a move to `target` starts another state, or ends the run. */
function isElsewhere(run: Run, target: string): boolean {
	return target !== HUMAN_INTERVENTION && (target !== run.state || planOf(run).terminal);
}

function followerOf(
	run: Run,
	name: string,
	abilities: BriefPlace["abilities"],
): Omit<Target, "name" | "meaning" | "data"> {
	const { terminal, approval } = planOf(run);
	if (terminal) return { approved: approval.exit };
	const next = planOf(run, name);
	const approved = approval.exit || next.approval.entry;
	if (next.children) {
		const { branches, forEach } = next.children;
		const names = branches.map((branch) => branch.name).join(", ");
		const children =
			forEach === undefined ? `${branches.length} agents at once: ${names}` : `one agent for each of ${forEach}`;
		return { children, approved };
	}
	if (next.command) return { children: commandText(next.command), approved };
	const can = next.persona ? abilities.get(next) : undefined;
	return { ...(can ? { abilities: can } : {}), approved };
}

/** `{tests}` is the project's own test command, which only the host that runs it finds. */
function commandText({ line }: CommandPlan): string {
	return line.trim() === "{tests}"
		? "the project's tests"
		: `the command \`${truncate(line.replace(/\s+/g, " "), 80)}\``;
}

/** The user's decisions that the worker of a launch has not read yet, and other queued messages. */
export function queuedFor(run: Run): { readonly decisions: readonly RunDecision[]; readonly texts: readonly string[] } {
	const queued = outboxOfLaunch(run);
	const ids = new Set(queued.map(({ id }) => id));
	const decisions = run.decisions.filter(({ seq }) => ids.has(seq));
	const known = new Set(decisions.map(({ seq }) => seq));
	// Reminders, and what an earlier version queued.
	const texts = queued.filter(({ id }) => !known.has(id)).map(messageWords);
	return { decisions, texts };
}

/** The calls in flight when the last worker ended. */
export function inFlightOf({ calls: { interrupted } }: Run): readonly EarlierCall[] {
	return interrupted.calls.map(({ tool, args, undone = false }) => ({ tool, args, failed: false, undone }));
}

/** Whether the files were set back in this visit, because another host took over. */
export function isSetBack({ calls }: Run): boolean {
	return calls.setBack === true;
}

/** The finished calls whose changes are gone. */
export function undoneCallsOf(run: Run): readonly EarlierCall[] {
	return recentCalls(run).filter(({ undone }) => undone);
}

function recentCalls({ calls: { recent } }: Run): readonly EarlierCall[] {
	return callsOf(recent);
}

function callsOf(recent: Run["calls"]["recent"]): readonly EarlierCall[] {
	return recent.map(({ tool, args, failed, undone = false }) => ({ tool, args, failed, undone }));
}

function childRoleOf({ parent, inherited }: Run): ChildRole | undefined {
	if (!parent || !inherited) return undefined;
	const { siblings, needs = [], run, state, reader } = inherited;
	const { name, files, notes = [] } = parent;
	return { name, siblings, needs, files, run, state, notes, reader };
}

function briefTask({ task, inherited }: Run): Task {
	if (!inherited) return { text: task, by: "user" };
	const whole = inherited.task;
	// In a ledger of an earlier version, a child's task cuts the task of the run if it is long.
	if (task === whole || (task.endsWith("…") && whole.startsWith(task.slice(0, -1)))) return { text: whole, by: "user" };
	const by = inherited.conflicts ? "merge" : "template";
	return { text: task, by, ...(by === "template" && task.includes(whole) ? {} : { whole }) };
}

function rewoundOf(run: Run): Rewound | undefined {
	const last = run.history.at(-1);
	if (last?.cause !== "rewind" || last.visit !== run.visit - 1) return undefined;
	const done = run.kept.at(-1)?.rewound;
	const back = { state: run.state, last: last.visit, left: done?.left ?? 0 };
	if (done?.to !== undefined) return { ...back, to: done.to };
	const undone = done && run.kept.find(({ seq }) => seq === done.kept);
	return undone ? { ...back, to: undone.visit, unfinished: callsOf(undone.calls ?? []) } : undefined;
}

/** What worked on this visit before. Its own work does not come from an earlier worker for one whose conversation was compacted. */
function earlierTry(run: Run, because: LaunchReason | "compacted"): Pick<FirstMessageBrief, "earlier"> {
	const isAgain = run.attempt > 1 || because === "session_lost" || because === "crashed";
	if (because === "compacted" || !isAgain) return {};
	const known = { setBack: isSetBack(run), calls: recentCalls(run), inFlight: inFlightOf(run) };
	return { earlier: { why: whyAgain(because), ...known } };
}

function whyAgain(because: LaunchReason): string {
	switch (because) {
		case "repeated":
			return "An earlier worker of this state asked for a fresh one: its summary is below.";
		case "timed_out":
			return "An earlier worker of this state was stopped, because it took too long or was silent for too long.";
		case "crashed":
		case "session_lost":
		case "interrupted":
		case "answered":
			return "An earlier worker of this state ended unexpectedly.";
		case "provider_error":
			return "The model of an earlier worker of this state failed.";
		case "rejected":
			return "The user did not approve the move of an earlier worker of this state.";
		case "entered":
		case "resumed":
			return "An earlier worker of this state stopped.";
	}
}

function candidatesToJudge(run: Run, folders: BriefPlace["folders"]): readonly CandidateChild[] {
	const visit = run.candidates?.group.visit;
	return candidatesIn(run, run.state).map(({ id, name, summary, changed }) => {
		const folder = folders.get(id);
		const whole = run.snapshot.summaries.find((one) => one.visit === visit && one.child === name);
		return {
			name,
			summary: whole?.text ?? summary,
			folder,
			...(changed ? { files: changed.files } : {}),
		};
	});
}

function knownOf(run: Run, { file, log }: Pick<BriefPlace, "file" | "log">): Known {
	const { snapshot, inherited, candidates, state, visit, uncommitted = inherited?.uncommitted } = run;
	const above = inherited?.snapshot;
	const chosen = candidates?.judge === state ? candidates.group.visit : undefined;
	const { findings, pendingTasks, files, summaries } = snapshot.dropped;
	const dropped = findings + pendingTasks + summaries;
	const others = [
		...(dropped > 0 ? [`${dropped} older entries are only in ${file}.`] : []),
		...(files > 0 ? [`${files} more changed files are only in the ledger of the run: ${log}`] : []),
	];
	return {
		pendingTasks: snapshot.pendingTasks,
		parentTasks: above?.pendingTasks ?? [],
		findings: [...(above?.findings ?? []), ...snapshot.findings],
		resolved: snapshot.resolved ?? [],
		outputs: [...(above ? outputsOf(above) : []), ...outputsOf(snapshot)],
		summaries: [
			...(above ? summariesOf(above, { merges: inherited?.conflicts !== undefined }) : []),
			...summariesOf(snapshot, { now: visit, except: chosen }),
		],
		...(uncommitted ? { uncommitted } : {}),
		files: joinChanges(above?.files ?? [], snapshot.files),
		lost: others.join(" "),
	};
}

/** Ids of the entries that the worker of the next state may not get whole in its first message. */
export function entriesToShorten(run: Run): readonly string[] {
	return shortenedNext(knownOf(run, { file: "", log: "" }), run);
}

/**
 * The summaries of one run, oldest first. `now`: the current visit, if it is the worker's own run; `merges`: the worker merges the files of the
 * children of the last visit; `except`: a visit whose children the worker reads about elsewhere.
 */
function summariesOf(
	{ summaries }: Snapshot,
	{
		now,
		merges = false,
		except,
	}: { readonly now?: number; readonly merges?: boolean; readonly except?: number | undefined },
): Known["summaries"] {
	const merged = merges ? summaries.at(-1)?.visit : undefined;
	const earlier = summaries.filter(({ visit }) => visit !== merged);
	const withChildren = new Set(summaries.flatMap(({ visit, child }) => (child === undefined ? [] : [visit])));
	const places = new Map<number | undefined, KnownSummary["of"]>([
		...[...visitsBefore(earlier, now)].map((visit) => [visit, "before"] as const),
		[now, "now"],
		[merged, "merged"],
	]);
	return summaries
		.filter(({ visit, child }) => visit !== except && (child !== undefined || !withChildren.has(visit)))
		.map(({ state, visit, child, text, command }) => ({
			state: child === undefined ? state : `${state}, child "${child}"`,
			...{ visit, text, of: places.get(visit) ?? "older" },
			...(command ? { command } : {}),
		}));
}

/** The text with what earlier states have handed over. */
function fillIn(run: Run, text: string): string {
	return fillReferences(text, (reference) => {
		const found = readOutput(run, reference);
		if ("value" in found) return outputText(found.value);
		return splitReference(reference, statesWithData(run)) ? "(no data)" : undefined;
	});
}

/** Names from the first state to the end, through `state`. A part that does not exist is left out. */
function wayThrough(plan: Template, state: string): readonly string[] {
	const main = wayOn(plan, [plan.initial]);
	if (main.includes(state)) return main;
	return wayOn(plan, shortestWay(plan, state));
}

/** `way`, continued to the end: `failed` only if there is no other. */
function wayOn(plan: Template, way: readonly string[]): readonly string[] {
	const isEnd = (name: string) => plan.states.get(name)?.terminal ?? true;
	return firstWay(plan, way, (name) => isEnd(name) && name !== "failed") ?? firstWay(plan, way, isEnd) ?? way;
}

/** The first way, by the order of targets, that goes from the end of `way` to a state that `isFound`, and to no state twice. */
function firstWay(
	plan: Template,
	way: readonly string[],
	isFound: (name: string) => boolean,
): readonly string[] | undefined {
	const seen = new Set(way);
	const open: (readonly string[])[] = [way];
	for (let next = open.pop(); next; next = open.pop()) {
		const last = next.at(-1) ?? "";
		if (isFound(last)) return next;
		seen.add(last);
		const from = next;
		open.push(
			...statesAfter(plan, last)
				.filter((name) => !seen.has(name))
				.map((name) => [...from, name])
				.reverse(),
		);
	}
	return undefined;
}

function shortestWay(plan: Template, state: string): readonly string[] {
	const seen = new Set([plan.initial]);
	const ways: (readonly string[])[] = [[plan.initial]];
	for (const way of ways) {
		if (way.at(-1) === state) return way;
		for (const name of statesAfter(plan, way.at(-1) ?? "")) {
			if (seen.has(name)) continue;
			seen.add(name);
			ways.push([...way, name]);
		}
	}
	return [state];
}

function statesAfter(plan: Template, state: string): readonly string[] {
	return (plan.states.get(state)?.next ?? []).filter((name) => name !== HUMAN_INTERVENTION);
}
