// Files of child runs: creating a folder with many files, creating one with large files, merging.
import { randomBytes } from "node:crypto";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Result, Workspace } from "@pi-chronicle/core/ports";
import { openGitWorkspace } from "../packages/pi-chronicle/src/local/workspace/index.ts";
import { type Figures, median } from "./figure.ts";

const rounds = 3;
const names = { ours: "one", theirs: "two" };

export async function bench(): Promise<Figures> {
	const many = await measure((root) => {
		for (let n = 0; n < 5000; n += 1) write(root, `d${n % 100}/f${n}.ts`, `line ${n}\n`.repeat(100));
	});
	const large = await measure((root) => {
		for (let n = 0; n < 200; n += 1) write(root, `d${n % 10}/f${n}.bin`, randomBytes(1_000_000));
	});
	return {
		name: "children",
		rows: [
			{ figure: "folder of a child, 5,000 files", value: many.open, unit: "ms", must: { most: 1000 } },
			{ figure: "its first snapshot", value: many.keep, unit: "ms" },
			{
				figure: "merge of two results, 100 files changed in each",
				value: many.merge,
				unit: "ms",
				must: { most: 1000 },
			},
			{ figure: "folder of a child, 200 MB in 200 files", value: large.open, unit: "ms", must: { most: 3000 } },
		],
		how: "Median of 3, on a disk without copy-on-write; the files are unmodified in the user's folder.",
	};
}

async function measure(fill: (root: string) => void) {
	const root = mkdtempSync(join(tmpdir(), "bench-children-"));
	try {
		fill(root);
		const sessions = join(root, ".pi");
		const parent = openGitWorkspace({ cwd: root, folder: join(sessions, "run"), leftOut: [sessions] });
		const base = await keep(parent);
		const times: { open: number; keep: number; merge: number }[] = [];
		for (let round = 0; round < rounds; round += 1) {
			let began = performance.now();
			const child = await value(parent.openChild(`child-${round}`, base));
			const open = performance.now() - began;
			const childOf = join(sessions, "run");
			const folder = join(sessions, `child-${round}`);
			const workspace = openGitWorkspace({ cwd: child.cwd, folder, leftOut: [sessions], childOf });
			began = performance.now();
			await keep(workspace);
			const kept = performance.now() - began;
			const [ours, theirs] = [await change(workspace, child.cwd, 0), await change(workspace, child.cwd, 50)];
			began = performance.now();
			await value(parent.merge({ base, ours, theirs, names }));
			times.push({ open, keep: kept, merge: performance.now() - began });
		}
		const middle = (name: "open" | "keep" | "merge"): number => median(times.map((one) => one[name]));
		return { open: middle("open"), keep: middle("keep"), merge: middle("merge") };
	} finally {
		rmSync(root, { recursive: true, force: true });
	}
}

/** Appends a line to 100 files and takes a snapshot. */
async function change(workspace: Workspace, cwd: string, from: number): Promise<string> {
	for (let n = from; n < from + 100; n += 1) {
		mkdirSync(join(cwd, `d${n % 100}`), { recursive: true });
		appendFileSync(join(cwd, `d${n % 100}/f${n}.ts`), `changed ${from}\n`);
	}
	return keep(workspace);
}

function write(root: string, path: string, content: string | Buffer): void {
	mkdirSync(join(root, path, ".."), { recursive: true });
	writeFileSync(join(root, path), content);
}

async function keep(workspace: Workspace): Promise<string> {
	return (await value(workspace.snapshot())).tree;
}

async function value<T, F>(result: Promise<Result<T, F>>): Promise<T> {
	const got = await result;
	if (!got.ok) throw new Error(JSON.stringify(got.failure));
	return got.value;
}
