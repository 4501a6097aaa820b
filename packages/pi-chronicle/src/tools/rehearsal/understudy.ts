// The replies of the understudy, a scripted stand-in for a model. Pure.
// Every text begins with the label. A phase or state without a script gets the automatic round: read, run, write, move on. It calls only
// tools that the request declares, except planned calls that must be refused. It repeats an exit at most once, so a run that cannot advance
// stops.
import { sampleData } from "./sample-data.ts";
import {
	type Cue,
	type Exit,
	findCues,
	namesOfChild,
	type Scenario,
	type ScriptedCall,
	type UserAnswer,
} from "./scenario.ts";

/** Prefix of every text of the understudy. */
export const label = "[understudy, no real model]";

export const providerId = "understudy";
export const modelId = "no-real-model";
/** The value of `--model` in a rehearsal. */
export const understudyModel = `${providerId}/${modelId}`;

/** A child run. */
interface RehearsedRun {
	/** Run id. */
	readonly id: string;
	/** Unique among the children of a state. */
	readonly name: string;
}

/** The position of a request in a run. `turn`: number of the understudy's messages there so far. */
export type RunPosition =
	| { readonly kind: "idle"; readonly turn: number }
	| {
			readonly kind: "phase";
			/** Key of the workflow that was started. */
			readonly root: string;
			/** Key of the workflow that the phase belongs to. */
			readonly scope: string;
			readonly id: string;
			/** 1-based. */
			readonly visit: number;
			readonly turn: number;
			readonly endedBy: "agent" | "person";
	  }
	| {
			readonly kind: "state";
			/** Name of the chronicle's template. */
			readonly root: string;
			/** In a child run: the name of its template. */
			readonly scope?: string | undefined;
			readonly child?: RehearsedRun | undefined;
			readonly id: string;
			/** 1-based. */
			readonly visit: number;
			/** 1-based, in the visit. */
			readonly attempt: number;
			readonly turn: number;
			/** States that may follow, best first. */
			readonly targets: readonly string[];
			/** JSON Schema of the state's output; absent: none. */
			readonly output?: Readonly<Record<string, unknown>> | undefined;
	  };

/** A request, as the understudy sees it. */
export interface RequestContext {
	readonly position: RunPosition;
	/** Names of the tools that the request declares. Empty if only text is wanted: a summary, a title. */
	readonly tools: ReadonlySet<string>;
	/** Results of the calls of its previous message. */
	readonly results: readonly CallResult[];
	/** Whether the user asks for a handoff in the messages since its previous one. */
	readonly handoffAsked: boolean;
	/** A file that it can read, relative to the project folder. */
	readonly sampleFile: string | undefined;
}

export interface CallResult {
	readonly tool: string;
	readonly failed: boolean;
	/** Beginning of the result's text. */
	readonly text: string;
}

export interface Reply {
	readonly text: string;
	readonly calls: readonly ScriptedCall[];
	readonly waitMs: number;
	/** Fail like a provider, with this message, instead of answering. */
	readonly fail: string | undefined;
	/** The user's answer to the next question; `undefined`: yes. */
	readonly person: UserAnswer | undefined;
}

/** The understudy's answer to one request. */
export function answer(scenario: Scenario, scene: RequestContext): Reply {
	const { position, tools } = scene;
	if (tools.size === 0) return reply("A model would write a summary here.");
	if (scene.handoffAsked && tools.has("handoff")) {
		const context = "The understudy has nothing to hand over to a successor.";
		return reply("I hand over.", [{ tool: "handoff", input: { context } }]);
	}
	switch (position.kind) {
		case "idle": {
			const cue = scenario.idle[position.turn];
			return cue ? perform(cue, tools) : reply("No workflow is running, so there is nothing for me to do.");
		}
		case "phase": {
			const cues = findCues(scenario.phases, { ...position, scopes: [position.scope] });
			const cue = cues?.[position.turn];
			if (cue) return perform(cue, tools);
			const exit: Exit = { kind: "step", action: "next", summary: `Rehearsed ${position.id}.` };
			if (position.endedBy === "person") return leaveScene(scene, cues?.length);
			return improvise(scene, `phase ${position.id}`, cues?.length, [exit, exit]);
		}
		case "state": {
			const cues = findCues(scenario.states, { ...position, scopes: scopesOf(position) });
			const cue = cues?.[position.turn];
			if (cue) return perform(cue, tools, position);
			const summary = `Rehearsed ${position.id}.`;
			// The first target twice: the user may have rejected the first move.
			const targets = [...position.targets.slice(0, 1), ...position.targets];
			const exits = targets.map((to): Exit => withData({ kind: "transition", to, summary }, position));
			return improvise(scene, `state ${position.id}`, cues?.length, exits);
		}
	}
}

function scopesOf({ scope, child }: Extract<RunPosition, { kind: "state" }>): readonly string[] {
	return [...(child ? namesOfChild(child.name) : []), ...(scope === undefined ? [] : [scope])];
}

