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
import { touchWord } from "../places.ts";
import { everyAccess, type Record } from "../record.ts";
import { bounded, HOLE, isKnown } from "../text.ts";
import { compileGlob } from "./globs.ts";
import { arithmetic } from "./pieces.ts";
import { applyRedirects } from "./redirects.ts";
import { runSimple } from "./simple-command.ts";
import { assign, covers, type FunctionBody, merge, type State, textValue, widen } from "./state.ts";
import { afterExpansions, type Outcome, settled, type Walk } from "./walk.ts";
import { expandPattern, expandText, expandWord } from "./words.ts";

/** Walks a parsed script; what the grammar could not read is recorded. */
export function walkParsed(walk: Walk, script: ParsedScript | Script, state: State, stdin: string): Outcome {
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

/** Walks the body of a function. */
export function walkBody(walk: Walk, body: FunctionBody, state: State, stdin: string): Outcome {
	return body.type === "CompoundList" ? walkList(walk, body, state, stdin) : walkCommand(walk, body, state, stdin);
}

function walkCommand(walk: Walk, node: CommandNode, state: State, stdin: string): Outcome {
	if (!walk.record.spend(4)) return settled(state, HOLE);
	switch (node.type) {
		case "Command":
			return runSimple(walk, node, state, stdin);
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
		case "Case":
			return walkCase(walk, node, state, stdin);
		case "For":
		case "Select": {
			const values = node.wordlist
				? listValues(walk, node.wordlist, state, stdin)
				: [...new Set(state.parameters?.flat() ?? [HOLE])];
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
			// Defining copies what is known.
			walk.record.spend(state.functions.size / 8);
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

/** A `case`: the bodies whose patterns may match, in order, up to the first that surely does. */
function walkCase(walk: Walk, node: Case, state: State, stdin: string): Outcome {
	const expansion = walk.expansion(stdin);
	const words = expandText(node.word, state, expansion);
	const ends: Outcome[] = [];
	let before: State | undefined;
	let surely = false;
	for (const item of node.items) {
		const patterns = item.pattern.flatMap((pattern) => expandPattern(pattern, state, expansion));
		const match = before || !walk.record.spend(costOfMatching(words, patterns)) ? "perhaps" : matchAny(words, patterns);
		if (match === "no") continue;
		const end = walkList(walk, item.body, before ? merge(state, before, walk.around) : state, stdin);
		ends.push(end);
		const falls = item.terminator === ";&" || item.terminator === ";;&";
		before = falls ? merge(end.yes, end.no, walk.around) : undefined;
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
	const rounds = walk.enterLoop();
	for (let round = 0; round <= rounds; round++) {
		const outcome = body(state);
		if (outcome.out !== "") printed = HOLE;
		const after = merge(outcome.yes, outcome.no, walk.around);
		if (covers(state, after)) break;
		state = round < rounds - 2 ? merge(state, after, walk.around) : widen(state, after, walk.around);
	}
	walk.leaveLoop();
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
