// Choosing one of several children (`take: one`): they are done, the worker of the next state names one of them, and only its files are
// joined. Pure.
import { didYouMean } from "../definition/index.ts";
import { addOutput, addSummary, cutText, outputsOf } from "../snapshot/index.ts";
import { HUMAN_INTERVENTION, type OutputSchema } from "../template/index.ts";
import { notice } from "./budget/budget.ts";
import { judgeMove, legalTargets } from "./plan/moves.ts";
import { planOf } from "./plan/plan.ts";
import type { ApprovalQuestion } from "./run/approval-question.ts";
import type { ChildChoice, ChildGroup, ChildRun } from "./run/child-group.ts";
import { type Reduced, refuse } from "./run/refusal.ts";
import type { Run } from "./run/run.ts";

/** A shorter beginning of an id could be a name. */
const minIdLength = 4;

/** The children to choose from in `state`; empty if its worker chooses none. */
export function candidatesIn({ candidates }: Run, state: string): readonly ChildRun[] {
	return candidates?.judge === state ? doneIn(candidates.group) : [];
}

function doneIn({ children }: ChildGroup): readonly ChildRun[] {
	return children.filter(({ status, merges }) => status === "done" && merges === undefined);
}

/** The name of the child of `state` that `written` means: its name, or the beginning of its id; `undefined`: none, or several. */
export function findCandidate(run: Run, state: string, written: string): string | undefined {
	const candidates = candidatesIn(run, state);
	if (candidates.some(({ name }) => name === written)) return written;
	const [only, second] = written.length < minIdLength ? [] : candidates.filter(({ id }) => id.startsWith(written));
	return second === undefined ? only?.name : undefined;
}

/** JSON Schema of what the worker of `state` hands over: its `output`, with the choice if it has one to make. */
export function outputIn(run: Run, state = run.state): OutputSchema | undefined {
	const { output } = planOf(run, state);
	const names = candidatesIn(run, state).map(({ name }) => name);
	if (names.length === 0) return output;
	const choice = {
		type: "object",
		required: ["winner"],
		properties: { winner: { enum: names, description: "The child whose files are taken" } },
	};
	return output ? { allOf: [output, choice] } : choice;
}

/**
 * The JSON Schema of the data that a move to `target` hands over; `undefined` if it hands over none: escalating to the user, repeating the
 * state, and having the children try again need no result.
 */
export function dueOutput(run: Run, target: string): OutputSchema | undefined {
	const schema = outputIn(run);
	if (!schema || target === HUMAN_INTERVENTION || triesAgain(run, target)) return undefined;
	const { kind } = judgeMove(run, target);
	return kind === "illegal" || kind === "repeat" ? undefined : schema;
}

/** The targets of `state` to which a move hands over no data, although its worker has an output; empty if it has none. */
export function targetsWithoutOutput(run: Run, state = run.state): readonly string[] {
	const there: Run = { ...run, state };
	return outputIn(there) ? legalTargets(there).filter((target) => !dueOutput(there, target)) : [];
}

function triesAgain({ candidates, state }: Run, target: string): boolean {
	return candidates?.judge === state && candidates.group.state === target;
}

/** The run with the choice that `data`, handed over with a move to `target`, makes. */
export function chooseWinner(run: Run, target: string, data: unknown): Run {
	const { candidates } = run;
	if (!candidates || candidatesIn(run, run.state).length === 0) return run;
	const { winner } = (data ?? {}) as { readonly winner?: unknown };
	const chosen = typeof winner === "string" && dueOutput(run, target) ? winner : null;
	const { override: _, ...known } = candidates;
	return { ...run, candidates: { ...known, winner: chosen } };
}

/** The name of the child whose files a move to `target` takes first; `undefined`: none. */
export function winnerOf(run: Run, target: string): string | undefined {
	const { candidates, state } = run;
	if (candidates?.judge !== state || triesAgain(run, target)) return undefined;
	return candidates.winner ?? undefined;
}

/** Children that a message names. */
const maxNamed = 20;
const nameLength = 80;

/**
 * Why the user cannot take the child `name` with the move to `target` that the run asks about, in one sentence; `undefined` if that is
 * possible.
 */
export function explainWinner(run: Run, target: string, name: string): string | undefined {
	const names = candidatesIn(run, run.state).map((child) => child.name);
	if (names.length === 0) return "The run has no children to choose from now.";
	if (triesAgain(run, target))
		return `The move to "${target}" starts new children, so none is taken: reject it, and say which child to take.`;
	if (names.includes(name)) return undefined;
	const hidden = names.length - Math.min(names.length, maxNamed);
	const listed = [...names.slice(0, maxNamed), ...(hidden > 0 ? [`${hidden} more`] : [])].join(", ");
	const written = name.slice(0, nameLength);
	return `"${written}" is none of the children to choose from.${didYouMean(written, names)} They are: ${listed}.`;
}

/** The run whose user answers `question` by taking the child `winner`, whichever child the worker has named. */
export function overrideWinner(run: Run, question: ApprovalQuestion, winner: string, words = ""): Reduced {
	const { candidates, snapshot, visit, state, visitRecord } = run;
	const problem = explainWinner(run, question.target, winner);
	if (!candidates || problem !== undefined) return refuse("illegal", problem ?? "");
	const insteadOf = candidates.winner;
	if (insteadOf === winner || insteadOf === null) return { ...run, candidates: { ...candidates, winner } };
	const why = cutText(words.trim(), whyBytes).text;
	const said = why === "" ? "" : `: ${why}`;
	const summary = `The user took "${winner}" instead of "${insteadOf}"${said}\nThe worker: ${visitRecord.summary}`;
	// What later states read must name the child that was taken.
	const output = outputsOf(snapshot).find((one) => one.visit === visit && one.state === state);
	const summarized = addSummary(snapshot, summary, { visit, state });
	return {
		...run,
		candidates: { ...candidates, winner, override: { insteadOf, words: why } },
		snapshot: output ? addOutput(summarized, { ...output, data: { ...(output.data as object), winner } }) : summarized,
		visitRecord: { ...visitRecord, summary },
	};
}

/** Of what the user wrote with the choice. */
const whyBytes = 300;
/** Choices that a run remembers. */
const maxChoices = 8;

/** The run with the record of a choice among children. */
export function addChoice(run: Run, choice: ChildChoice): Run {
	return { ...run, choices: [...run.choices, choice].slice(-maxChoices) };
}

/** The run, which takes none of the children to choose from. */
export function dropCandidates(run: Run, by: ChildChoice["by"]): Run {
	const { candidates, visit } = run;
	if (!candidates) return run;
	const { state, visit: of } = candidates.group;
	const noted = notice({ ...run, candidates: null }, `No child of "${state}" was taken.`);
	return addChoice(noted, { state, visit: of, madeIn: visit, winner: null, by, why: "" });
}
