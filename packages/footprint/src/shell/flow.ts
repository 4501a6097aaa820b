// Control flow: walks a parsed script in the order of execution. Simple commands are in `simple-command.ts`.
// Every path that execution could take is walked; a loop is walked until nothing new is known, then with its variables unknown;
// past a bound the record overflows and the walk ends.
import type {
	ArithmeticFor,
	Case,
	CommandNode,
	CompoundList,
	For,
	If,
	ParsedScript,
	PipelineNode,
	Redirected,
	Script,
	Select,
	Statement,
	TestExpression,
	While,
	Word,
} from "unbash";
import { accessVerb } from "../places.ts";
import { bounded, isKnown, UNKNOWN_VALUE } from "../text.ts";
import { evaluateExpression, evaluateText } from "./evaluated-text.ts";
import type { Expansion } from "./expansion.ts";
import { expandPattern, expandText } from "./fragments.ts";
import { compileGlob } from "./globs.ts";
import { applyRedirects } from "./redirects.ts";
import { runSimple } from "./simple-command.ts";
import { assign, covers, type FunctionBody, merge, type State, textValue, widen } from "./state.ts";
import { afterExpansions, type CommandOutcome, either, type ShellWalk, settled } from "./walk.ts";
import { expandWord } from "./words.ts";

/** Walks a parsed script; records the parts that the grammar could not parse. */
export function walkParsed(
	walk: ShellWalk,
	script: ParsedScript | Script,
	state: State,
	stdin: string,
): CommandOutcome {
	if ("errors" in script && script.errors && script.errors.length > 0) {
		const first = script.errors[0];
		walk.record.unknown({ what: "syntax", text: first?.message ?? "unreadable shell text" });
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
		outcome = heedFailure(walk, statement, walkStatement(walk, statement, now, stdin));
		output = bounded(output + outcome.output);
	}
	return { ...outcome, output };
}

