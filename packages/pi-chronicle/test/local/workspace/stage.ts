// A project on disk with its workspace, for tests of snapshots and restores.
import { spawnSync } from "node:child_process";
import {
	cpSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	rmSync,
	type Stats,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Result, Workspace } from "@pi-chronicle/core/ports";
import type { FileLeft } from "@pi-chronicle/core/snapshot";
import { type GitWorkspaceOptions, openGitWorkspace } from "../../../src/local/workspace/index.ts";
import { openFolder } from "../../harness/folder.ts";

/** An environment for git: its author, and no configuration of the machine. */
export const gitAuthor = {
	GIT_CONFIG_GLOBAL: "/dev/null",
	GIT_CONFIG_NOSYSTEM: "1",
	GIT_AUTHOR_NAME: "P",
	GIT_AUTHOR_EMAIL: "p@x",
	GIT_COMMITTER_NAME: "P",
	GIT_COMMITTER_EMAIL: "p@x",
};

/** The value of a result; throws its failure. */
export async function value<T, F>(result: Promise<Result<T, F>>): Promise<T> {
	const got = await result;
	if (!got.ok) throw new Error(JSON.stringify(got.failure));
	return got.value;
}

export interface FilesStage {
	readonly root: string;
	/** Folder of the run's private store. */
	readonly store: string;
	open(options?: Partial<GitWorkspaceOptions>): Workspace;
	/** The workspace of the child `name` of the run, which works in `cwd`. */
	openChild(cwd: string, name?: string, options?: Partial<GitWorkspaceOptions>): Workspace;
	write(path: string, text: string | Buffer): void;
	read(path: string): string;
	git(path: string, ...args: string[]): string;
	/** Makes a repository with one commit at `path`. */
	repository(path: string): void;
	/** Mode, kind and object of every entry of a snapshot, by path. */
	entries(tree: string): Map<string, string>;
	/** Every file, link and special file of the project, contents and all; of repositories inside no `.git`. */
	look(): Map<string, string>;
}

/** A copy of a stage as it is, with its store: making one takes dozens of processes. */
export function copyStage({ root }: FilesStage): FilesStage {
	const to = openFolder();
	cpSync(root, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
	return openFilesStage(to);
}

/** Opens a project in a folder of its own, by default an empty one. */
export function openFilesStage(root = openFolder()): FilesStage {
	mkdirSync(root, { recursive: true });
	const sessions = join(root, ".pi", "chronicle");
	const git = (path: string, ...args: string[]): string => {
		const env = { ...process.env, ...gitAuthor };
		const ran = spawnSync("git", args, { cwd: join(root, path), encoding: "utf8", env });
		if (ran.status !== 0) throw new Error(`git ${args.join(" ")}: ${ran.stderr}`);
		return ran.stdout.trim();
	};
	return {
		root,
		store: join(sessions, "run", "files"),
		git,
		open: (options) => openGitWorkspace({ cwd: root, folder: join(sessions, "run"), leftOut: [sessions], ...options }),
		openChild: (cwd, name = "child", options = {}) =>
			openGitWorkspace({
				cwd,
				folder: join(sessions, name),
				leftOut: [sessions],
				childOf: join(sessions, "run"),
				...options,
			}),
		write(path, text) {
			mkdirSync(dirname(join(root, path)), { recursive: true });
			writeFileSync(join(root, path), text);
		},
		read: (path) => readFileSync(join(root, path), "utf8"),
		repository(path) {
			mkdirSync(join(root, path), { recursive: true });
			git(path, "init", "-q");
			git(path, "add", "-A");
			git(path, "commit", "-qm", "one", "--allow-empty");
		},
		entries(tree) {
			const listed = git(
				".",
				`--git-dir=${join(sessions, "run", "files")}`,
				"ls-tree",
				"-r",
				"-z",
				"--full-tree",
				tree,
			);
			const lines = listed.split("\0").filter(Boolean);
			return new Map(lines.map((line) => [line.slice(line.indexOf("\t") + 1), line.slice(0, line.indexOf("\t"))]));
		},
		look: () => lookAt(root),
	};
}

function lookAt(root: string): Map<string, string> {
	const found = new Map<string, string>();
	const walk = (below: string): void => {
		for (const name of readdirSync(join(root, below))) {
			const path = below === "" ? name : `${below}/${name}`;
			if (path === ".pi" || name === ".git") continue;
			const stats = lstatSync(join(root, path));
			if (stats.isDirectory()) walk(path);
			else if (stats.isSymbolicLink()) found.set(path, `link ${readlinkSync(join(root, path))}`);
			else if (stats.isFile()) {
				const kind = stats.mode & 0o100 ? "program" : "file";
				found.set(path, `${kind} ${readFileSync(join(root, path)).toString("base64")}`);
			} else found.set(path, "special");
		}
	};
	walk("");
	return found;
}

export interface Rewound {
	/** What was there before. */
	readonly before: string;
	readonly left: readonly FileLeft[];
}

/** Restores files as a supervisor does: a snapshot of the current files is taken first. */
export async function rewind(workspace: Workspace, tree: string): Promise<Rewound> {
	const { tree: before } = await value(workspace.snapshot({ towards: tree }));
	const { left } = await value(workspace.restore(tree, { expected: before }));
	return { before, left };
}

/** The entry at a path, without following a link; `undefined` if there is none, or a parent is not a folder. */
export function peek(place: string | Buffer): Stats | undefined {
	try {
		return lstatSync(place);
	} catch {
		return undefined;
	}
}

/** Removes the entry at `path`, and any parent that is not a folder. */
export function clear({ root }: Pick<FilesStage, "root">, path: string): void {
	const all = path.split("/");
	for (let length = 1; length <= all.length; length += 1) {
		const place = join(root, ...all.slice(0, length));
		const stats = peek(place);
		if (stats && (length === all.length || !stats.isDirectory())) rmSync(place, { recursive: true });
	}
}
