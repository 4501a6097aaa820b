// The run that the timeline of a session shows: the last run that was started, resumed or followed. It always shows the folded run.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { awaitedAnswer, continuesAlone, type Run } from "@pi-chronicle/core/machine";
import { type Project, type SupervisedRun, watchRun } from "../../local/index.ts";
import { inBackground, type Scope, say } from "../../pi/index.ts";
import { asksUser, isInterrupted, waitingLines } from "../phrases/index.ts";
import { mountTimeline, type TimelineWidget } from "../screen/index.ts";
import { answeredElsewhere, nameOfRun } from "./answered-elsewhere.ts";
import type { Attention } from "./attention.ts";
import { commandPrefix } from "./session-project.ts";

/** Milliseconds between two checks of the lease of a run that another process supervises. */
const leaseMs = 5000;

interface ShownRun {
	readonly id: string;
	readonly widget: TimelineWidget;
	unfollow: () => void;
	stopListening: () => void;
}

/** Lets this session supervise a run that is left waiting for its provider; resolves to whether it does. */
type TakeUp = (ctx: ExtensionContext, id: string) => Promise<boolean>;

export class RunDisplay {
	#shown: ShownRun | undefined;
	readonly #scope: Scope;
	readonly #supervised: ReadonlyMap<string, SupervisedRun>;
	readonly #takeUp: TakeUp;
	readonly #attention: Attention;

	constructor(scope: Scope, supervised: ReadonlyMap<string, SupervisedRun>, attention: Attention, takeUp: TakeUp) {
		this.#attention = attention;
		this.#scope = scope;
		this.#supervised = supervised;
		this.#takeUp = takeUp;
	}

	/** The timeline of run `id`, if it is shown. */
	of(id: string): TimelineWidget | undefined {
		return this.#shown?.id === id ? this.#shown.widget : undefined;
	}

	hide(id: string | undefined = this.#shown?.id): void {
		if (!this.#shown || this.#shown.id !== id) return;
		const { widget } = this.#shown;
		this.release(id);
		widget.close();
		this.#shown = undefined;
	}

	/** Stops watching the ledger and the keyboard for run `id`: this process supervises it now. */
	release(id: string): void {
		if (this.#shown?.id !== id) return;
		this.#shown.unfollow();
		this.#shown.stopListening();
	}

	show(ctx: ExtensionContext, project: Project, run: Run): ShownRun | undefined {
		if (!ctx.hasUI || this.#scope.closed) return undefined;
		if (this.#shown?.id === run.id) {
			this.#shown.widget.show(run);
			return this.#shown;
		}
		const left = this.#shown && this.#attention.waiting(this.#shown.id);
		this.hide();
		if (left) this.#leave(ctx, project, left);
		const widget = mountTimeline(ctx, this.#scope, { run, prefix: commandPrefix(project) });
		this.#shown = { id: run.id, widget, unfollow: () => {}, stopListening: () => {} };
		return this.#shown;
	}

	/** A run that leaves the timeline while it waits is named, and the title calls for it until it is answered. */
	#leave(ctx: ExtensionContext, project: Project, run: Run): void {
		say(ctx, `${nameOfRun(run)} still waits: ${commandPrefix(project)}status ${run.id.slice(0, 8)}`, "warning");
		const watch = watchRun(project, run.id, ({ run: now }) => {
			this.#attention.look(ctx, now);
			if (!this.#attention.waiting(run.id)) void end();
		});
		const end = this.#scope.own(watch);
	}

	/** Shows a run that this process does not supervise, and updates it as its ledger changes. */
	follow(ctx: ExtensionContext, project: Project, run: Run): void {
		const shown = this.show(ctx, project, run);
		if (!shown) return;
		shown.unfollow();
		// A killed supervisor writes nothing: without checks of its lease, the clock would never stop.
		let stopLooking: (() => void) | undefined;
		const lookWhileRunning = ({ status }: Run): void => {
			if (continuesAlone(status))
				stopLooking ??= this.#scope.every(leaseMs, () =>
					inBackground(ctx, () => this.#lookAtLease(ctx, project, shown)),
				);
			else {
				stopLooking?.();
				stopLooking = undefined;
			}
		};
		lookWhileRunning(run);
		let awaited = awaitedAnswer(run);
		const end = watchRun(project, run.id, ({ run: now }) => {
			if (!this.#isCurrent(shown)) return;
			lookWhileRunning(now);
			if (!asksUser(now)) shown.stopListening();
			const next = awaitedAnswer(now);
			const answered = awaited === undefined || next === awaited ? undefined : answeredElsewhere(now, awaited);
			if (answered !== undefined) say(ctx, answered);
			awaited = next;
			this.#attention.look(ctx, now);
			if (now.stage.kind === "over") this.hide();
			else shown.widget.show(now);
		});
		const release = this.#scope.own(end);
		shown.unfollow = () => {
			stopLooking?.();
			void release();
		};
	}

	/** Lets `key` reopen the pending question of run `id`, if the run is shown. `listen` starts listening and returns a function that stops it. */
	offerAnswer(id: string, key: string, listen: () => () => void): void {
		const shown = this.#shown;
		if (shown?.id !== id || !this.#isCurrent(shown)) return;
		shown.stopListening();
		const stop = listen();
		shown.widget.answerBy(key);
		shown.stopListening = () => {
			stop();
			shown.widget.answerBy(undefined);
			shown.stopListening = () => {};
		};
	}

	/** Whether a run is still shown and still supervised elsewhere. */
	#isCurrent(shown: ShownRun): boolean {
		return this.#shown === shown && !this.#scope.closed && !this.#supervised.has(shown.id);
	}

	async #lookAtLease(ctx: ExtensionContext, project: Project, shown: ShownRun): Promise<void> {
		const read = await project.store.read(shown.id);
		if (!read.ok || !this.#isCurrent(shown) || !isInterrupted(read.value)) return;
		this.hide();
		const { run } = read.value;
		if (await this.#takeUp(ctx, run.id)) return;
		const name = nameOfRun(run);
		say(ctx, [`${name} is interrupted.`, ...waitingLines(read.value, commandPrefix(project))].join("\n"), "warning");
	}
}
