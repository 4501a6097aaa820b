// The temporary copy of the project that a rehearsal works on, with its own home and agent folder, so that it cannot reach the user's files,
// settings, sessions or credentials.
// Nothing in the copy leads out of it: such links are omitted, and its git repository is new. Credentials of the environment are not passed on.
// Closing removes everything, also after a failure.

import { constants, type Dirent } from "node:fs";
import {
	copyFile,
	lstat,
	mkdir,
	mkdtemp,
	readdir,
	readFile,
	readlink,
	realpath,
	rm,
	symlink,
	writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { isInside } from "@pi-chronicle/core/definition";
import { gitOutput, jsonObject } from "../../disk/index.ts";
import { agentExclusions, openExclusions } from "../../local/index.ts";
import { HOLD_VARIABLE } from "../../pi/index.ts";
import { isProcessAlive } from "../../process/index.ts";
import { mailboxBeside } from "./by-hand/index.ts";
import { configVariable, type RehearsalConfig, writeConfig } from "./config.ts";
import { makeRepository } from "./copy-repository.ts";

export interface ProjectCopy {
	/** The copy of the project. */
	readonly project: string;
	readonly journal: string;
	/** For every process of the rehearsal. */
	readonly env: NodeJS.ProcessEnv;
	/** Paths of the project that are not in the copy, and why; ignored files and dependencies are not listed. */
	readonly leftOut: readonly { readonly path: string; readonly reason: string }[];
	/** Files changed in the copy so far, sorted by path. */
	changes(): Promise<readonly CopyChange[]>;
	/** Keeps the copy on disk. Do not call `close` afterward. */
	keep(): Promise<void>;
	/** Removes everything. Idempotent. */
	close(): Promise<void>;
}

export interface CopyChange {
	/** Relative to the project, with `/`. */
	readonly path: string;
	readonly what: "added" | "changed" | "removed";
}

export interface ProjectCopyOptions {
	/** Absolute path of the project to copy. */
	readonly project: string;
	/** Absolute path of the agent folder whose definitions are copied; `undefined`: none are. */
	readonly agentFolder?: string | undefined;
	readonly config: Omit<RehearsalConfig, "journal">;
	/** pi's own settings in the rehearsal. */
	readonly settings?: Readonly<Record<string, unknown>>;
	readonly env: NodeJS.ProcessEnv;
}

/** Files beyond this total are omitted: a rehearsal needs the project's text, not its data. */
const maxBytes = 256 * 1024 * 1024;
const prefix = "pi-rehearsal-";
/** File with the pid of the process that removes the copy. */
const ownerFile = "owner";
const skipped = new Set([".git", "node_modules"]);
const ownRuns = join(".pi", "chronicle", "sessions");
/** The repository of the copy. */
const ownRepository = `.git${sep}`;
/** Paths in the agent folder that rehearsals need. */
const globalDefinitions = ["workflows", join("chronicle", "workflows"), "agents", "damage-control-rules.yaml"];

/** Copies a project. Throws if it cannot be read or the temporary folder cannot be written. */
export async function openProjectCopy({
	project,
	agentFolder,
	config,
	settings,
	env,
}: ProjectCopyOptions): Promise<ProjectCopy> {
	await removeOrphanedCopies();
	const root = await realpath(await mkdtemp(join(tmpdir(), prefix)));
	const close = () => rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
	try {
		await writeFile(join(root, ownerFile), String(process.pid));
		const copy = join(root, "project");
		const home = join(root, "home");
		const agent = join(home, ".pi", "agent");
		await mkdir(copy);
		await mkdir(agent, { recursive: true });
		const copier = openCopier();
		const original = await realpath(project);
		const { reason } = openExclusions(original, agentFolder === undefined ? [] : agentExclusions(agentFolder));
		const isExcluded = (path: string): boolean => reason(path.split(sep).join("/")) !== undefined;
		const listed = await copyProject(copier, original, copy, isExcluded);
		const copied = copier.copied(copy);
		if (agentFolder !== undefined) {
			for (const name of globalDefinitions) {
				const from = join(agentFolder, name);
				if (await isThere(from)) await copier.tree(await realpath(agentFolder), agent, name);
			}
		}
		await writeFile(
			join(agent, "settings.json"),
			JSON.stringify({ ...keptSettings(agentFolder), ...settings }, null, "\t"),
		);
		const journal = join(root, "journal.jsonl");
		const configPath = join(root, "config.json");
		writeConfig(configPath, { ...config, journal });
		const environment = { ...withoutCredentials(env), HOME: home, USERPROFILE: home };
		const tracked = listed?.filter((path) => copied.has(path.replaceAll("/", sep)));
		// A player reads the history and what is not committed; a script does not.
		const history = config.byHand ? original : undefined;
		if (!(await makeRepository(copy, tracked, environment, history)))
			await rm(join(copy, ".git"), { recursive: true, force: true });
		return {
			project: copy,
			journal,
			leftOut: copier.leftOut,
			changes: () => compare(original, copy, copied),
			env: {
				...environment,
				PI_CODING_AGENT_DIR: agent,
				PI_OFFLINE: "1",
				PI_TELEMETRY: "0",
				PI_SKIP_VERSION_CHECK: "1",
				npm_config_update_notifier: "false",
				[configVariable]: configPath,
				...(config.byHand ? { [HOLD_VARIABLE]: mailboxBeside(journal) } : {}),
			},
			keep: () => rm(join(root, ownerFile), { force: true }),
			close,
		};
	} catch (error) {
		await close();
		throw error;
	}
}

/** The copies of processes that were killed, absolute; not those in use, kept, or of other users. */
export async function findOrphanedCopies(): Promise<readonly string[]> {
	const names = await readdir(tmpdir()).catch(() => []);
	const found: string[] = [];
	for (const name of names.filter((each) => each.startsWith(prefix))) {
		const folder = join(tmpdir(), name);
		const owner = Number(await readFile(join(folder, ownerFile), "utf8").catch(() => ""));
		if (owner > 0 && !isProcessAlive(owner)) found.push(folder);
	}
	return found;
}

/** Removes the copies that `findOrphanedCopies` finds; resolves to the removed ones. */
export async function removeOrphanedCopies(): Promise<readonly string[]> {
	const gone: string[] = [];
	for (const folder of await findOrphanedCopies())
		await rm(folder, { recursive: true, force: true }).then(
			() => gone.push(folder),
			() => {},
		);
	return gone;
}

/** The settings that change what a run does: this package's, and which tools are on. */
function keptSettings(agentFolder: string | undefined): Record<string, unknown> {
	const { chronicle, defaultTools } =
		(agentFolder === undefined ? undefined : jsonObject(join(agentFolder, "settings.json"))) ?? {};
	return { chronicle, defaultTools };
}

/**
 * The environment without credentials, and without variables that tie it to an outer pi or, as in a git hook, to another repository.
 */
function withoutCredentials(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	const kept = Object.entries(env).filter(
		([name]) =>
			!/key|token|secret|passw|credential|^(aws|azure|google|gcloud|vertex)_|^git_|^pi_(?!chronicle_pi$)/i.test(name),
	);
	return Object.fromEntries(kept);
}

interface Copier {
	readonly leftOut: { path: string; reason: string }[];
	/** Paths below `to` that were copied there. */
	copied(to: string): ReadonlySet<string>;
	/** Copies one file or link, given relative to `from`. */
	file(from: string, to: string, path: string): Promise<void>;
	/** Copies `path` and everything below it, except for what is excluded. */
	tree(from: string, to: string, path: string, isExcluded?: (path: string) => boolean): Promise<void>;
}

function openCopier(): Copier {
	const leftOut: { path: string; reason: string }[] = [];
	const done = new Set<string>();
	let bytes = 0;
	const copier: Copier = {
		leftOut,
		copied: (to) => new Set([...done].filter((path) => isWithin(to, path)).map((path) => relative(to, path))),
		async file(from, to, path) {
			const source = join(from, path);
			const target = join(to, path);
			if (done.has(target)) return;
			done.add(target);
			const stat = await lstat(source).catch(() => undefined);
			if (stat?.isSymbolicLink()) {
				const link = await readlink(source);
				if (isAbsolute(link) || !isWithin(from, resolve(dirname(source), link)) || !(await leadsInside(from, source))) {
					leftOut.push({ path, reason: "a link that leads out of the project" });
					return;
				}
				await mkdir(dirname(target), { recursive: true });
				await symlink(link, target);
			} else if (stat?.isFile()) {
				if (bytes + stat.size > maxBytes) {
					leftOut.push({ path, reason: `beyond the limit of ${maxBytes / 1024 / 1024} MB` });
					return;
				}
				bytes += stat.size;
				await mkdir(dirname(target), { recursive: true });
				await copyFile(source, target, constants.COPYFILE_FICLONE);
			}
		},
		async tree(from, to, path, isExcluded = () => false) {
			const source = join(from, path);
			if (path.endsWith(ownRuns) || isExcluded(path)) return;
			if (!(await lstat(source)).isDirectory()) return copier.file(from, to, path);
			await mkdir(join(to, path), { recursive: true });
			const entries: Dirent[] = await readdir(source, { withFileTypes: true });
			for (const { name } of entries) if (!skipped.has(name)) await copier.tree(from, to, join(path, name), isExcluded);
		},
	};
	return copier;
}

/**
 * Copies the project: in a repository the files that git does not ignore, and this package's definitions even if it does. Returns the
 * paths that git does not ignore.
 */
async function copyProject(
	copier: Copier,
	from: string,
	to: string,
	isExcluded: (path: string) => boolean,
): Promise<readonly string[] | undefined> {
	const listed = (await listedByGit(from))?.filter((path) => !isExcluded(path));
	if (listed === undefined) {
		await copier.tree(from, to, ".", isExcluded);
		return undefined;
	}
	for (const path of listed)
		if (!path.split(/[\\/]/).some((part) => skipped.has(part))) await copier.file(from, to, path);
	if (await isThere(join(from, ".pi"))) await copier.tree(from, to, ".pi", isExcluded);
	return listed;
}

async function compare(original: string, copy: string, copied: ReadonlySet<string>): Promise<CopyChange[]> {
	const changes: CopyChange[] = [];
	const now = new Set<string>();
	for (const entry of await readdir(copy, { recursive: true, withFileTypes: true })) {
		if (entry.isDirectory()) continue;
		const path = relative(copy, join(entry.parentPath, entry.name));
		now.add(path);
		if (path.startsWith(ownRuns) || path.startsWith(ownRepository)) continue;
		if (!copied.has(path)) changes.push({ path, what: "added" });
		else if (entry.isFile() && !(await hasSameContent(join(original, path), join(copy, path))))
			changes.push({ path, what: "changed" });
	}
	for (const path of copied) if (!now.has(path)) changes.push({ path, what: "removed" });
	return changes
		.map(({ path, what }) => ({ path: path.replaceAll(sep, "/"), what }))
		.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function hasSameContent(one: string, other: string): Promise<boolean> {
	const [a, b] = await Promise.all([readFile(one).catch(() => undefined), readFile(other)]);
	return a?.equals(b) ?? false;
}

async function listedByGit(folder: string): Promise<string[] | undefined> {
	const listed = await gitOutput(folder, ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
	// `undefined`: git is missing, or this is not a repository.
	return listed === undefined ? undefined : [...new Set(listed.split("\0").filter((path) => path !== ""))];
}

async function leadsInside(folder: string, link: string): Promise<boolean> {
	const real = await realpath(link).catch(() => undefined);
	return real === undefined || isWithin(folder, real);
}

/** Whether `path` is `folder` or inside it. */
function isWithin(folder: string, path: string): boolean {
	return path === folder || isInside(folder, path);
}

async function isThere(path: string): Promise<boolean> {
	return (await lstat(path).catch(() => undefined)) !== undefined;
}
