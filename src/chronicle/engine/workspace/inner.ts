// A repository inside the folder: one entry, whose object names its HEAD and the state of its files in a store of its own.
import { join } from "node:path";
import type { Result, WorkspaceFailure } from "../../core/index.ts";
import { gitFailure } from "./failures.ts";
import { type Entry, modes, runGit } from "./git.ts";
import { fromRaw } from "./paths.ts";
import type { Store } from "./store.ts";

const firstLine = "pi-chronicle: repository\n";

/** What the entry of a repository inside stands for. */
export interface InnerState {
	/** Commit that its HEAD is at; `none` where there is no commit. */
	readonly head: string;
	readonly tree: string;
}

/** Keeps the files of the repository at `path`, and gives its entry. */
export async function keepInner(store: Store, path: string): Promise<Result<Entry, WorkspaceFailure>> {
	const inside = await store.inner(path);
	if (!inside.ok) return inside;
	const kept = await inside.value.keep();
	if (!kept.ok) return kept;
	const [unkept] = kept.value.unkept;
	if (unkept) return { ok: false, failure: unreadable(fromRaw(unkept[0]), unkept[1]) };
	const head = await runGit({
		args: ["rev-parse", "HEAD"],
		cwd: join(store.root, fromRaw(path)),
		signal: store.control.signal,
	});
	const at = head.kind === "done" ? head.output.toString("latin1").trim() : "none";
	const text = `${firstLine}head ${at}\ntree ${kept.value.tree}\n`;
	const written = await store.git(["hash-object", "-w", "--stdin"], { input: Buffer.from(text) });
	if (written.kind !== "done") return gitFailure(written);
	return { ok: true, value: { path, mode: modes.repository, object: written.output.toString("latin1").trim() } };
}

function unreadable(path: string, why: string): WorkspaceFailure {
	return { reason: "io", message: `${path} in it ${why}`, remedy: "Look at its rights." };
}

/** What `object` stands for; `undefined` where it is not there, or is no such entry. */
export async function readInner(store: Store, object: string): Promise<InnerState | undefined> {
	const read = await store.git(["cat-file", "blob", object]);
	const text = read.kind === "done" ? read.output.toString("latin1") : "";
	const tree = /^tree ([0-9a-f]+)$/m.exec(text)?.[1];
	if (!text.startsWith(firstLine) || tree === undefined) return undefined;
	return { tree, head: /^head (\w+)$/m.exec(text)?.[1] ?? "none" };
}
