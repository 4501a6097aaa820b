// Walks a parsed script in the order of execution and records what its commands do. Control flow here; simple commands in `simple-command.ts`.
// K1 every path that execution could take is walked; K2 a loop is walked until nothing new is known, then with its variables unknown;
// K3 past a bound the record overflows and the walk ends.
import {
	type Command,
	type CommandNode,
	type CompoundList,
	type ParsedScript,
	type PipelineNode,
	parse,
	type Redirected,
	type Script,
	type Statement,
	type TestExpression,
	type Word,
} from "unbash";
import type { Effect } from "../effects.ts";
import type { Surroundings } from "../footprint.ts";
import { touchWord } from "../places.ts";
import { everyAccess, limits, type Record } from "../record.ts";
import { bounded, HOLE, isBlank, isKnown, shown } from "../text.ts";
import { recordInlineCode } from "./inline-code.ts";
import { printed } from "./output.ts";
import { arithmetic } from "./pieces.ts";
import { applyRedirects } from "./redirects.ts";
import { invoke, runSimple } from "./simple-command.ts";
import {
	assign,
	covers,
	type FunctionBody,
	merge,
	type State,
	textValue,
	unknownValue,
	type Value,
	widen,
} from "./state.ts";
import { type Expansion, expandText, expandWord } from "./words.ts";

/** How a command ends: the state after success and after failure, and what it prints. */
export interface Outcome {
	readonly yes: State;
	readonly no: State;
	/** Its standard output; a hole where unknown. */
	readonly out: string;
}

/** One walk over one tool call's shell text. */
export interface Walk {
	readonly around: Surroundings;
	readonly record: Record;
	/** Shell text run by a command: parsed and walked in a child shell that starts with `state`. An unknown text is an effect. */
	runText(text: string, state: State, stdin: string, effects: Set<Effect>): Outcome;
	/** A command given as words. */
	runWords(words: readonly string[], state: State, stdin: string): Outcome;
	/** A function called with arguments. */
	callFunction(name: string, body: FunctionBody, args: readonly string[], state: State, stdin: string): Outcome;
	/** What a program prints, where its words tell. */
	print(name: string, args: readonly string[], state: State, stdin: string): string;
	recordCode(text: string, state: State, by: string): void;
	/** The text behind the path of a process substitution. */
	connected(path: string): string | undefined;
	/** The text that this script itself wrote into a file, so far as it is known. */
	written(path: string): string | undefined;
	remember(path: string, text: string): void;
	/** Names that an assignment inside an expansion changed since the last call. */
	takeAssigned(): readonly (readonly [string, Value])[];
	readonly expansion: (stdin: string) => Expansion;
	/** Commands given to `trap`, run with what is known at the end. */
	later(text: string): void;
}

/** Both outcomes of something that changes nothing and prints something. */
export function settled(state: State, out: string): Outcome {
	return { yes: state, no: state, out };
}

/** Walks a whole command text from `state` and records everything. */
export function walkShell(text: string, state: State, record: Record): void {
	const walk = openWalk(record);
	walk.runText(text, state, "", new Set());
	walk.finish();
}

/** Walks one command given as words. */
export function walkWords(words: readonly string[], state: State, record: Record): void {
	const walk = openWalk(record);
	walk.runWords(words, state, "");
	walk.finish();
}

