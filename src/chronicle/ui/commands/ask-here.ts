// Asks the user of this process what a run asks that the hosts of an engine do. Nothing is delivered here.
import { type Approver, awaitedAnswer, dueQuestion, type Run, type UserEvent } from "../../core/index.ts";
import { answerEvent, type Project, watchRun } from "../../engine/index.ts";
import { askingChildren } from "./child-dispatch.ts";

export interface AnswerHere {
	/** The run that asked: the one that was named, or a child. */
	readonly id: string;
	readonly event: UserEvent;
}

interface Asked {
	readonly seq: number;
	ask(approver: Approver, signal: AbortSignal): Promise<UserEvent | undefined>;
}

function askedBy(run: Run): Asked | undefined {
	const { stage } = run;
	if (stage.kind === "asking") {
		const { question } = stage;
		const ask: Asked["ask"] = async (approver, signal) =>
			answerEvent(question, await approver.approve(question, run, signal));
		return { seq: question.seq, ask };
	}
	const question = dueQuestion(run);
	if (!question) return undefined;
	const { seq } = question;
	return {
		seq,
		async ask(approver, signal) {
			const words = await approver.ask(question, run, signal);
			return words === undefined ? undefined : { kind: "ask_answered", answers: seq, verdict: "answered", words };
		},
	};
}

/** The user's answer to the question of `run`, or of its child that asks first; `undefined`: none. A question that is answered elsewhere closes. */
export async function askHere(
	project: Project,
	run: Run,
	approver: Approver,
	signal?: AbortSignal,
): Promise<AnswerHere | undefined> {
	const [asking] = await askingChildren(project, run);
	const asked = asking && askedBy(asking);
	if (!asking || !asked) return undefined;
	const over = new AbortController();
	const close = (): void => over.abort();
	signal?.addEventListener("abort", close, { once: true });
	if (signal?.aborted) close();
	const unwatch = watchRun(project, asking.id, ({ run: now }) => {
		if (awaitedAnswer(now) !== asked.seq) close();
	});
	try {
		const event = await asked.ask(approver, over.signal);
		return event && !over.signal.aborted ? { id: asking.id, event } : undefined;
	} finally {
		unwatch();
		signal?.removeEventListener("abort", close);
	}
}
