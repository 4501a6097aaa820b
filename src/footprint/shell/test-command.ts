// `[[ … ]]`: the files that it tests, and the words that it expands. Both outcomes are walked, so its value is not computed.
import type { TestExpression, Word } from "unbash";
import { accessWord } from "../places.ts";
import { expandText } from "./fragments.ts";
import type { State } from "./state.ts";
import type { ShellWalk } from "./walk.ts";

const fileTests = new Set("-a -b -c -d -e -f -g -h -k -p -r -s -u -w -x -G -L -N -O -S".split(" "));
const fileComparisons = new Set(["-nt", "-ot", "-ef"]);

/** Records the files that a test inspects, and walks the substitutions in it. */
export function walkTest(walk: ShellWalk, test: TestExpression, state: State, stdin: string): void {
	if (!walk.record.spend(4)) return;
	switch (test.type) {
		case "TestUnary":
			expandOperand(walk, test.operand, state, stdin, fileTests.has(test.operator));
			return;
		case "TestBinary":
			for (const word of [test.left, test.right])
				expandOperand(walk, word, state, stdin, fileComparisons.has(test.operator));
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

function expandOperand(walk: ShellWalk, word: Word, state: State, stdin: string, isFile: boolean): void {
	const texts = expandText(word, walk.expansion(state, stdin));
	if (!isFile || state.elsewhere) return;
	for (const text of texts) accessWord(walk.record, "list", text, state.cwd, "[[ … ]]");
}
