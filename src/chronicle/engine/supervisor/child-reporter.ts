// Reports to a run what one of its children has spent and what it does.
// R1 spend is reported at once, because ceilings depend on it; R2 what the child does is reported at most every `activityMs`, so that short
// calls cost no events; R3 nothing that the run knows is reported again.
import { isDeepStrictEqual } from "node:util";
import { activityOf, type ChildRun, type ChildSpend, type EventBody, type Run } from "../../core/index.ts";

type ChildSpent = Extract<EventBody, { kind: "child_spent" }>;

export interface ReportedChild {
	readonly visit: number;
	/** As the run knows it. */
	readonly child: ChildRun;
	/** The child's own run now. */
	run(): Run;
	/** Whether nothing is to be recorded any more. */
	isStopped(): boolean;
	record(event: ChildSpent): Promise<unknown>;
	/** The run knows of further spend. */
	onSpent(): void;
}

const activityMs = 400;

/** The totals of a child's run, including its own children. */
export function totalOf({ totals }: Run): ChildSpend {
	const { activeMs, attempts, toolCalls, ...spend } = totals;
	return { spend, activeMs, attempts, toolCalls };
}

export class ChildReporter {
	readonly #subject: ReportedChild;
	#total: ChildSpend;
	/** The state and the activity of the last report. */
	#shown: Pick<ChildSpent, "state" | "activity">;
	#timer: NodeJS.Timeout | undefined;

	constructor(subject: ReportedChild) {
		const { counted, state, activity } = subject.child;
		this.#subject = subject;
		this.#total = counted;
		this.#shown = shownOf(state, activity);
	}

	/** Reports what is new: resolves once further spend is recorded; what the child does follows. */
	async report(): Promise<void> {
		const { run, onSpent } = this.#subject;
		if (!isDeepStrictEqual(totalOf(run()), this.#total)) {
			await this.#record();
			onSpent();
		} else this.#timer ??= setTimeout(() => this.#reportActivity(), activityMs);
	}

	close(): void {
		clearTimeout(this.#timer);
	}

	#reportActivity(): void {
		this.#timer = undefined;
		const now = this.#subject.run();
		if (!isDeepStrictEqual(shownOf(now.state, activityOf(now)), this.#shown)) void this.#record();
	}

	async #record(): Promise<void> {
		const { visit, child, run, isStopped, record } = this.#subject;
		if (isStopped()) return;
		const now = run();
		this.#total = totalOf(now);
		this.#shown = shownOf(now.state, activityOf(now));
		await record({ kind: "child_spent", visit, child: child.id, ...this.#total, ...this.#shown });
	}
}

function shownOf(state: string | undefined, activity: ChildSpent["activity"]): Pick<ChildSpent, "state" | "activity"> {
	return { ...(state === undefined ? {} : { state }), ...(activity ? { activity } : {}) };
}
