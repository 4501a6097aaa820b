// Opens a walk over one command text: nested text, functions, substitutions, traps, and files written by the text itself.
// Nesting is bounded; unknown text is recorded wherever it would run.
import { type ParsedScript, type ProcessSubstitutionPart, parse } from "unbash";
import type { Effect } from "../effects.ts";
import type { HostEnvironment } from "../footprint.ts";
import { pathRules } from "../paths.ts";
import { type FootprintRecord, footprintLimits } from "../record.ts";
import { bounded, displayText, isBlank, isKnown, isShellSetup, UNKNOWN_VALUE } from "../text.ts";
import type { Expansion } from "./expansion.ts";
import { walkBody, walkParsed } from "./flow.ts";
import { expandAgain, wordExpansion } from "./fragments.ts";
import { invoke, invokeProgram } from "./invoke.ts";
import { type FunctionBody, merge, type State, textValue, unknownVariable, type Value } from "./state.ts";
import { type CommandOutcome, mapStates, type ShellWalk, settled } from "./walk.ts";

/** Walks a whole command text from `state` and records everything. */
export function walkShell(text: string, state: State, record: FootprintRecord): void {
	const walk = new ScriptWalk(record);
	const { success, failure } = walk.runText(text, state, "");
	walk.runTraps(merge(success, failure, walk.host));
}

/** Walks one command given as words. */
export function walkWords(words: readonly string[], state: State, record: FootprintRecord): void {
	new ScriptWalk(record).runWords(words, state, "");
}

const MAX_RECURSION = 3;
const MAX_TRAPS = 50;

class ScriptWalk implements ShellWalk {
	readonly record: FootprintRecord;
	readonly host: HostEnvironment;
	/** Text at the paths of process substitutions. */
	private readonly connections = new Map<string, string>();
	/** Text that the script wrote, by normal path. */
	private readonly files = new Map<string, string>();
	private readonly traps: string[] = [];
	/** Names of the functions that are being called, outermost first. */
	private readonly calls: string[] = [];
	private assignments: (readonly [string, Value])[] = [];
	private depth = 0;
	private loops = 0;
	private conditions = 0;

	constructor(record: FootprintRecord) {
		this.record = record;
		this.host = record.host;
	}

	runText(text: string, state: State, stdin: string, effects?: Set<Effect>): CommandOutcome {
		if (text === "") return settled(state, "");
		const unknown = isKnown(text) ? undefined : this.unknownText(text, state, effects);
		if (unknown) return unknown;
		// Text that only begins to be too long is still walked; text within text counts each time. The grammar looks for the end of every
		// here-document in all that follows.
		const documents = text.split("<<").length - 1;
		const cost = (this.depth === 0 ? text.length / 200 : text.length / 20) + (documents * text.length) / 5000;
		if (text.length > footprintLimits.text || !this.record.spend(cost)) {
			this.record.overflow("a command longer than can be judged");
			return settled(state, UNKNOWN_VALUE);
		}
		return this.deeper(text, state, () => walkParsed(this, parse(text), state, stdin));
	}

	/** Records text that is not completely known; returns the outcome if nothing of it can be walked. */
	private unknownText(text: string, state: State, effects: Set<Effect> | undefined): CommandOutcome | undefined {
		if (isShellSetup(text)) {
			this.record.unknown({ what: "program", text: "what a program prints to set up the shell" });
			return settled({ ...state, lost: true, parameters: undefined }, UNKNOWN_VALUE);
		}
		this.record.unknown({ what: "script", text: displayText(text) });
		if (!isBlank(text)) return undefined;
		effects?.add("run-unknown-text");
		return settled(state, UNKNOWN_VALUE);
	}

	runWords(words: readonly string[], state: State, stdin: string): CommandOutcome {
		if (!this.record.spend(2 + words.length / 4)) return settled(state, UNKNOWN_VALUE);
		return this.deeper(words[0] ?? "", state, () => invoke(this, words, state, stdin));
	}

	runProgram(words: readonly string[], state: State, stdin: string): CommandOutcome {
		return invokeProgram(this, words, state, stdin);
	}

