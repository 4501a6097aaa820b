// Posts a command to a run that another process supervises, and waits until it has been read.
import { setTimeout as sleep } from "node:timers/promises";
import type { Post, Result, StoreFailure, UserEvent } from "../../core/index.ts";
import type { Project } from "../../engine/index.ts";

/** Posts the events in order. After a failure, the later ones are not posted. */
export async function postAll(
	{ store }: Pick<Project, "store">,
	id: string,
	events: readonly UserEvent[],
): Promise<Result<readonly Post[], StoreFailure>> {
	const posts: Post[] = [];
	for (const event of events) {
		const posted = await store.post(id, event);
		if (!posted.ok) return posted;
		posts.push(posted.value);
	}
	return { ok: true, value: posts };
}

interface ReadingOptions {
	/** Milliseconds to wait at most, and between two looks. */
	readonly ms: number;
	readonly pollMs: number;
	/** Whether no process reads the posts anymore. */
	readonly isLeft?: () => Promise<boolean>;
}

/** Waits until all posts are read or one is refused; `left`: nobody reads them anymore; `undefined`: not read in time. */
export async function waitForReading(
	posts: readonly Post[],
	{ ms, pollMs, isLeft }: ReadingOptions,
): Promise<"taken" | "left" | { readonly kind: "refused"; readonly message: string } | undefined> {
	for (const until = performance.now() + ms; performance.now() < until; await sleep(pollMs)) {
		const states = await Promise.all(posts.map((post) => post.state()));
		const refused = states.find((state) => state.kind === "refused");
		if (refused) return { kind: "refused", message: refused.reason };
		if (states.every(({ kind }) => kind === "taken")) return "taken";
		if (await isLeft?.()) return "left";
	}
	return undefined;
}
