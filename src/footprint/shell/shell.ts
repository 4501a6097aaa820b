// Opens a walk over one command text: nested text, functions, substitutions, traps, and what the text itself wrote into files.
// H1 nesting is bounded; H2 text that is not known is recorded wherever it would run.
import { parse } from "unbash";
import { pathRules } from "../paths.ts";
import { everyAccess, type FootprintRecord, footprintLimits } from "../record.ts";
import { bounded, displayText, isBlank, isKnown, isShellSetup, UNKNOWN_VALUE } from "../text.ts";
import { walkBody, walkParsed } from "./flow.ts";
import { recordInlineCode } from "./inline-code.ts";
import { printed } from "./output.ts";
import { recordCodeCalls } from "./run-code.ts";
import { invoke } from "./simple-command.ts";
import { type FunctionBody, merge, type State, textValue, unknownVariable, type Value } from "./state.ts";
import { type CommandOutcome, type ShellWalk, settled } from "./walk.ts";

/** Walks a whole command text from `state` and records everything. */
export function walkShell(text: string, state: State, record: FootprintRecord): void {
	const walk = openWalk(record);
	walk.runText(text, state, "", new Set());
	walk.finish();
}

/** Walks one command given as words. */
export function walkWords(words: readonly string[], state: State, record: FootprintRecord): void {
	const walk = openWalk(record);
	walk.runWords(words, state, "");
	walk.finish();
}

function openWalk(record: FootprintRecord): ShellWalk & { finish(): void } {
	const { host } = record;
	const connections = new Map<string, string>();
	const writings = new Map<string, string>();
	const traps: string[] = [];
	let assigned: (readonly [string, Value])[] = [];
	const calling: string[] = [];
	let depth = 0;
	let loops = 0;
	let last: State | undefined;

	const deeper = (what: string, work: () => CommandOutcome, state: State): CommandOutcome => {
		if (depth >= footprintLimits.depth) {
			record.overflow(`commands nested too deeply to be judged: ${what.slice(0, 80)}`);
			return settled(state, UNKNOWN_VALUE);
		}
		depth++;
		try {
			return work();
		} finally {
			depth--;
		}
	};
	const walk: ShellWalk & { finish(): void } = {
		host,
		record,
		runText(text, state, stdin, effects) {
			if (text === "") return settled(state, "");
			if (!isKnown(text)) {
				if (isShellSetup(text)) {
					record.unknown({ what: "program", text: "what a program prints to set up the shell", may: everyAccess });
					return settled({ ...state, lost: true, parameters: undefined }, UNKNOWN_VALUE);
				}
				record.unknown({ what: "script", text: displayText(text), may: everyAccess });
				if (isBlank(text)) {
					effects.add("run-unknown-text");
					return settled(state, UNKNOWN_VALUE);
				}
			}
			// Text that only begins to be too long is still walked; text within text counts each time.
			if (text.length > footprintLimits.text || !record.spend(depth === 0 ? text.length / 200 : text.length / 20)) {
				record.overflow("a command longer than can be judged");
				return settled(state, UNKNOWN_VALUE);
			}
			return deeper(text, () => walkParsed(walk, parse(text), state, stdin), state);
		},
		runWords(words, state, stdin) {
			if (!record.spend(2 + words.length / 4)) return settled(state, UNKNOWN_VALUE);
			return deeper(words[0] ?? "", () => invoke(walk, words, state, stdin), state);
		},
		callFunction(name, body, args, state, stdin) {
			const calls = calling.filter((other) => other === name).length;
			if (calls >= MAX_RECURSION) {
				record.unknown({ what: "script", text: `${name} calls itself`, may: everyAccess });
				return settled(state, UNKNOWN_VALUE);
			}
			if (calls === 1 && multiplies(name, body))
				record.run({ program: name, args: [], text: name, effects: ["fork-bomb"], changes: [] });
			calling.push(name);
			const outcome = deeper(name, () => walkBody(walk, body, { ...state, parameters: [args] }, stdin), state);
			calling.pop();
			const after = (end: State): State => ({ ...afterCall(state, end), parameters: state.parameters });
			const yes = after(outcome.success);
			return {
				success: yes,
				failure: outcome.failure === outcome.success ? yes : after(outcome.failure),
				output: outcome.output,
			};
		},
		print: (name, args, state, stdin) => printed(walk, name, args, state, stdin),
		recordCode(text, state, by) {
			if (!state.elsewhere) recordInlineCode(record, text, state.cwd, by);
			recordCodeCalls(walk, text, state, by);
		},
		connected: (path) => connections.get(path),
		written: (path) => writings.get(pathRules(host).normalize(path)),
		remember(path, text) {
			writings.set(pathRules(host).normalize(path), bounded(text));
			if (!isKnown(text) && record.wasFetched()) record.fetched(path);
		},
		enterLoop: () => (loops++ === 0 ? 8 : 3),
		leaveLoop: () => void loops--,
		takeAssigned() {
			const taken = assigned;
			if (taken.length > 0) assigned = [];
			return taken;
		},
		later: (text) => void traps.push(text),
		expansion: (stdin) => ({
			host,
			record,
			substitute(script, state) {
				if (!script) return UNKNOWN_VALUE;
				const outcome = deeper("$(…)", () => walkParsed(walk, script, state, stdin), state);
				return bounded(outcome.output.replace(/\n+$/, ""));
			},
			connect(part, state) {
				const { script } = part;
				if (!script) return UNKNOWN_VALUE;
				const outcome = deeper(
					"<(…)",
					() => walkParsed(walk, script, state, part.operator === ">" ? UNKNOWN_VALUE : stdin),
					state,
				);
				const path = `/dev/fd/${1000 + connections.size}`;
				connections.set(path, part.operator === "<" ? outcome.output : "");
				return path;
			},
			assigned: (name, value) => void assigned.push([name, value]),
		}),
		finish() {
			if (last) for (const text of traps.splice(0, 50)) walk.runText(text, last, "", new Set());
		},
	};
	return {
		...walk,
		runText(text, state, stdin, effects) {
			const outcome = walk.runText(text, state, stdin, effects);
			last = merge(outcome.success, outcome.failure, host);
			return outcome;
		},
	};
}

const MAX_RECURSION = 3;

/** The state after a function call: what it changed may have been local to it. */
function afterCall(before: State, end: State): State {
	if (before.variables === end.variables) return end;
	const variables = new Map(end.variables);
	for (const [name, value] of end.variables) {
		const old = before.variables.get(name);
		if (old === value) continue;
		variables.set(
			name,
			value.kind === "text" && (!old || old.kind === "text")
				? textValue(...(old?.options ?? [""]), ...value.options)
				: unknownVariable,
		);
	}
	return { ...end, variables };
}

/** Whether a function's body starts the function itself on both sides of a pipe. */
function multiplies(name: string, body: FunctionBody): boolean {
	if (body.type !== "BraceGroup" && body.type !== "Subshell") return false;
	return body.body.commands.some(({ command }) => {
		if (command.type !== "Pipeline") return false;
		return command.commands.filter((one) => one.type === "Command" && one.name?.value === name).length > 1;
	});
}
