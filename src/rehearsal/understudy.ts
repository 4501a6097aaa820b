// What the understudy answers: a scripted stand-in for a model, so that a run can be tried at no cost. Pure: the same scene always gets
// the same reply. It is not a model and never claims to be one.
// U1 every text begins with the label; U2 a phase or state without a script gets the automatic round: look, run, write, move on;
// U3 it calls only tools that the request declares, but for planned calls that must be refused; U4 it never repeats an exit more than once, so a run that cannot go on stops.
import { type Cue, type Exit, findCues, type PersonAnswer, type Scenario, type ScriptedCall } from "./scenario.ts";

/** Stands in front of everything the understudy says. */
export const label = "[understudy, no real model]";

export const providerId = "understudy";
export const modelId = "no-real-model";
/** What `--model` takes in a rehearsal. */
export const understudyModel = `${providerId}/${modelId}`;

/** Where in a run the request was made. `turn`: how many messages the understudy has given there already. */
export type Place =
	| { readonly kind: "idle"; readonly turn: number }
	| {
			readonly kind: "phase";
			/** Key of the workflow that was started. */
			readonly root: string;
			/** Key of the workflow that the phase stands in. */
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
			readonly id: string;
			/** 1-based. */
			readonly visit: number;
			/** 1-based, in the visit. */
			readonly attempt: number;
			readonly turn: number;
			/** States that may follow, best first. */
			readonly targets: readonly string[];
	  };

/** What the understudy knows when it is asked. */
export interface Scene {
	readonly place: Place;
	/** Names of the tools that the request declares. Empty where only text is wanted: a summary, a title. */
	readonly tools: ReadonlySet<string>;
	/** How the calls of its message before this one ended. */
	readonly results: readonly CallResult[];
	/** A file of the project that it may read, relative to the project folder. */
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
	/** Message of a provider failure to give instead of an answer. */
	readonly fail: string | undefined;
	/** What the person answers when they are asked next. */
	readonly person: PersonAnswer | undefined;
}

/** The understudy's answer to one request. */
export function answer(scenario: Scenario, scene: Scene): Reply {
	const { place, tools } = scene;
	if (tools.size === 0) return reply("This stands in for the summary that a model would write here.");
	// The tool is there only while a person has asked for a handoff.
	if (tools.has("handoff") && !scene.results.some(({ tool }) => tool === "handoff")) {
		const context = "There is nothing that a successor of the understudy would have to know.";
		return reply("I hand over.", [{ tool: "handoff", input: { context } }]);
	}
	switch (place.kind) {
		case "idle": {
			const cue = scenario.idle[place.turn];
			return cue ? perform(cue, tools) : reply("I only play a part: nothing is running here that I could act in.");
		}
		case "phase": {
			const cues = findCues(scenario.phases, place);
			const cue = cues?.[place.turn];
			if (cue) return perform(cue, tools);
			const exit: Exit = { kind: "step", action: "next", summary: `Rehearsed ${place.id}.` };
			if (place.endedBy === "person") return leave(scene, cues?.length);
			return improvise(scene, `phase ${place.id}`, cues?.length, [exit, exit]);
		}
		case "state": {
			const cues = findCues(scenario.states, { ...place, scope: undefined });
			const cue = cues?.[place.turn];
			if (cue) return perform(cue, tools);
			const summary = `Rehearsed ${place.id}.`;
			// The first once more before the others: a person may have sent the work back.
			const targets = [...place.targets.slice(0, 1), ...place.targets];
			const exits = targets.map((to): Exit => ({ kind: "transition", to, summary }));
			return improvise(scene, `state ${place.id}`, cues?.length, exits);
		}
	}
}

/** Plays one message of a script; calls of tools that the request does not declare are left out and said. */
function perform(cue: Cue, tools: ReadonlySet<string>): Reply {
	const wanted = [...cue.calls, ...(cue.exit ? [exitCall(cue.exit)] : [])];
	const isCalled = ({ tool, undeclared }: ScriptedCall): boolean => undeclared === true || tools.has(tool);
	const calls = wanted.filter(isCalled);
	const missing = [...new Set(wanted.filter((call) => !isCalled(call)).map(({ tool }) => tool))];
	const lost = missing.length === 0 ? "" : ` (Not offered here, so not called: ${missing.join(", ")}.)`;
	return { text: `${label} ${cue.say}${lost}`.trim(), calls, waitMs: cue.waitMs, fail: cue.fail, person: cue.person };
}

