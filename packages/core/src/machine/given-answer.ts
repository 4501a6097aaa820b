// Who has answered what: the one who answers a question second is told who was first. Pure.
import type { LedgerEvent } from "./run/event.ts";
import type { Refusal } from "./run/refusal.ts";
import type { Run } from "./run/run.ts";

const maxGiven = 8;

/** The run after `event`: it remembers the last answers of the user. */
export function rememberAnswer(run: Run, event: LedgerEvent): Run {
	// A question of a rule is answered by the live worker alone.
	if (!("answers" in event) || (event.kind === "ask_answered" && event.words === undefined)) return run;
	const { answers, kind, by, via } = event;
	const did = kind === "ask_answered" ? "answered" : kind;
	return { ...run, answered: [...run.answered, { answers, did, by, via }].slice(-maxGiven) };
}

/** The refusal of `event`, with who has answered the question before, if somebody has. */
export function nameFirst(run: Run, event: LedgerEvent, refusal: Refusal): Refusal {
	const first = "answers" in event ? firstAnswer(run, event.answers) : undefined;
	return first === undefined ? refusal : { ...refusal, message: `${refusal.message} ${first}` };
}

/** Who has answered the event `answers`, from where and how, in one sentence; `undefined`: the run does not know. */
export function firstAnswer({ answered }: Run, answers: number): string | undefined {
	const first = answered.findLast((given) => given.answers === answers);
	const what = first && givenText(first);
	return what === undefined ? undefined : `It was ${what} first.`;
}

/** Who gave the run's last answer, in one sentence; `undefined`: the run does not know. */
export function lastAnswer({ answered }: Run): string | undefined {
	const last = answered.at(-1);
	const what = last && givenText(last);
	return what === undefined ? undefined : `Its last question was ${what}.`;
}

function givenText({ did, by, via }: Run["answered"][number]): string | undefined {
	if (by === undefined && via === undefined) return undefined;
	return `${did}${by === undefined ? "" : ` by ${by}`}${via === undefined ? "" : ` from ${via}`}`;
}
