// Reports to a run what one of its children has spent and what it does.
// Spend, and which workers work, are reported at once, because ceilings depend on them; what the child does besides is reported at most
// every `activityMs`, so that short calls cost no events; nothing that the run knows is reported again.
import { isDeepStrictEqual } from "node:util";
import {
	type ChildActivity,
	type ChildRun,
	type ChildSpend,
	type EventBody,
	type Run,
	runsAlike,
} from "@pi-chronicle/core/machine";

type ChildSpent = Extract<EventBody, { kind: "child_spent" }>;

export interface ReportedChild {
	readonly visit: number;
	/** As the run knows it. */
	readonly child: ChildRun;
	/** The child's own run now, and what it does. */
	run(): Run;
	activity(): ChildActivity | undefined;
	/** Whether nothing is to be recorded any more. */
	isStopped(): boolean;
	record(event: ChildSpent): Promise<unknown>;
	/** The run knows of further spend, or that another worker works. */
	onCounted(): void;
}

const activityMs = 400;

/** The totals of a child's run, including its own children. */
export function totalOf({ totals }: Run): ChildSpend {
	const { activeMs, attempts, toolCalls, refused, ...spend } = totals;
	return { spend, activeMs, attempts, toolCalls, ...(refused === undefined ? {} : { refused }) };
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
		const { run, onCounted } = this.#subject;
		const now = run();
		if (!isDeepStrictEqual(totalOf(now), this.#total) || !runsAlike(this.#subject.activity(), this.#shown.activity)) {
			await this.#record();
			onCounted();
		} else this.#timer ??= setTimeout(() => this.#reportActivity(), activityMs);
	}

	/** Reports which workers work, if the run knows it otherwise. */
	async refresh(): Promise<void> {
		if (!runsAlike(this.#subject.activity(), this.#shown.activity)) await this.#record();
	}

	close(): void {
		clearTimeout(this.#timer);
	}

	#reportActivity(): void {
		this.#timer = undefined;
		const now = this.#subject.run();
		if (!isDeepStrictEqual(shownOf(now.state, this.#subject.activity()), this.#shown)) void this.#record();
	}

	async #record(): Promise<void> {
		const { visit, child, run, isStopped, record } = this.#subject;
		if (isStopped()) return;
		const now = run();
		this.#total = totalOf(now);
		this.#shown = shownOf(now.state, this.#subject.activity());
		await record({ kind: "child_spent", visit, child: child.id, ...this.#total, ...this.#shown });
	}
}

/** What a report says besides figures. */
export function shownOf(
	state: string | undefined,
	activity: ChildSpent["activity"],
): Pick<ChildSpent, "state" | "activity"> {
	return { state, ...(activity ? { activity } : {}) };
}
