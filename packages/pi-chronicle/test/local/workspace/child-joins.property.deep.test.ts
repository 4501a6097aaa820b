// A join loses nothing that a child has made, whatever it is and however the child ends: it is in the project, in the kept folder and named, or it is
// ignored and named. What the user has is never overwritten without a conflict.
import { spawnSync } from "node:child_process";
import {
	chmodSync,
	existsSync,
	linkSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { patient } from "../../harness/patience.ts";
import { runs } from "../../harness/runs.ts";
import { joinChild, openCase, repository } from "./ending-child.ts";
import { type FilesStage, peek, value } from "./stage.ts";

/** Bytes of a path as latin1, as git has them. */
const bytesOf = (text: string): string => Buffer.from(text).toString("latin1");
const at = (root: string, path: string): Buffer => Buffer.from(`${bytesOf(root)}/${path}`, "latin1");

const parts = fc.constantFrom(
	...["a", "A", "b", "sub", "ü 😀", "new\nline", "-dash", 'quo"te', "gl[o]b*", "tail ", "back\\slash", ".hidden"].map(
		bytesOf,
	),
	"inv\xff\xfe",
	"x.log",
	".env",
	"key.pem",
);
const paths = fc.array(parts, { minLength: 1, maxLength: 3 }).map((list) => list.join("/"));

const kinds = [
	...["text", "text", "text", "modes", "modes", "empty", "binary", "large", "large", "folder", "remove", "fifo"],
	...["link", "dangling link", "link out", "absolute link", "hard link", "repository", "worktree", "broken repository"],
	...["rename", "ignore"],
] as const;
const op = fc.record({ kind: fc.constantFrom(...kinds), path: paths, seed: fc.integer({ min: 0, max: 99 }) });
type Op = typeof op extends fc.Arbitrary<infer T> ? T : never;

/** Removes what is at a path, and anything above it that is not a folder. */
function clear(root: string, path: string): void {
	const all = path.split("/");
	for (let length = 1; length <= all.length; length += 1) {
		const place = at(root, all.slice(0, length).join("/"));
		const stats = peek(place);
		if (stats && (length === all.length || !stats.isDirectory())) rmSync(place, { recursive: true });
	}
	mkdirSync(at(root, all.slice(0, -1).join("/") || "."), { recursive: true });
}

function perform(root: string, { kind, path, seed }: Op): void {
	const place = at(root, path);
	const text = `${kind} ${seed} ${path}\n`;
	if (kind === "ignore")
		return void writeFileSync(join(root, ".gitignore"), `*.log\n${["b", "sub/", "/A", "dist"][seed % 4]}\n`);
	const there = peek(place);
	if (kind === "remove") {
		if (there && !leadsThroughLink(root, path)) rmSync(place, { recursive: true });
		return;
	}
	if (kind === "rename") {
		if (!there || leadsThroughLink(root, path) || existsSync(join(root, `moved-${seed}`))) return;
		return void renameSync(place, join(root, `moved-${seed}`));
	}
	clear(root, path);
	switch (kind) {
		case "text":
			return void writeFileSync(place, text, { mode: 0o644 });
		case "modes":
			writeFileSync(place, text);
			return void chmodSync(place, 0o400 | (seed * 7));
		case "empty":
			return void writeFileSync(place, "");
		case "binary":
			return void writeFileSync(place, Buffer.from([0, 255, seed, 0]));
		case "large":
			return void writeFileSync(place, text.repeat(300));
		case "folder":
			return void mkdirSync(place);
		case "fifo":
			return void spawnSync("sh", ["-c", 'mkfifo "pipe-$1"', "sh", `${seed}`], { cwd: root });
		case "link":
			return void symlinkSync("a", place);
		case "dangling link":
			return void symlinkSync("nowhere/at/all", place);
		case "link out":
			return void symlinkSync("/etc/hostname", place);
		case "absolute link":
			return void symlinkSync(join(root, "a"), place);
		case "hard link":
			writeFileSync(place, text);
			return void linkSync(place, at(root, `${path}~`));
		case "repository":
			return void repository(place.toString("utf8"));
		case "worktree":
			mkdirSync(place);
			writeFileSync(Buffer.concat([place, Buffer.from("/own.txt")]), text);
			return void spawnSync("git", ["worktree", "add", "-q", "--force", "--detach", place.toString("utf8")], {
				cwd: root,
			});
		case "broken repository":
			mkdirSync(Buffer.concat([place, Buffer.from("/.git")]), { recursive: true });
			writeFileSync(Buffer.concat([place, Buffer.from("/.git/HEAD")]), "ref: refs/heads/main\n");
			return void writeFileSync(Buffer.concat([place, Buffer.from("/own.txt")]), text);
	}
}

function leadsThroughLink(root: string, path: string): boolean {
	const above = path.split("/").slice(0, -1);
	return above.some((_, index) => peek(at(root, above.slice(0, index + 1).join("/")))?.isSymbolicLink());
}

/** Every file and link below `root`, with its contents and permissions; links into `root` relative to it. */
function look(root: string): Map<string, string> {
	const found = new Map<string, string>();
	const walk = (below: string): void => {
		const names = readdirSync(at(root, below === "" ? "." : below), { encoding: "buffer" });
		for (const name of names.map((bytes) => bytes.toString("latin1"))) {
			if (below === "" && (name === ".pi" || name === ".git")) continue;
			const path = below === "" ? name : `${below}/${name}`;
			const stats = lstatSync(at(root, path));
			if (stats.isDirectory() && name !== ".git") walk(path);
			else if (stats.isSymbolicLink())
				found.set(path, `link ${readlinkSync(at(root, path)).replace(`${root}/`, "ROOT/")}`);
			else if (stats.isFile())
				found.set(path, `${(stats.mode & 0o777).toString(8)} ${readFileSync(at(root, path)).toString("latin1")}`);
		}
	};
	walk("");
	return found;
}

const plan = fc.record({
	repository: fc.boolean(),
	first: fc.array(op, { minLength: 2, maxLength: 8 }),
	child: fc.array(op, { minLength: 3, maxLength: 12 }),
	user: fc.array(op, { maxLength: 3 }),
	end: fc.constantFrom(...(["joined", "joined twice", "failed", "dropped"] as const)),
});
type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never;

interface Ended {
	/** Whether conflicts were resolved in favor of the child. */
	readonly took: boolean;
	/** The paths of ignored files that are reported to the user. */
	readonly ignored: readonly string[];
	/** The folder of the child, if it is kept. */
	readonly folder: string | undefined;
	/** The paths in it that are reported to the user. */
	readonly named: readonly string[];
}

/** Ends the child as a supervisor does, and removes the folders that no run needs any more. `undefined`: the join is refused. */
async function finish(made: Awaited<ReturnType<typeof openCase>>, end: Plan["end"]): Promise<Ended | undefined> {
	const { parent, child, stage } = made;
	let ignored: string | undefined;
	let took = false;
	if (end === "failed") ignored = (await value(parent.endChild("child"))).ignored;
	if (end === "joined" || end === "joined twice") {
		const before = [look(stage.root), look(child.root)];
		const first = await joinChild(made);
		if (first.conflicts.length > 0) expect([look(stage.root), look(child.root)]).toEqual(before);
		took = first.conflicts.length > 0;
		const joined = took ? await joinChild(made, { take: "theirs" }) : first;
		if (joined.conflicts.length > 0) return undefined;
		ignored = joined.ended.ignored;
		if (end === "joined twice") {
			rmSync(join(dirname(child.root), "rest.json"));
			await joinChild(made, { take: "theirs" });
		}
	}
	const kept = await value(parent.removeChildren([]));
	const list = /^ignored, not joined: ([\s\S]*)$/.exec(ignored ?? "")?.[1] ?? "";
	return {
		took,
		ignored: list.split(/ \(\d+ files?, [\d.]+ k?M?B\)(?:, | and \d+ more)?/).filter(Boolean),
		folder: kept[0]?.path,
		named: kept.flatMap(({ files }) => files.map(({ path }) => path)),
	};
}

/** A join that something is in the way of changes nothing. */
function refusal(error: Error): undefined {
	if (!error.message.includes("in_the_way")) throw error;
}

/** The files of a snapshot by path, as `look` describes them, but for their permissions. */
function heldIn({ store }: FilesStage, tree: string, root: string): Map<string, string> {
	const git = (...args: string[]) =>
		spawnSync("git", args, { env: { ...process.env, GIT_DIR: store } }).stdout.toString("latin1");
	const entries = git("ls-tree", "-r", "-z", tree)
		.split("\0")
		.filter((line) => /^1[02]0\d+ blob/.test(line));
	return new Map(
		entries.map((line) => {
			const [about = "", path = ""] = [line.slice(0, line.indexOf("\t")), line.slice(line.indexOf("\t") + 1)];
			const [mode = "", , object = ""] = about.split(" ");
			return [
				path,
				`${mode === "120000" ? "link" : "file"} ${git("cat-file", "blob", object).replace(`${root}/`, "ROOT/")}`,
			];
		}),
	);
}

const tries = runs(0.01);

it(
	"what a child has made is in the project, or kept and named, or ignored and named, however it ends",
	async () => {
		await fc.assert(
			fc.asyncProperty(plan, async ({ repository: isRepository, first, child, user, end }) => {
				const made = await openCase((stage) => {
					stage.write(".gitignore", "*.log\n");
					for (const one of first) perform(stage.root, one);
					if (isRepository) stage.repository(".");
				});
				const [project, copy] = [made.stage.root, made.child.root];
				const start = look(copy);
				for (const one of child) perform(copy, one);
				const ended = look(copy);
				for (const one of user) perform(project, one);
				const before = look(project);
				const { tree } = await value(made.workspace.snapshot());
				const held = end === "failed" || end === "dropped" ? heldIn(made.stage, tree, copy) : new Map<string, string>();
				const done = await finish(made, end).catch(refusal);
				const after = look(project);
				if (!done) return void expect([after, look(copy)]).toEqual([before, ended]);
				const { ignored, folder, named } = done;
				const there = folder === undefined ? new Map<string, string>() : look(folder);
				const isIn = (path: string, list: readonly string[]): boolean => {
					const shown = Buffer.from(path, "latin1").toString("utf8");
					return list.some((name) => name === shown || name === "." || shown.startsWith(`${name.replace(/\/$/, "")}/`));
				};
				const isLost = ([path, text]: readonly [string, string]): boolean => {
					if (start.get(path) === text || after.get(path) === text || isIn(path, ignored)) return false;
					if (held.get(path)?.replace(/^file/, "") === text.replace(/^\d+/, "")) return false;
					return !(there.get(path) === text && isIn(path, named));
				};
				expect([...ended].filter(isLost)).toEqual([]);
				// The user's side of conflicts was given up for the child's.
				if (done.took) return;
				const isOfUser = ([path]: readonly [string, string]): boolean => ended.get(path) === start.get(path);
				expect([...before].filter(isOfUser).filter(([path, text]) => after.get(path) !== text)).toEqual([]);
			}),
			{ numRuns: tries, endOnFailure: true },
		);
	},
	patient(tries * 20_000),
);
