// Conversations of a run's workers on the git remote. A host pushes them when the run parks or is released, to one ref per holder.
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Result } from "../../core/index.ts";
import { type GitPlace, gitAt, gitRemote, gitText, remoteFailure } from "./remote.ts";
import { conversationRefs } from "./run-refs.ts";

/** The refspec that fetches the conversations of a run. */
export function conversationSpec(run: string): string {
	return `+${conversationRefs(run)}/*:${conversationRefs(run)}/*`;
}

/**
 * Replaces the conversations in the run's `folder` with those of the latest holder (the highest fence), which were fetched into `place`: the
 * others describe earlier files.
 */
export async function writeConversations(place: GitPlace, run: string, folder: string): Promise<void> {
	const names = await gitText(place, ["for-each-ref", "--format=%(refname)", conversationRefs(run)]);
	const fence = (ref: string): number => Number(ref.split("/").at(-1));
	const newest = names
		.split("\n")
		.filter(Boolean)
		.sort((a, b) => fence(b) - fence(a))[0];
	const workers = join(folder, "workers");
	await rm(workers, { recursive: true, force: true });
	if (newest === undefined) return;
	await mkdir(workers, { recursive: true, mode: 0o700 });
	const listed = await gitText(place, ["ls-tree", "--name-only", "-z", newest]);
	for (const name of listed.split("\0").filter(Boolean)) {
		const shown = await gitAt(place, ["cat-file", "blob", `${newest}:${name}`]);
		if (shown.kind === "done") await writeFile(join(workers, name), shown.output, { mode: 0o600 });
	}
}

/** The keys of the conversations in the run's `folder`. */
export async function fetchedConversations(folder: string): Promise<readonly string[]> {
	const names = await readdir(join(folder, "workers")).catch((): string[] => []);
	return names.flatMap((name) => (name.endsWith(".jsonl") ? [name.slice(0, -".jsonl".length)] : []));
}

/** Milliseconds after which a fetch is aborted. */
const fetchMs = 20_000;

/** Fetches the conversations of a run into its `folder` on a machine that is not its host. */
export async function fetchConversations(
	run: string,
	{ remote, report }: { readonly remote: string; readonly report: GitPlace["report"] },
	folder: string,
): Promise<Result<void>> {
	const gitDir = join(folder, `fetch-${process.pid}-${performance.now()}.git`);
	await mkdir(folder, { recursive: true, mode: 0o700 });
	const place: GitPlace = { gitDir, cwd: folder, signal: AbortSignal.timeout(fetchMs), report };
	try {
		await gitText(place, ["init", "-q", "--bare"]);
		const args = ["fetch", "-q", "--no-write-fetch-head", "--no-tags", remote, conversationSpec(run)];
		const fetched = await gitRemote(place, args);
		if (fetched.kind !== "done") return remoteFailure(fetched);
		await writeConversations(place, run, folder);
		return { ok: true, value: undefined };
	} catch (error) {
		return remoteFailure({ kind: "failed", code: -1, message: (error as Error).message, raw: "" });
	} finally {
		await rm(gitDir, { recursive: true, force: true });
	}
}
