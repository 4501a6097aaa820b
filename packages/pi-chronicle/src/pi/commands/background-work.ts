// Work that a command does in the background of a session, one piece at a time: the same command then offers to stop it. The end of the session
// stops it, too.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { errorMessage } from "@pi-chronicle/core/definition";
import { askUser } from "../display/question.ts";
import { type NoticeLevel, say } from "../display/say.ts";
import type { Scope } from "../session/scope.ts";
import { exitCodes, failWith } from "./exit-code.ts";

interface BackgroundWords {
	/** Title of the question whether to stop it: the running work. */
	readonly title: string;
	/** Labels of the answers. */
	readonly words: { readonly yes: string; readonly no: string };
	/** Status line that ends with the work. */
	readonly statusKey: string;
	/** Message after the stop. */
	readonly stopped: string;
	/** Before the reason of a failure: `The plan failed`. */
	readonly failed: string;
}

/** One piece of work. */
export interface BackgroundJob {
	/** Aborts when the work shall stop. */
	readonly signal: AbortSignal;
	/** Shows a text, or the status line; nothing once the work is stopped. */
	show(text: string, level?: NoticeLevel): void;
	progress(status: string): void;
}

export class BackgroundWork {
	readonly #scope: Scope;
	readonly #words: BackgroundWords;
	#running: AbortController | undefined;

	constructor(scope: Scope, words: BackgroundWords) {
		this.#scope = scope;
		this.#words = words;
	}

	get isRunning(): boolean {
		return this.#running !== undefined;
	}

	/** Asks whether the running work should stop, and stops it. */
	async offerToStop(ctx: ExtensionContext): Promise<void> {
		const { title, words, statusKey, stopped } = this.#words;
		if ((await askUser(ctx, { title, message: "Stop it?", words })) !== "yes") return;
		ctx.ui.setStatus(statusKey, undefined);
		this.#running?.abort();
		say(ctx, stopped);
	}

	/** Resolves to what `work` returns; to `undefined` if it throws, which has been shown then. */
	async start<T>(
		{ hasUI, mode, ui, sessionManager }: ExtensionContext,
		work: (job: BackgroundJob) => Promise<T>,
	): Promise<T | undefined> {
		const { statusKey, failed } = this.#words;
		const stop = new AbortController();
		const { signal } = stop;
		this.#running = stop;
		const unlessStopped = (act: () => void): void => {
			if (!signal.aborted) act();
		};
		const job: BackgroundJob = {
			signal,
			show: (text, level) => unlessStopped(() => say({ hasUI, mode, ui, sessionManager }, text, level)),
			progress: (status) => unlessStopped(() => ui.setStatus(statusKey, status)),
		};
		const done = work(job).catch((error: unknown) => {
			failWith({ hasUI }, exitCodes.failed);
			job.show(`${failed}: ${errorMessage(error)}`, "error");
			return undefined;
		});
		const release = this.#scope.own(async () => {
			stop.abort();
			await done;
		});
		const result = await done;
		unlessStopped(() => ui.setStatus(statusKey, undefined));
		this.#running = undefined;
		void release();
		return result;
	}
}
