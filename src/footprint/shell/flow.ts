// Control flow: walks a parsed script in the order of execution. Simple commands are in `simple-command.ts`.
// K1 every path that execution could take is walked; K2 a loop is walked until nothing new is known, then with its variables unknown;
// K3 past a bound the record overflows and the walk ends.
import type {
	Case,
	CommandNode,
	CompoundList,
	ParsedScript,
	PipelineNode,
	Redirected,
	Script,
	Statement,
	TestExpression,
	Word,
} from "unbash";
import { accessWord } from "../places.ts";
import { everyAccess, type FootprintRecord } from "../record.ts";
import { bounded, isKnown, UNKNOWN_VALUE } from "../text.ts";
import { compileGlob } from "./globs.ts";
import { arithmetic } from "./pieces.ts";
import { applyRedirects } from "./redirects.ts";
import { runSimple } from "./simple-command.ts";
import { assign, covers, type FunctionBody, merge, type State, textValue, widen } from "./state.ts";
import { afterExpansions, type CommandOutcome, type ShellWalk, settled } from "./walk.ts";
import { expandPattern, expandText, expandWord } from "./words.ts";

/** Walks a parsed script; what the grammar could not read is recorded. */
export function walkParsed(
	walk: ShellWalk,
	script: ParsedScript | Script,
	state: State,
	stdin: string,
): CommandOutcome {
	if ("errors" in script && script.errors && script.errors.length > 0) {
		const first = script.errors[0];
		walk.record.unknown({ what: "syntax", text: first?.message ?? "unreadable shell text", may: everyAccess });
	}
	return walkStatements(walk, script.commands, state, stdin);
}

function walkStatements(
	walk: ShellWalk,
	statements: readonly Statement[],
	state: State,
	stdin: string,
): CommandOutcome {
	let outcome = settled(state, "");
	let output = "";
	for (const statement of statements) {
		const now = merge(outcome.success, outcome.failure, walk.host);
		if (!walk.record.spend(4)) return settled(now, UNKNOWN_VALUE);
		outcome = walkStatement(walk, statement, now, stdin);
		output = bounded(output + outcome.output);
	}
	return { ...outcome, output };
}

function walkList(walk: ShellWalk, list: CompoundList, state: State, stdin: string): CommandOutcome {
	return walkStatements(walk, list.commands, state, stdin);
}

function walkStatement(walk: ShellWalk, statement: Statement, state: State, stdin: string): CommandOutcome {
	const { command } = statement;
	const outcome =
		command.type === "AndOr" ? walkAndOr(walk, command, state, stdin) : walkPipelineNode(walk, command, state, stdin);
	return statement.background ? settled(state, outcome.output) : outcome;
}

function walkAndOr(
	walk: ShellWalk,
	node: { readonly commands: readonly PipelineNode[]; readonly operators: readonly ("&&" | "||")[] },
	state: State,
	stdin: string,
): CommandOutcome {
	const [first, ...others] = node.commands;
	if (!first) return settled(state, "");
	let outcome = walkPipelineNode(walk, first, state, stdin);
	for (const [index, next] of others.entries()) {
		if (!walk.record.spend(4)) break;
		const and = node.operators[index] === "&&";
		const then = walkPipelineNode(walk, next, and ? outcome.success : outcome.failure, stdin);
		const output = then.output === "" ? outcome.output : outcome.output === "" ? then.output : UNKNOWN_VALUE;
		outcome = and
			? { success: then.success, failure: merge(outcome.failure, then.failure, walk.host), output }
			: { success: merge(outcome.success, then.success, walk.host), failure: then.failure, output };
	}
	return outcome;
}