	callFunction(name: string, body: FunctionBody, args: readonly string[], state: State, stdin: string): CommandOutcome {
		const active = this.calls.filter((other) => other === name).length;
		if (active >= MAX_RECURSION) {
			this.record.unknown({ what: "script", text: `${name} calls itself` });
			return settled(state, UNKNOWN_VALUE);
		}
		if (active === 1 && isForkBomb(name, body)) this.record.run({ program: name, text: name, effects: ["fork-bomb"] });
		this.calls.push(name);
		const inner = { ...state, parameters: [args] };
		const outcome = this.deeper(name, state, () => walkBody(this, body, inner, stdin));
		this.calls.pop();
		return mapStates(outcome, (end) => ({ ...afterCall(state, end), parameters: state.parameters }));
	}

	/** Runs `work` one level deeper; past the bound, the record overflows and `state` stays. */
	private deeper(what: string, state: State, work: () => CommandOutcome): CommandOutcome {
		if (this.depth >= footprintLimits.depth) {
			this.record.overflow(`commands nested too deeply to be judged: ${what.slice(0, 80)}`);
			return settled(state, UNKNOWN_VALUE);
		}
		this.depth++;
		try {
			return work();
		} finally {
			this.depth--;
		}
	}

	expansion(state: State, stdin: string): Expansion {
		return {
			state,
			host: this.host,
			record: this.record,
			words: wordExpansion,
			substitute: (script) => this.substitute(script, state, stdin),
			connect: (part) => this.connect(part, state, stdin),
			assigned: (name, value) => void this.assignments.push([name, value]),
			expandAgain: (text) => expandAgain(text, this.expansion(state, stdin)),
		};
	}

	private substitute(script: ParsedScript | undefined, state: State, stdin: string): string {
		if (!script) return UNKNOWN_VALUE;
		const { output } = this.deeper("$(…)", state, () => walkParsed(this, script, { ...state, errexit: false }, stdin));
		return bounded(output.replace(/\n+$/, ""));
	}

	private connect({ script, operator }: ProcessSubstitutionPart, state: State, stdin: string): string {
		if (!script) return UNKNOWN_VALUE;
		const input = operator === ">" ? UNKNOWN_VALUE : stdin;
		const { output } = this.deeper("<(…)", state, () => walkParsed(this, script, { ...state, errexit: false }, input));
		const path = `/dev/fd/${1000 + this.connections.size}`;
		this.connections.set(path, operator === "<" ? output : "");
		return path;
	}

	takeAssigned(): readonly (readonly [string, Value])[] {
		const taken = this.assignments;
		if (taken.length > 0) this.assignments = [];
		return taken;
	}

	connected(path: string): string | undefined {
		return this.connections.get(path);
	}

	written(path: string): string | undefined {
		return this.files.get(pathRules(this.host).normalize(path));
	}

	remember(path: string, text: string): void {
		this.files.set(pathRules(this.host).normalize(path), bounded(text));
		if (!isKnown(text) && this.record.wasFetched()) this.record.fetched(path);
	}

	enterLoop(): number {
		return this.loops++ === 0 ? 8 : 3;
	}

	leaveLoop(): void {
		this.loops--;
	}

	addTrap(text: string): void {
		this.traps.push(text);
	}

	get hasTraps(): boolean {
		return this.traps.length > 0;
	}

	inCondition<Result>(work: () => Result): Result {
		this.conditions++;
		const result = work();
		this.conditions--;
		return result;
	}

	get isCondition(): boolean {
		return this.conditions > 0;
	}

	/** Runs the commands given to `trap` in the state at the end. */
	runTraps(end: State): void {
		for (const text of this.traps.splice(0, MAX_TRAPS)) this.runText(text, end, "");
	}
}

/** The state after a function call: its changes may have been local. */
function afterCall(before: State, end: State): State {
	if (before.variables === end.variables) return end;
	const variables = new Map(end.variables);
	for (const [name, value] of end.variables) {
		const old = before.variables.get(name);
		if (old === value) continue;
		const followed = value.kind === "text" && old?.kind !== "array";
		variables.set(name, followed ? textValue(...(old?.options ?? [""]), ...value.options) : unknownVariable);
	}
	return { ...end, variables };
}

/** Whether a function's body starts the function itself on both sides of a pipe. */
function isForkBomb(name: string, body: FunctionBody): boolean {
	if (body.type !== "BraceGroup" && body.type !== "Subshell") return false;
	return body.body.commands.some(({ command }) => {
		if (command.type !== "Pipeline") return false;
		return command.commands.filter((one) => one.type === "Command" && one.name?.value === name).length > 1;
	});
}