/** The outcome of a statement of a list: with `set -e`, the failure of a simple command ends the shell. */
function heedFailure(walk: ShellWalk, { command, background }: Statement, outcome: CommandOutcome): CommandOutcome {
	const { success, failure } = outcome;
	const isHeeded = failure.errexit && !failure.lost && !walk.isCondition && !walk.hasTraps;
	if (!isHeeded || success === failure || background || command.type !== "Command") return outcome;
	return { ...outcome, failure: { ...failure, ended: true } };
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
	const operand = (index: number, command: PipelineNode, from: State): CommandOutcome => {
		const work = () => walkPipelineNode(walk, command, from, stdin);
		return index < others.length ? walk.inCondition(work) : work();
	};
	let outcome = operand(0, first, state);
	for (const [index, next] of others.entries()) {
		if (!walk.record.spend(4)) break;
		const and = node.operators[index] === "&&";
		const then = operand(index + 1, next, and ? outcome.success : outcome.failure);
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
		if (!negated) return walkCommand(walk, only, state, stdin);
		const { success, failure, output } = walk.inCondition(() => walkCommand(walk, only, state, stdin));
		return { success: failure, failure: success, output };
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
export function walkBody(
	walk: ShellWalk,
	body: FunctionBody | CommandNode,
	state: State,
	stdin: string,
): CommandOutcome {
	return body.type === "CompoundList" ? walkList(walk, body, state, stdin) : walkCommand(walk, body, state, stdin);
}

function walkCommand(walk: ShellWalk, node: CommandNode, state: State, stdin: string): CommandOutcome {
	if (!walk.record.spend(4)) return settled(state, UNKNOWN_VALUE);
	switch (node.type) {
		case "Command":
			return runSimple(walk, node, state, stdin);
		case "Redirected":
			return walkRedirected(walk, node, state, stdin);
		case "Subshell":
			return settled(state, walkList(walk, node.body, state, stdin).output);
		case "BraceGroup":
			return walkList(walk, node.body, state, stdin);
		case "If":
			return walkIf(walk, node, state, stdin);
		case "Case":
			return walkCase(walk, node, state, stdin);
		case "For":
		case "Select":
			return walkFor(walk, node, state, stdin);
		case "ArithmeticFor":
			return walkArithmeticFor(walk, node, state, stdin);
		case "While":
			return walkWhile(walk, node, state, stdin);
		case "Function":
			// Defining copies the known functions.
			walk.record.spend(state.functions.size / 8);
			return settled({ ...state, functions: new Map(state.functions).set(node.name.value, [node.body]) }, "");
		case "Coproc":
			walkBody(walk, node.body, state, UNKNOWN_VALUE);
			return settled(state, "");
		case "TestCommand":
			walkTest(walk, node.expression, state, stdin);
			return settled(afterExpansions(walk, state), "");
		case "ArithmeticCommand":
			evaluateExpression(node.expression, walk.expansion(state, stdin));
			return settled(afterExpansions(walk, state), "");
	}
}

function walkIf(walk: ShellWalk, node: If, state: State, stdin: string): CommandOutcome {
	const condition = (list: CompoundList, from: State) => walk.inCondition(() => walkList(walk, list, from, stdin));
	const clause = condition(node.clause, state);
	const first = walkList(walk, node.then, clause.success, stdin);
	const others: CommandOutcome[] = [];
	let otherwise = clause.failure;
	for (const elif of node.elif) {
		const test = condition(elif.clause, otherwise);
		others.push(walkList(walk, elif.then, test.success, stdin));
		otherwise = test.failure;
	}
	others.push(node.else ? walkList(walk, node.else, otherwise, stdin) : settled(otherwise, ""));
	return either(walk, first, ...others);
}

const MAX_VALUES = 64;

function walkFor(walk: ShellWalk, node: For | Select, state: State, stdin: string): CommandOutcome {
	const values = node.wordlist
		? listValues(node.wordlist, walk.expansion(state, stdin))
		: [...new Set(state.parameters?.flat() ?? [UNKNOWN_VALUE])];
	if (values.length === 0) return settled(state, "");
	const value = textValue(...(values.length > MAX_VALUES ? [UNKNOWN_VALUE] : values));
	return walkLoop(walk, state, (now) => {
		// Assigning copies the known values.
		walk.record.spend(now.variables.size / 8);
		return walkList(walk, node.body, assign(now, node.name.value, value), stdin);
	});
}

function walkArithmeticFor(walk: ShellWalk, node: ArithmeticFor, state: State, stdin: string): CommandOutcome {
	evaluateExpression(node.initialize, walk.expansion(state, stdin));
	return walkLoop(walk, afterExpansions(walk, state), (now) => {
		evaluateExpression(node.test, walk.expansion(now, stdin));
		const body = walkList(walk, node.body, afterExpansions(walk, now), stdin);
		evaluateExpression(node.update, walk.expansion(body.success, stdin));
		return { ...body, success: afterExpansions(walk, body.success) };
	});
}

function walkWhile(walk: ShellWalk, node: While, state: State, stdin: string): CommandOutcome {
	return walkLoop(walk, state, (now) => {
		const clause = walk.inCondition(() => walkList(walk, node.clause, now, stdin));
		const [enter, leave] = node.kind === "while" ? [clause.success, clause.failure] : [clause.failure, clause.success];
		return either(walk, walkList(walk, node.body, enter, stdin), settled(leave, clause.output));
	});
}

/** A `case`: the bodies whose patterns may match, in order, up to the first that surely does. */
function walkCase(walk: ShellWalk, node: Case, state: State, stdin: string): CommandOutcome {
	const expansion = walk.expansion(state, stdin);
	const words = expandText(node.word, expansion);
	const ends: CommandOutcome[] = [];
	/** The state in which the body before falls through to the next one. */
	let fallen: State | undefined;
	for (const item of node.items) {
		const patterns = item.pattern.flatMap((pattern) => expandPattern(pattern, expansion));
		const affordable = !fallen && walk.record.spend(costOfMatching(words, patterns));
		const match = affordable ? matchAny(words, patterns) : "perhaps";
		if (match === "no") continue;
		const end = walkList(walk, item.body, fallen ? merge(state, fallen, walk.host) : state, stdin);
		ends.push(end);
		const falls = item.terminator === ";&" || item.terminator === ";;&";
		fallen = falls ? merge(end.success, end.failure, walk.host) : undefined;
		const [first, ...others] = ends;
		if (match === "surely" && !falls && first) return either(walk, first, ...others);
	}
	return either(walk, settled(state, ""), ...ends);
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

/** Walks a loop's body until its state is stable: first with the initial state, then with its changes, finally with the changed values unknown. */
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
function listValues(words: readonly Word[], expansion: Expansion): readonly string[] {
	return [...new Set(words.flatMap((word) => expandWord(word, expansion)).flat())];
}

const fileTests = new Set("-a -b -c -d -e -f -g -h -k -p -r -s -u -w -x -G -L -N -O -S".split(" "));
const fileComparisons = new Set(["-nt", "-ot", "-ef"]);
/** Tests whose operands bash evaluates: as numbers, or as names with a subscript. */
const evaluating = new Set("-eq -ne -lt -le -gt -ge -v -R -t -o".split(" "));

/** Records the files that a test inspects, and walks the substitutions in it. */
function walkTest(walk: ShellWalk, test: TestExpression, state: State, stdin: string): void {
	if (!walk.record.spend(4)) return;
	switch (test.type) {
		case "TestUnary":
			expandOperand(walk, test.operand, state, stdin, test.operator);
			return;
		case "TestBinary":
			for (const word of [test.left, test.right]) expandOperand(walk, word, state, stdin, test.operator);
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

function expandOperand(walk: ShellWalk, word: Word, state: State, stdin: string, operator: string): void {
	const expansion = walk.expansion(state, stdin);
	const texts = expandText(word, expansion);
	if (evaluating.has(operator)) for (const text of texts) evaluateText(text, expansion);
	const isFile = fileTests.has(operator) || fileComparisons.has(operator);
	if (!isFile || state.elsewhere) return;
	for (const text of texts) accessVerb(walk.record, "list", text, state.cwd, "[[ … ]]");
}