/** Plays one message of a script; calls of tools that the request does not declare are omitted and mentioned. */
function perform(cue: Cue, tools: ReadonlySet<string>, position?: RunPosition): Reply {
	const exit = cue.exit && position ? withData(cue.exit, position) : cue.exit;
	const wanted = [...cue.calls, ...(exit ? [exitCall(exit)] : [])];
	const isCalled = ({ tool, undeclared }: ScriptedCall): boolean => undeclared === true || tools.has(tool);
	const calls = wanted.filter(isCalled);
	const missing = [...new Set(wanted.filter((call) => !isCalled(call)).map(({ tool }) => tool))];
	const lost = missing.length === 0 ? "" : ` (Not offered here, so not called: ${missing.join(", ")}.)`;
	return { text: `${label} ${cue.say}${lost}`.trim(), calls, waitMs: cue.waitMs, fail: cue.fail, person: cue.person };
}

/**
 * The automatic round: the first message makes one call of each kind, the next reports their results and takes the first exit. After a
 * refused exit it takes the next one; when none is left, it reports that and stops. After a script without an exit (of `scripted` messages) only
 * the exit remains.
 */
function improvise(scene: RequestContext, where: string, scripted: number | undefined, exits: readonly Exit[]): Reply {
	const turn = scene.position.turn - (scripted ?? 0) + (scripted === undefined ? 0 : 1);
	if (turn === 0) {
		const calls = tryOut(scene);
		if (calls.length > 0) return reply(`In ${where} I try what it allows.`, calls);
	}
	const exit = exits[Math.max(0, turn - 1)];
	if (!exit || !scene.tools.has(exitCall(exit).tool)) return reply(`I cannot leave ${where}.${lastWords(scene)}`);
	const checkpoint = exit.kind === "transition" && turn === 1 && scene.tools.has("workflow_update_snapshot");
	const calls = [exitCall(exit)];
	if (checkpoint) {
		calls.unshift({
			tool: "workflow_update_snapshot",
			input: { findings: [`The understudy has been in ${where}.`] },
		});
	}
	return reply(`${outcomes(scene)}${turn > 1 ? "Again" : "Now"}: I leave ${where}.`, calls);
}

/** The automatic round in a phase that only the user ends. */
function leaveScene(scene: RequestContext, scripted: number | undefined): Reply {
	const { position } = scene;
	const calls = position.turn === 0 && scripted === undefined ? tryOut(scene) : [];
	if (calls.length > 0 && position.kind !== "idle")
		return reply(`In phase ${position.id} I try what it allows.`, calls);
	return reply(`${outcomes(scene)}Only the user ends this phase, so I wait.`);
}

/** One harmless call of each kind that the request offers: read, run, write a note. */
function tryOut({ position, tools, sampleFile }: RequestContext): ScriptedCall[] {
	const calls: ScriptedCall[] = [];
	if (tools.has("read") && sampleFile !== undefined)
		calls.push({ tool: "read", input: { path: sampleFile, limit: 5 } });
	else if (tools.has("ls")) calls.push({ tool: "ls", input: {} });
	if (tools.has("bash")) calls.push({ tool: "bash", input: { command: "ls" } });
	if (tools.has("write") && position.kind !== "idle") {
		const name = position.id.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^\.+/, "") || "note";
		calls.push({
			tool: "write",
			input: {
				path: `rehearsal-notes/${name}-${position.visit}.md`,
				content: `# ${position.id}, visit ${position.visit}\n\nWritten in a rehearsal: no real model was here.\n`,
			},
		});
	}
	return calls;
}

/** Adds the data that the state's output needs to a transition, unless the script provides it. */
function withData(exit: Exit, position: RunPosition): Exit {
	if (position.kind !== "state" || exit.kind !== "transition" || exit.data !== undefined || !position.output)
		return exit;
	return { ...exit, data: sampleData(position.output, position.id) };
}

function exitCall(exit: Exit): ScriptedCall {
	switch (exit.kind) {
		case "step":
			return { tool: "workflow_step", input: { action: exit.action, ...exitSummary(exit) } };
		case "transition":
			return {
				tool: "workflow_transition",
				input: {
					target_state: exit.to,
					summary: exit.summary || "Rehearsed.",
					data: exit.data,
				},
			};
	}
}

function exitSummary({ summary }: Exit): { summary?: string } {
	return summary === "" ? {} : { summary };
}

function outcomes({ results }: RequestContext): string {
	if (results.length === 0) return "";
	const listed = results.map(({ tool, failed }) => `${tool} ${failed ? "refused or failed" : "ok"}`);
	return `${listed.join(", ")}. `;
}

function lastWords({ results }: RequestContext): string {
	const last = results.findLast(({ failed }) => failed) ?? results.at(-1);
	return last ? ` ${last.tool} said: ${last.text}` : "";
}

function reply(text: string, calls: readonly ScriptedCall[] = []): Reply {
	return { text: `${label} ${text}`, calls, waitMs: 0, fail: undefined, person: undefined };
}