function walkPipelineNode(walk: ShellWalk, node: PipelineNode, state: State, stdin: string): CommandOutcome {
	if (node.type !== "Pipeline") return walkCommand(walk, node, state, stdin);
	const [only] = node.commands;
	const negated = node.prefixes.filter((prefix) => prefix.type === "Negation").length % 2 === 1;
	if (node.commands.length === 1 && only) {
		const outcome = walkCommand(walk, only, state, stdin);
		return negated ? { success: outcome.failure, failure: outcome.success, output: outcome.output } : outcome;
	}
	let input = stdin;
	for (const [index, command] of node.commands.entries()) {
		if (!walk.record.spend(4)) return settled(state, UNKNOWN_VALUE);
		const outcome = walkCommand(walk, command, state, input);
		input = node.operators[index] === "|&" ? UNKNOWN_VALUE : outcome.output;
	}
	return settled(state, input);
}

/** Walks the body of a function. */
export function walkBody(walk: ShellWalk, body: FunctionBody, state: State, stdin: string): CommandOutcome {
	return body.type === "CompoundList" ? walkList(walk, body, state, stdin) : walkCommand(walk, body, state, stdin);
}

function walkCommand(walk: ShellWalk, node: CommandNode, state: State, stdin: string): CommandOutcome {
	if (!walk.record.spend(4)) return settled(state, UNKNOWN_VALUE);
	switch (node.type) {
		case "Command":
			return runSimple(walk, node, state, stdin);
		case "Redirected":
			return walkRedirected(walk, node, state, stdin);
		case "Subshell": {
			const outcome = walkList(walk, node.body, state, stdin);
			return settled(state, outcome.output);
		}
		case "BraceGroup":
			return walkList(walk, node.body, state, stdin);
		case "If": {
			const clause = walkList(walk, node.clause, state, stdin);
			const ends = [walkList(walk, node.then, clause.success, stdin)];
			let otherwise = clause.failure;
			for (const elif of node.elif) {
				const test = walkList(walk, elif.clause, otherwise, stdin);
				ends.push(walkList(walk, elif.then, test.success, stdin));
				otherwise = test.failure;
			}
			ends.push(node.else ? walkList(walk, node.else, otherwise, stdin) : settled(otherwise, ""));
			return join(walk, ends);
		}
		case "Case":
			return walkCase(walk, node, state, stdin);
		case "For":
		case "Select": {
			const values = node.wordlist
				? listValues(walk, node.wordlist, state, stdin)
				: [...new Set(state.parameters?.flat() ?? [UNKNOWN_VALUE])];
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
				arithmetic(node.update, body.success, expansion);
				return { ...body, success: afterExpansions(walk, body.success) };
			});
		}
		case "While":
			return walkLoop(walk, state, (now) => {
				const clause = walkList(walk, node.clause, now, stdin);
				const enter = node.kind === "while" ? clause.success : clause.failure;
				const leave = node.kind === "while" ? clause.failure : clause.success;
				return join(walk, [walkList(walk, node.body, enter, stdin), settled(leave, clause.output)]);
			});
		case "Function":
			// Defining copies what is known.
			walk.record.spend(state.functions.size / 8);
			return settled({ ...state, functions: new Map(state.functions).set(node.name.value, [node.body]) }, "");
		case "Coproc":
			if (node.body.type === "CompoundList") walkList(walk, node.body, state, UNKNOWN_VALUE);
			else walkCommand(walk, node.body, state, UNKNOWN_VALUE);
			return settled(state, "");
		case "TestCommand":
			walkTest(walk, node.expression, state, stdin);
			return settled(afterExpansions(walk, state), "");
		case "ArithmeticCommand":
			arithmetic(node.expression, state, walk.expansion(stdin));
			return settled(afterExpansions(walk, state), "");
	}
}

/** A `case`: the bodies whose patterns may match, in order, up to the first that surely does. */
function walkCase(walk: ShellWalk, node: Case, state: State, stdin: string): CommandOutcome {
	const expansion = walk.expansion(stdin);
	const words = expandText(node.word, state, expansion);
	const ends: CommandOutcome[] = [];
	let before: State | undefined;
	let surely = false;
	for (const item of node.items) {
		const patterns = item.pattern.flatMap((pattern) => expandPattern(pattern, state, expansion));
		const match = before || !walk.record.spend(costOfMatching(words, patterns)) ? "perhaps" : matchAny(words, patterns);
		if (match === "no") continue;
		const end = walkList(walk, item.body, before ? merge(state, before, walk.host) : state, stdin);
		ends.push(end);
		const falls = item.terminator === ";&" || item.terminator === ";;&";
		before = falls ? merge(end.success, end.failure, walk.host) : undefined;
		if (match === "surely" && !falls) {
			surely = true;
			break;
		}
	}
	return join(walk, surely && ends.length > 0 ? ends : [settled(state, ""), ...ends]);
}

