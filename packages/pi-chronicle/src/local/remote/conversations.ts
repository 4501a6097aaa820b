// Conversations of a run's workers on the git remote. A host pushes them when the run parks or is released, to one ref per holder.
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Result } from "@pi-chronicle/core/ports";
import { openRedaction } from "../../safety/index.ts";
import { redactSessionText } from "../worker/index.ts";
import { type GitPlace, gitAt, gitText } from "../workspace/index.ts";
import { gitFetch, remoteFailure, thrownFailure } from "./git-remote.ts";
import { conversationRefs } from "./run-refs.ts";

/** The refspec that fetches the conversations of a run. */
export function conversationSpec(run: string): string {
	return `+${conversationRefs(run)}/*:${conversationRefs(run)}/*`;
}

export interface RunConversations {
	readonly run: string;
	/** The commit that holds them, as the database says; empty: there are none; null: it is not known (runs of earlier versions). */
	readonly recorded: string | null;
}

const fileName = /^\d+\.\d+\.jsonl$/;

/**
 * Replaces the conversations in the run's `folder` with those of its last holder, which were fetched into `place`: the others describe earlier
 * files. What the database does not name is not taken.
 */
export async function writeConversations(
	place: GitPlace,
	{ run, recorded }: RunConversations,
	folder: string,
): Promise<void> {
	const listed = await gitText(place, ["for-each-ref", "--format=%(objectname) %(refname)", conversationRefs(run)]);
	const refs = listed.split("\n").filter(Boolean);
	const fence = (ref: string): number => Number(ref.split("/").at(-1));
	const newest = refs.sort((a, b) => fence(b) - fence(a))[0];
	const commit = (recorded === null ? newest : refs.find((ref) => ref.startsWith(`${recorded} `)))?.split(" ", 1)[0];
	const workers = join(folder, "workers");
	await rm(workers, { recursive: true, force: true });
	if (commit === undefined) return;
	await mkdir(workers, { recursive: true, mode: 0o700 });
	const names = await gitText(place, ["ls-tree", "--name-only", "-z", commit]);
	for (const name of names.split("\0").filter((written) => fileName.test(written))) {
		const shown = await gitAt(place, ["cat-file", "blob", `${commit}:${name}`]);
		if (shown.kind === "done") await writeFile(join(workers, name), shown.output, { mode: 0o600 });
	}
}

async function conversationFiles(folder: string): Promise<readonly string[]> {
	const names = await readdir(join(folder, "workers")).catch((): string[] => []);
	return names.filter((name) => fileName.test(name));
}

/** The keys of the conversations in the run's `folder`. */
export async function fetchedConversations(folder: string): Promise<readonly string[]> {
	return (await conversationFiles(folder)).map((name) => name.slice(0, -".jsonl".length));
}

/** The conversations in the run's `folder`, without secrets, by the names of their files. */
export async function readConversations(folder: string): Promise<ReadonlyMap<string, string>> {
	const redact = openRedaction(process.env);
	const files = new Map<string, string>();
	for (const name of await conversationFiles(folder)) {
		const text = await readFile(join(folder, "workers", name), "utf8");
		files.set(name, redactSessionText(text, redact));
	}
	return files;
}

const fetchMs = 20_000;

/** Fetches the conversations of a run into its `folder` on a machine that is not its host. `recorded`: reads the commit that the database names. */
export async function fetchConversations(
	run: string,
	recorded: () => Promise<string | null>,
	{ remote, report }: { readonly remote: string; readonly report: GitPlace["report"] },
	folder: string,
): Promise<Result<void>> {
	const gitDir = join(folder, `fetch-${process.pid}-${performance.now()}.git`);
	await mkdir(folder, { recursive: true, mode: 0o700 });
	const place: GitPlace = { gitDir, cwd: folder, signal: AbortSignal.timeout(fetchMs), report };
	try {
		await gitText(place, ["init", "-q", "--bare"]);
		const fetched = await gitFetch(place, remote, [conversationSpec(run)]);
		if (fetched.kind !== "done") return remoteFailure(fetched);
		await writeConversations(place, { run, recorded: await recorded() }, folder);
		return { ok: true, value: undefined };
	} catch (error) {
		return thrownFailure(error);
	} finally {
		await rm(gitDir, { recursive: true, force: true });
	}
}
