// A process on its own small disk, the folder that is its argument: creates a child's folder and joins while the disk is full, and again when it
// is not. Prints the results as JSON.
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openGitWorkspace } from "../../../src/local/workspace/index.ts";

const [disk = ""] = process.argv.slice(2);
const cwd = join(disk, "project");
const sessions = join(cwd, ".pi", "chronicle");
mkdirSync(cwd);
const workspace = openGitWorkspace({ cwd, folder: join(sessions, "run"), leftOut: [sessions] });
const block = 100_000;
const names = { ours: "you", theirs: "the children" };

async function keep(): Promise<string> {
	const kept = await workspace.snapshot();
	if (!kept.ok) throw new Error(kept.failure.message);
	return kept.value.tree;
}

/** Leaves `free` bytes of the disk. */
function fill(free: number): void {
	rmSync(join(disk, "filler"), { force: true });
	const { bavail, bsize } = statfsSync(disk);
	if (bavail * bsize > free) writeFileSync(join(disk, "filler"), Buffer.alloc(bavail * bsize - free));
}

for (let n = 0; n < 20; n += 1) writeFileSync(join(cwd, `f${n}`), randomBytes(block));
const from = await keep();
for (let n = 0; n < 20; n += 1) writeFileSync(join(cwd, `new${n}`), randomBytes(block));
writeFileSync(join(cwd, "f0"), "changed\n");
const to = await keep();
await workspace.restore(from);

const children = join(sessions, "run", "children");
const opened: string[] = [];
const joined: string[] = [];
for (const free of [0, 20_000, 200_000, 1_000_000, 1_900_000]) {
	fill(free);
	const child = await workspace.openChild("child", from);
	const rest = readdirSync(join(sessions, "run")).includes("children") ? readdirSync(children).sort() : [];
	opened.push(`${child.ok ? "ok" : child.failure.reason} ${rest.filter((name) => name !== ".gitignore").join(" ")}`);
	await workspace.removeChildren([]);
}
for (const free of [0, 20_000, 200_000, 1_000_000]) {
	fill(free);
	const done = await workspace.join({ from, to, names });
	joined.push(done.ok ? `ok ${done.value.conflicts.length}` : done.failure.reason);
}
rmSync(join(disk, "filler"));
const last = await workspace.join({ from, to, names });
const child = await workspace.openChild("child", from);
const files = readdirSync(cwd).filter((name) => name !== ".pi").length;
const at = child.ok ? readFileSync(join(child.value.cwd, "f19")).length : 0;
console.log(JSON.stringify({ opened, joined, last: last.ok && last.value.tree === to, files, at }));