/**
 * The automatic round: the first message tries one call of each kind, the next says how they ended and moves on by the first exit; a refused
 * exit is followed by the next one, and when there is none left the understudy says so and stops. After a script that ended without an
 * exit (`scripted` messages long), only the moving on is left to do.
 */
function improvise(scene: Scene, where: string, scripted: number | undefined, exits: readonly Exit[]): Reply {
	const turn = scene.place.turn - (scripted ?? 0) + (scripted === undefined ? 0 : 1);
	if (turn === 0) {
		const calls = tryOut(scene);
		if (calls.length > 0) return reply(`In ${where} I try what it lets me do.`, calls);
	}
	const exit = exits[Math.max(0, turn - 1)];
	if (!exit || !scene.tools.has(exitCall(exit).tool)) return reply(`I cannot get on in ${where}.${lastWords(scene)}`);
	const checkpoint = exit.kind === "transition" && turn === 1 && scene.tools.has("workflow_update_snapshot");
	const calls = [exitCall(exit)];
	if (checkpoint) {
		calls.unshift({
			tool: "workflow_update_snapshot",
			input: { data: { findings: [`The understudy has been in ${where}.`] } },
		});
	}
	return reply(`${outcomes(scene)}${turn > 1 ? "Once more" : "Now"}: on from ${where}.`, calls);
}

/** The automatic round in a phase that only a person ends: it tries what it may, and stops. */
function leave(scene: Scene, scripted: number | undefined): Reply {
	const { place } = scene;
	const calls = place.turn === 0 && scripted === undefined ? tryOut(scene) : [];
	if (calls.length > 0 && place.kind !== "idle") return reply(`In phase ${place.id} I try what it lets me do.`, calls);
	return reply(`${outcomes(scene)}The person ends this phase: I wait.`);
}

/** One harmless call of each kind that the request offers: reading, running, writing a note. */
function tryOut({ place, tools, sampleFile }: Scene): ScriptedCall[] {
	const calls: ScriptedCall[] = [];
	if (tools.has("read") && sampleFile !== undefined)
		calls.push({ tool: "read", input: { path: sampleFile, limit: 5 } });
	else if (tools.has("ls")) calls.push({ tool: "ls", input: {} });
	if (tools.has("bash")) calls.push({ tool: "bash", input: { command: "ls" } });
	if (tools.has("write") && place.kind !== "idle") {
		const name = place.id.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^\.+/, "") || "note";
		calls.push({
			tool: "write",
			input: {
				path: `rehearsal-notes/${name}-${place.visit}.md`,
				content: `# ${place.id}, visit ${place.visit}\n\nWritten in a rehearsal: no real model was here.\n`,
			},
		});
	}
	return calls;
}

function exitCall(exit: Exit): ScriptedCall {
	switch (exit.kind) {
		case "step":
			return { tool: "workflow_step", input: { action: exit.action, ...summaryOf(exit) } };
		case "transition":
			return { tool: "workflow_transition", input: { target_state: exit.to, summary: exit.summary || "Rehearsed." } };
	}
}

function summaryOf({ summary }: Exit): { summary?: string } {
	return summary === "" ? {} : { summary };
}

function outcomes({ results }: Scene): string {
	if (results.length === 0) return "";
	const said = results.map(({ tool, failed }) => `${tool} ${failed ? "refused or failed" : "ok"}`);
	return `${said.join(", ")}. `;
}

function lastWords({ results }: Scene): string {
	const last = results.findLast(({ failed }) => failed) ?? results.at(-1);
	return last ? ` ${last.tool} said: ${last.text}` : "";
}

function reply(text: string, calls: readonly ScriptedCall[] = []): Reply {
	return { text: `${label} ${text}`, calls, waitMs: 0, fail: undefined, person: undefined };
}
