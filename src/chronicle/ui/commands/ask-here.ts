// Asks the user of this process what a run asks that the hosts of an engine do. Nothing is delivered here.
import { type Approver, awaitedAnswer, type Run, type UserEvent } from "../../core/index.ts";
import { answerEvent, type Project, watchRun } from "../../engine/index.ts";
import { askingChildren } from "./child-dispatch.ts";

export interface AnswerHere {
	/** The run that asked: the one that was named, or a child. */
	readonly id: string;
	readonly event: UserEvent;
}

/** The user's answer to the question of `run`, or of its child that asks first; `undefined`: none. A question that is answered elsewhere closes. */
export async function askHere(
	project: Project,
	run: Run,
	approver: Approver,
	signal?: AbortSignal,
): Promise<AnswerHere | undefined> {
	const [asking] = await askingChildren(project, run);
	if (asking?.stage.kind !== "asking") return undefined;
	const { question } = asking.stage;
	const over = new AbortController();
	const close = (): void => over.abort();
	signal?.addEventListener("abort", close, { once: true });
	if (signal?.aborted) close();
	const unwatch = watchRun(project, asking.id, ({ run: now }) => {
		if (awaitedAnswer(now) !== question.seq) close();
	});
	try {
		const approval = await approver.approve(question, asking, over.signal);
		const event = over.signal.aborted ? undefined : answerEvent(question, approval);
		return event && { id: asking.id, event };
	} finally {
		unwatch();
		signal?.removeEventListener("abort", close);
	}
}