function openWalk(record: Record): Walk & { finish(): void } {
	const { around } = record;
	const connections = new Map<string, string>();
	const writings = new Map<string, string>();
	const traps: string[] = [];
	let assigned: (readonly [string, Value])[] = [];
	const calling: string[] = [];
	let depth = 0;
	let last: State | undefined;

	const deeper = (what: string, work: () => Outcome, state: State): Outcome => {
		if (depth >= limits.depth) {
			record.overflow(`commands nested too deeply to be judged: ${what.slice(0, 80)}`);
			return settled(state, HOLE);
		}
		depth++;
		try {
			return work();
		} finally {
			depth--;
		}
	};
	const walk: Walk & { finish(): void } = {
		around,
		record,
		runText(text, state, stdin, effects) {
			if (text === "") return settled(state, "");
			if (!isKnown(text)) {
				record.unknown({ what: "script", text: shown(text), may: everyAccess });
				if (isBlank(text)) {
					effects.add("run-unknown-text");
					return settled(state, HOLE);
				}
			}
			// Text that only begins to be too long is still walked; text within text counts each time.
			if (text.length > limits.text || !record.spend(depth === 0 ? text.length / 200 : text.length / 20)) {
				record.overflow("a command longer than can be judged");
				return settled(state, HOLE);
			}
			return deeper(text, () => walkParsed(walk, parse(text), state, stdin), state);
		},
		runWords(words, state, stdin) {
			if (!record.spend(2 + words.length / 4)) return settled(state, HOLE);
			return deeper(words[0] ?? "", () => invoke(walk, words, state, stdin), state);
		},
		callFunction(name, body, args, state, stdin) {
			const calls = calling.filter((other) => other === name).length;
			if (calls >= MAX_RECURSION) {
				record.unknown({ what: "script", text: `${name} calls itself`, may: everyAccess });
				return settled(state, HOLE);
			}
			if (calls === 1 && multiplies(name, body))
				record.run({ program: name, args: [], text: name, effects: ["fork-bomb"], changes: [] });
			calling.push(name);
			const outcome = deeper(name, () => walkBody(walk, body, { ...state, parameters: args }, stdin), state);
			calling.pop();
			const after = (end: State): State => ({ ...afterCall(state, end), parameters: state.parameters });
			const yes = after(outcome.yes);
			return { yes, no: outcome.no === outcome.yes ? yes : after(outcome.no), out: outcome.out };
		},
		print: (name, args, state, stdin) => printed(walk, name, args, state, stdin),
		recordCode: (text, state, by) => (state.elsewhere ? undefined : recordInlineCode(record, text, state.cwd, by)),
		connected: (path) => connections.get(path),
		written: (path) => writings.get(path),
		remember: (path, text) => void writings.set(path, text),
		takeAssigned() {
			const taken = assigned;
			if (taken.length > 0) assigned = [];
			return taken;
		},
		later: (text) => void traps.push(text),
		expansion: (stdin) => ({
			around,
			record,
			substitute(script, state) {
				if (!script) return HOLE;
				const outcome = deeper("$(…)", () => walkParsed(walk, script, state, stdin), state);
				return bounded(outcome.out.replace(/\n+$/, ""));
			},
			connect(part, state) {
				const { script } = part;
				if (!script) return HOLE;
				const outcome = deeper(
					"<(…)",
					() => walkParsed(walk, script, state, part.operator === ">" ? HOLE : stdin),
					state,
				);
				const path = `/dev/fd/${1000 + connections.size}`;
				connections.set(path, part.operator === "<" ? outcome.out : "");
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
			last = merge(outcome.yes, outcome.no, around);
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
				: unknownValue,
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

function walkParsed(walk: Walk, script: ParsedScript | Script, state: State, stdin: string): Outcome {
	if ("errors" in script && script.errors && script.errors.length > 0) {
		const first = script.errors[0];
		walk.record.unknown({ what: "syntax", text: first?.message ?? "unreadable shell text", may: everyAccess });
	}
	return walkStatements(walk, script.commands, state, stdin);
}

function walkStatements(walk: Walk, statements: readonly Statement[], state: State, stdin: string): Outcome {
	let outcome = settled(state, "");
	let out = "";
	for (const statement of statements) {
		const now = merge(outcome.yes, outcome.no, walk.around);
		if (!walk.record.spend(4)) return settled(now, HOLE);
		outcome = walkStatement(walk, statement, now, stdin);
		out = bounded(out + outcome.out);
	}
	return { ...outcome, out };
}

function walkList(walk: Walk, list: CompoundList, state: State, stdin: string): Outcome {
	return walkStatements(walk, list.commands, state, stdin);
}

function walkStatement(walk: Walk, statement: Statement, state: State, stdin: string): Outcome {
	const { command } = statement;
	const outcome =
		command.type === "AndOr" ? walkAndOr(walk, command, state, stdin) : walkPipelineNode(walk, command, state, stdin);
	return statement.background ? settled(state, outcome.out) : outcome;
}

function walkAndOr(
	walk: Walk,
	node: { readonly commands: readonly PipelineNode[]; readonly operators: readonly ("&&" | "||")[] },
	state: State,
	stdin: string,
): Outcome {
	const [first, ...others] = node.commands;
	if (!first) return settled(state, "");
	let outcome = walkPipelineNode(walk, first, state, stdin);
	for (const [index, next] of others.entries()) {
		if (!walk.record.spend(4)) break;
		const and = node.operators[index] === "&&";
		const then = walkPipelineNode(walk, next, and ? outcome.yes : outcome.no, stdin);
		const out = then.out === "" ? outcome.out : outcome.out === "" ? then.out : HOLE;
		outcome = and
			? { yes: then.yes, no: merge(outcome.no, then.no, walk.around), out }
			: { yes: merge(outcome.yes, then.yes, walk.around), no: then.no, out };
	}
	return outcome;
}

function walkPipelineNode(walk: Walk, node: PipelineNode, state: State, stdin: string): Outcome {
	if (node.type !== "Pipeline") return walkCommand(walk, node, state, stdin);
	const [only] = node.commands;
	const negated = node.prefixes.filter((prefix) => prefix.type === "Negation").length % 2 === 1;
	if (node.commands.length === 1 && only) {
		const outcome = walkCommand(walk, only, state, stdin);
		return negated ? { yes: outcome.no, no: outcome.yes, out: outcome.out } : outcome;
	}
	let input = stdin;
	for (const [index, command] of node.commands.entries()) {
		if (!walk.record.spend(4)) return settled(state, HOLE);
		const outcome = walkCommand(walk, command, state, input);
		input = node.operators[index] === "|&" ? HOLE : outcome.out;
	}
	return settled(state, input);
}

function walkBody(walk: Walk, body: FunctionBody, state: State, stdin: string): Outcome {
	return body.type === "CompoundList" ? walkList(walk, body, state, stdin) : walkCommand(walk, body, state, stdin);
}

function walkCommand(walk: Walk, node: CommandNode, state: State, stdin: string): Outcome {
	if (!walk.record.spend(4)) return settled(state, HOLE);
	switch (node.type) {
		case "Command":
			return walkSimple(walk, node, state, stdin);
		case "Redirected":
			return walkRedirected(walk, node, state, stdin);
		case "Subshell": {
			const outcome = walkList(walk, node.body, state, stdin);
			return settled(state, outcome.out);
		}
		case "BraceGroup":
			return walkList(walk, node.body, state, stdin);
		case "If": {
			const clause = walkList(walk, node.clause, state, stdin);
			const ends = [walkList(walk, node.then, clause.yes, stdin)];
			let otherwise = clause.no;
			for (const elif of node.elif) {
				const test = walkList(walk, elif.clause, otherwise, stdin);
				ends.push(walkList(walk, elif.then, test.yes, stdin));
				otherwise = test.no;
			}
			ends.push(node.else ? walkList(walk, node.else, otherwise, stdin) : settled(otherwise, ""));
			return join(walk, ends);
		}
		case "Case": {
			const expansion = walk.expansion(stdin);
			expandText(node.word, state, expansion);
			const ends = [settled(state, "")];
			let before = state;
			for (const item of node.items) {
				for (const pattern of item.pattern) expandText(pattern, state, expansion);
				const end = walkList(walk, item.body, before, stdin);
				ends.push(end);
				before = item.terminator === ";&" ? merge(state, merge(end.yes, end.no, walk.around), walk.around) : state;
			}
			return join(walk, ends);
		}
		case "For":
		case "Select": {
			const values = node.wordlist ? listValues(walk, node.wordlist, state, stdin) : (state.parameters ?? [HOLE]);
			if (values.length === 0) return settled(state, "");
			const name = node.name.value;
			const value = textValue(...(values.length > 64 ? [commonPlace(values, walk.record)] : values));
			return walkLoop(walk, state, (now) => {
				// Assigning copies what is known.
				walk.record.spend(now.variables.size / 8);
				return walkList(walk, node.body, assign(now, name, value), stdin);
			});
		}
		case "ArithmeticFor": {
			const expansion = walk.expansion(stdin);
			arithmetic(node.initialize, state, expansion);
			const start = afterExpansions(walk, state);
			return walkLoop(walk, start, (now) => {
				arithmetic(node.test, now, expansion);
				const body = walkList(walk, node.body, afterExpansions(walk, now), stdin);
				arithmetic(node.update, body.yes, expansion);
				return { ...body, yes: afterExpansions(walk, body.yes) };
			});
		}
		case "While":
			return walkLoop(walk, state, (now) => {
				const clause = walkList(walk, node.clause, now, stdin);
				const enter = node.kind === "while" ? clause.yes : clause.no;
				const leave = node.kind === "while" ? clause.no : clause.yes;
				return join(walk, [walkList(walk, node.body, enter, stdin), settled(leave, clause.out)]);
			});
		case "Function":
			return settled({ ...state, functions: new Map(state.functions).set(node.name.value, [node.body]) }, "");
		case "Coproc":
			if (node.body.type === "CompoundList") walkList(walk, node.body, state, HOLE);
			else walkCommand(walk, node.body, state, HOLE);
			return settled(state, "");
		case "TestCommand":
			walkTest(walk, node.expression, state, stdin);
			return settled(afterExpansions(walk, state), "");
		case "ArithmeticCommand":
			arithmetic(node.expression, state, walk.expansion(stdin));
			return settled(afterExpansions(walk, state), "");
	}
}

function walkSimple(walk: Walk, node: Command, state: State, stdin: string): Outcome {
	return runSimple(walk, node, state, stdin);
}

function walkRedirected(walk: Walk, node: Redirected, state: State, stdin: string): Outcome {
	const streams = applyRedirects(walk, node.redirects, state, stdin, "command group");
	const outcome = walkCommand(walk, node.command, afterExpansions(walk, state), streams.stdin);
	streams.keep(outcome.out);
	return streams.stdout === "captured" ? outcome : { ...outcome, out: "" };
}

function join(walk: Walk, ends: readonly Outcome[]): Outcome {
	const [first, ...others] = ends;
	if (!first) throw new Error("a branch without an end");
	let { yes, no, out } = first;
	for (const end of others) {
		yes = merge(yes, end.yes, walk.around);
		no = merge(no, end.no, walk.around);
		if (end.out !== out) out = HOLE;
	}
	return { yes, no, out };
}

/** Walks a loop's body until its state is stable: once as it begins, then with what it changed, at last with that unknown. */
function walkLoop(walk: Walk, start: State, body: (state: State) => Outcome): Outcome {
	let state = start;
	let printed = "";
	for (let round = 0; round < 4; round++) {
		const outcome = body(state);
		if (outcome.out !== "") printed = HOLE;
		const after = merge(outcome.yes, outcome.no, walk.around);
		if (covers(state, after)) break;
		state = round === 0 ? merge(state, after, walk.around) : widen(state, after, walk.around);
	}
	return settled(state, printed);
}

/** The values that a `for` list may hold, each once. */
function listValues(walk: Walk, words: readonly Word[], state: State, stdin: string): readonly string[] {
	const expansion = walk.expansion(stdin);
	return [...new Set(words.flatMap((word) => expandWord(word, state, expansion)).flat())];
}

/** The directory that many paths share, with what is found below it. */
function commonPlace(paths: readonly string[], record: Record): string {
	let shared = paths[0] ?? "";
	for (const path of paths) while (!path.startsWith(shared)) shared = shared.slice(0, -1);
	const below = paths.every((path) => isKnown(path) && !/(^|\/)\.\.(\/|$)/.test(path));
	return shared.slice(0, shared.lastIndexOf("/") + 1) + (below ? record.found({}) : HOLE);
}

/** The state with the assignments that expansions made meanwhile. */
export function afterExpansions(walk: Walk, state: State): State {
	return walk.takeAssigned().reduce((now, [name, value]) => assign(now, name, value), state);
}

const fileTests = new Set([
	"-a",
	"-b",
	"-c",
	"-d",
	"-e",
	"-f",
	"-g",
	"-h",
	"-k",
	"-p",
	"-r",
	"-s",
	"-u",
	"-w",
	"-x",
	"-G",
	"-L",
	"-N",
	"-O",
	"-S",
]);

function walkTest(walk: Walk, test: TestExpression, state: State, stdin: string): void {
	if (!walk.record.spend(4)) return;
	const expansion = walk.expansion(stdin);
	const look = (word: Word) => {
		for (const text of expandText(word, state, expansion))
			if (!state.elsewhere) touchWord(walk.record, "list", text, state.cwd, "[[ … ]]");
	};
	switch (test.type) {
		case "TestUnary":
			if (fileTests.has(test.operator)) look(test.operand);
			else expandText(test.operand, state, expansion);
			return;
		case "TestBinary":
			if (["-nt", "-ot", "-ef"].includes(test.operator)) for (const word of [test.left, test.right]) look(word);
			else for (const word of [test.left, test.right]) expandText(word, state, expansion);
			return;
		case "TestLogical":
			for (const operand of test.operands) walkTest(walk, operand, state, stdin);
			return;
		case "TestNot":
			walkTest(walk, test.operand, state, stdin);
			return;
		case "TestGroup":
			walkTest(walk, test.expression, state, stdin);
			return;
	}
}