/** What it costs at worst to try every pattern on every word, in units of the record's budget. */
function costOfMatching(words: readonly string[], patterns: readonly string[]): number {
	const length = (texts: readonly string[]) => texts.reduce((sum, text) => sum + text.length, 0);
	return (length(words) * length(patterns)) / 2000;
}

function matchAny(words: readonly string[], patterns: readonly string[]): "surely" | "perhaps" | "no" {
	if (
		patterns.some((pattern) => !isKnown(pattern) || /[@!?+*]\(/.test(pattern)) ||
		words.some((word) => !isKnown(word))
	)
		return "perhaps";
	const tests = patterns.map(compileGlob);
	const hits = words.filter((word) => tests.some((test) => test(word)));
	return hits.length === 0 ? "no" : hits.length === words.length ? "surely" : "perhaps";
}

function walkRedirected(walk: ShellWalk, node: Redirected, state: State, stdin: string): CommandOutcome {
	const streams = applyRedirects(walk, node.redirects, state, stdin, "command group");
	const outcome = walkCommand(walk, node.command, afterExpansions(walk, state), streams.stdin);
	streams.keep(outcome.output);
	return streams.stdout === "captured" ? outcome : { ...outcome, output: "" };
}

function join(walk: ShellWalk, ends: readonly CommandOutcome[]): CommandOutcome {
	const [first, ...others] = ends;
	if (!first) throw new Error("a branch without an end");
	let { success, failure, output } = first;
	for (const end of others) {
		success = merge(success, end.success, walk.host);
		failure = merge(failure, end.failure, walk.host);
		if (end.output !== output) output = UNKNOWN_VALUE;
	}
	return { success, failure, output };
}

/** Walks a loop's body until its state is stable: once as it begins, then with what it changed, at last with that unknown. */
function walkLoop(walk: ShellWalk, start: State, body: (state: State) => CommandOutcome): CommandOutcome {
	let state = start;
	let printed = "";
	const rounds = walk.enterLoop();
	for (let round = 0; round <= rounds; round++) {
		const outcome = body(state);
		if (outcome.output !== "") printed = UNKNOWN_VALUE;
		const after = merge(outcome.success, outcome.failure, walk.host);
		if (covers(state, after)) break;
		state = round < rounds - 2 ? merge(state, after, walk.host) : widen(state, after, walk.host);
	}
	walk.leaveLoop();
	return settled(state, printed);
}

/** The values that a `for` list may hold, each once. */
function listValues(walk: ShellWalk, words: readonly Word[], state: State, stdin: string): readonly string[] {
	const expansion = walk.expansion(stdin);
	return [...new Set(words.flatMap((word) => expandWord(word, state, expansion)).flat())];
}

/** The directory that many paths share, with what is found below it. */
function commonPlace(paths: readonly string[], record: FootprintRecord): string {
	let shared = paths[0] ?? "";
	for (const path of paths) while (!path.startsWith(shared)) shared = shared.slice(0, -1);
	const below = paths.every((path) => isKnown(path) && !/(^|\/)\.\.(\/|$)/.test(path));
	return shared.slice(0, shared.lastIndexOf("/") + 1) + (below ? record.found({}) : UNKNOWN_VALUE);
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

function walkTest(walk: ShellWalk, test: TestExpression, state: State, stdin: string): void {
	if (!walk.record.spend(4)) return;
	const expansion = walk.expansion(stdin);
	const look = (word: Word) => {
		for (const text of expandText(word, state, expansion))
			if (!state.elsewhere) accessWord(walk.record, "list", text, state.cwd, "[[ … ]]");
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
