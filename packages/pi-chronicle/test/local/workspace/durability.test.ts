// Durability of snapshots: they can be restored whatever happens to the user's repository, and nobody else can read them.
import { spawnSync } from "node:child_process";
import {
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Workspace } from "@pi-chronicle/core/ports";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openGitWorkspace } from "../../../src/local/workspace/index.ts";
import { value } from "./stage.ts";

let base: string;
let project: string;

beforeEach(() => {
	base = realpathSync(mkdtempSync(join(tmpdir(), "workspace-")));
	// Git's lists of folders are split at colons.
	project = join(base, "a: project");
	mkdirSync(project);
	git("init", "-q", "-b", "main");
	write("kept.txt", "as it was\n");
	write("deep/er/one.txt", "one\n");
	git("add", "-A");
	git("commit", "-qm", "base");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const person = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

function git(...args: string[]): void {
	const who = ["-c", "user.name=P", "-c", "user.email=p@x", "-c", "protocol.file.allow=always"];
	const done = spawnSync("git", [...who, ...args], {
		cwd: project,
		encoding: "utf8",
		env: { ...process.env, ...person },
	});
	if (done.status !== 0) throw new Error(`git ${args.join(" ")}: ${done.stderr}`);
}
function write(path: string, text: string): void {
	mkdirSync(dirname(join(project, path)), { recursive: true });
	writeFileSync(join(project, path), text);
}
const read = (path: string) => readFileSync(join(project, path), "utf8");
const runFolder = () => join(project, ".pi", "chronicle", "sessions", "run");
function open(limits?: object): Workspace {
	const folder = runFolder();
	return openGitWorkspace({ cwd: project, folder, leftOut: [dirname(folder)], ...(limits ? { limits } : {}) });
}
/** The repository forgets everything that was ever in it, and is cleaned. */
function forget(): void {
	for (const path of ["kept.txt", "deep/er/one.txt", "staged.txt"]) rmSync(join(project, path), { force: true });
	write("other.txt", "nothing of before\n");
	git("add", "-A");
	git("commit", "-q", "--amend", "-m", "rewritten");
	git("reflog", "expire", "--expire=now", "--all");
	git("gc", "-q", "--prune=now");
}

it.each<[string, () => void]>([
	["loose", () => {}],
	["packed", () => git("gc", "-q")],
])(
	"the start of a visit is restored after the repository was rewritten and garbage-collected (%s)",
	async (_, prepare) => {
		prepare();
		const before = open();
		write("staged.txt", "never committed\n");
		git("add", "staged.txt");
		const first = (await value(before.snapshot())).tree;
		write("kept.txt", "second\n");
		git("add", "-A");
		const second = (await value(before.snapshot())).tree;
		forget();
		// Another process comes back to it.
		const after = open();
		await value(after.restore(second));
		expect([read("kept.txt"), read("staged.txt")]).toEqual(["second\n", "never committed\n"]);
		await value(after.restore(first));
		expect([read("kept.txt"), read("staged.txt"), read("deep/er/one.txt")]).toEqual([
			"as it was\n",
			"never committed\n",
			"one\n",
		]);
		expect(await value(after.changes(first, second, 10))).toMatchObject({
			changes: [{ path: "kept.txt", change: "M" }],
		});
	},
);

it("the start of a visit is restored when the repository is gone", async () => {
	const first = (await value(open().snapshot())).tree;
	rmSync(join(project, ".git"), { recursive: true });
	write("kept.txt", "other\n");
	await value(open().restore(first));
	expect(read("kept.txt")).toBe("as it was\n");
});

it("the start of a visit is restored in a nested repository after garbage collection there", async () => {
	const library = join(base, "library");
	mkdirSync(library);
	spawnSync("git", ["init", "-q"], { cwd: library, env: { ...process.env, ...person } });
	writeFileSync(join(library, "lib.txt"), "lib\n");
	spawnSync("git", ["add", "-A"], { cwd: library });
	spawnSync("git", ["-c", "user.name=P", "-c", "user.email=p@x", "commit", "-qm", "lib"], { cwd: library });
	git("submodule", "--quiet", "add", library, "lib");
	const first = (await value(open().snapshot())).tree;
	rmSync(join(project, ".git", "modules", "lib", "objects"), { recursive: true });
	mkdirSync(join(project, ".git", "modules", "lib", "objects"));
	write("lib/lib.txt", "other\n");
	await value(open().restore(first));
	expect(read("lib/lib.txt")).toBe("lib\n");
});

it("objects beyond the copy limit stay in the repository only, and a restore without it fails with a reason", async () => {
	const workspace = open({ ownBytes: 10 });
	const first = (await value(workspace.snapshot())).tree;
	write("kept.txt", "other\n");
	await value(workspace.restore(first));
	expect(read("kept.txt")).toBe("as it was\n");
	forget();
	write("kept.txt", "mine\n");
	expect(await open().restore(first)).toMatchObject({ ok: false, failure: { reason: "unknown_tree" } });
	expect(read("kept.txt")).toBe("mine\n");
});

it("every file and folder of the store is private to the user, regardless of the umask", async () => {
	const umask = process.umask(0o000);
	try {
		const workspace = open({ fileBytes: 100 });
		write("new.txt", "new\n");
		write("large.txt", "x".repeat(1000));
		const first = (await value(workspace.snapshot())).tree;
		write("new.txt", "newer\n");
		(await value(workspace.snapshot())).tree;
		await value(workspace.restore(first));
	} finally {
		process.umask(umask);
	}
	const store = join(runFolder(), "files");
	const exposed = readdirSync(store, { recursive: true, withFileTypes: true })
		.map((entry) => join(entry.parentPath, entry.name))
		.filter((path) => (statSync(path).mode & 0o077) !== 0);
	expect(exposed).toEqual([]);
});
