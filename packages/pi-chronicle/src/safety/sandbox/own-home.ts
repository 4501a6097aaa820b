// The home directory of the sandbox: a folder of the run that replaces the user's. What programs store there stays for the next commands.
// What the user's caches have is found without a copy: by links to where the sandbox shows them read-only, or where a tool reads a second
// store; settings of package managers and of git are copied without logins; the directory and each cache in it are complete or absent:
// they are made under another name; the caches may come later than the rest.
import {
	chmodSync,
	constants,
	copyFileSync,
	existsSync,
	mkdirSync,
	renameSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { attempt, folderEntries, folderNames, readSmallFile } from "../../disk/index.ts";

export interface OwnHome {
	/** Absolute. */
	readonly folder: string;
	/** Its folders that commands may write: elsewhere in it a file would seem to be kept, and be lost. */
	readonly stores: readonly string[];
	/** Variables for the commands. */
	readonly variables: Readonly<Record<string, string>>;
	/** The user's folders that the links lead to, by where the sandbox shows them. */
	readonly shown: Readonly<Record<string, string>>;
	/** Settles when its caches are there. */
	readonly filled: Promise<void>;
}

/** A cache below the home directory. */
interface Cache {
	readonly folder: string;
	/** Folders down to this depth are the sandbox's own, with links to what is in them; default: all. */
	readonly depth?: number;
	/** Left out. */
	readonly except?: readonly string[];
	/** Folders whose files are changed in place: they are copied. */
	readonly copied?: readonly string[] | "all";
}

const caches: readonly Cache[] = [
	{ folder: ".npm/_cacache", except: ["tmp"], copied: ["index-v5"] },
	{ folder: ".cache", depth: 1, except: ["pip", "uv", "go-build", "golangci-lint", "yarn", "composer"] },
	...["pip", "uv", "yarn", "composer"].map((name) => ({ folder: `.cache/${name}`, depth: name === "yarn" ? 2 : 9 })),
	{ folder: ".cargo/registry/index" },
	{ folder: ".cargo/registry/cache" },
	{ folder: ".cargo/registry/src", depth: 2 },
	{ folder: ".cargo/git", depth: 2 },
	{ folder: ".local/share/pnpm/store" },
	{ folder: ".yarn/berry", depth: 2 },
	{ folder: ".bun/install/cache", depth: 1 },
	{ folder: ".bundle/cache" },
];

/** Stores that a tool reads in addition to its own. */
const secondStores: Readonly<Record<string, (shown: string, env: Env) => Readonly<Record<string, string>>>> = {
	"go/pkg/mod": (shown, env) => ({
		GOPROXY: `file://${shown}/cache/download,${env("GOPROXY") || "https://proxy.golang.org,direct"}`,
	}),
	".gradle/caches": (shown) => ({ GRADLE_RO_DEP_CACHE: shown }),
	".m2/repository": (shown, env) => ({
		MAVEN_ARGS: `-Dmaven.repo.local.tail=${shown} ${env("MAVEN_ARGS") ?? ""}`.trim(),
	}),
	".nuget/packages": (shown) => ({ NUGET_FALLBACK_PACKAGES: shown }),
};

/** Variables that lead to caches outside the sandbox's home. */
const cacheVariables = [
	...[
		"XDG_CACHE_HOME",
		"XDG_DATA_HOME",
		"XDG_CONFIG_HOME",
		"XDG_STATE_HOME",
		"PIP_CACHE_DIR",
		"UV_CACHE_DIR",
		"GOCACHE",
	],
	...["GOLANGCI_LINT_CACHE", "GOMODCACHE", "GOPATH", "YARN_CACHE_FOLDER", "YARN_GLOBAL_FOLDER", "npm_config_cache"],
	...["NPM_CONFIG_CACHE", "BUN_INSTALL_CACHE_DIR", "DENO_DIR", "COMPOSER_CACHE_DIR", "COMPOSER_HOME", "CARGO_HOME"],
	...["GRADLE_USER_HOME", "NUGET_PACKAGES", "BUNDLE_USER_CACHE", "PNPM_HOME", "npm_config_userconfig"],
];

const settings: readonly string[] = [
	...[
		".gitconfig",
		".config/git/config",
		".config/git/ignore",
		".config/git/attributes",
		".npmrc",
		".yarnrc",
		".yarnrc.yml",
	],
	...[".config/pip/pip.conf", ".pip/pip.conf", ".config/uv/uv.toml", ".cargo/config.toml", ".cargo/config"],
	...[
		".config/go/env",
		".bunfig.toml",
		".condarc",
		".gradle/gradle.properties",
		".tool-versions",
		".config/mise/config.toml",
	],
];

/** Folders of package managers, compilers and test runners. */
const stores: readonly string[] = [".cache", ".config", ".local", ".npm", ".cargo", "go"];

/** Further ones, which are links to folders in one of the first: each mount costs time. */
const linkedStores: readonly string[] = [
	...[".yarn", ".bun", ".deno", ".gradle", ".m2", ".nuget", ".dotnet", ".composer", ".bundle", ".gem", ".node-gyp"],
	...[
		".electron-gyp",
		".ivy2",
		".sbt",
		".pub-cache",
		".mix",
		".hex",
		".stack",
		".cabal",
		".opam",
		".julia",
		".android",
	],
	...[".konan", ".terraform.d", ".ipython", ".jupyter", ".expo", ".swiftpm"],
];
const linkedFolder = ".local/share/pi-chronicle";

type Env = (name: string) => string | undefined;

/** The state of filling a home directory: in turns, because calls of the disk one after the other are faster than those that are awaited. */
interface Filling {
	links: number;
	/** When this turn ends, as `performance.now()`. */
	until: number;
}
const TURN_MS = 20;

/** Links of one home directory; beyond it, folders are linked as a whole. */
const MAX_LINKS = 20_000;

/** Where the sandbox shows the user's caches. */
const SHOWN = "/run/pi-chronicle";

/** In one with its stores and settings, whose names it has, and in one with its caches. */
const completeMark = ".pi-chronicle";
const filledMark = ".pi-chronicle-filled";
const makingMark = ".making-";

/** Commands that certainly find nothing in the caches of a home directory, and run nothing else. */
const plain =
	/^(?:cat|cd|date|diff|du|echo|false|file|git (?:status|log|diff|show|branch|ls-files|rev-parse|grep)|grep|head|ls|mkdir|printf|ps|pwd|rg|sort|stat|tail|test|touch|tree|true|uname|uniq|wc|which)(?: |$)/;

/** Whether a command can run before the caches are there. */
export function usesNoCache(command: string): boolean {
	if (/[`(){}]/.test(command)) return false;
	return command.split(/[;&|\n]+/).every((part) => part.trim() === "" || plain.test(part.trim()));
}

/** Makes `folder` unless it is there, and begins to fill its caches, for a user whose home directory is `home`. */
export async function openOwnHome(
	folder: string,
	{ home, env }: { readonly home: string; readonly env: Env },
): Promise<OwnHome> {
	const shown: Record<string, string> = {};
	const variables: Record<string, string> = {};
	const show = (name: string): string => {
		const place = join(SHOWN, name);
		shown[place] = join(home, name);
		return place;
	};
	const found = caches.filter((cache) => existsSync(join(home, cache.folder)));
	for (const cache of found) show(cache.folder);
	for (const [name, more] of Object.entries(secondStores))
		if (existsSync(join(home, name))) Object.assign(variables, more(show(name), env));
	if (!isComplete(folder)) await makeHome(folder, home);
	const filled = existsSync(join(folder, filledMark)) ? Promise.resolve() : fillHome(folder, home, found);
	for (const name of cacheVariables) if (env(name) !== undefined) variables[name] = "";
	if (signsCommits(folder)) addGitSetting(variables, env, "commit.gpgsign", "false");
	return { folder, stores, variables, shown, filled };
}

/** Makes the directory without caches, unless another process does so first. */
async function makeHome(folder: string, home: string): Promise<void> {
	const making = await newFolder(folder);
	try {
		makeStores(making);
		writeSettings(making, home);
		writeFileSync(join(making, completeMark), folderNames(making).join("\n"));
		if (!isComplete(folder)) await rm(folder, { recursive: true, force: true });
		await rename(making, folder);
	} catch (error) {
		await rm(making, { recursive: true, force: true });
		if (!isComplete(folder)) throw error;
	}
}

/** Whether the directory has what it was made with, so that commands start: what deletes ignored files can have been stopped midway. */
function isComplete(folder: string): boolean {
	const made = readSmallFile(join(folder, completeMark))?.split("\n") ?? [completeMark];
	const found = folderNames(folder);
	return [...stores, ...made].every((name) => name === "" || found.includes(name));
}

/** Adds the caches, unless another process does so first. Without them everything is fetched again. */
async function fillHome(folder: string, home: string, found: readonly Cache[]): Promise<void> {
	const making = await newFolder(folder);
	const work = { links: MAX_LINKS, until: 0 };
	try {
		for (const cache of found) {
			const below = (base: string): string => join(base, cache.folder);
			await linkTree({ from: below(home), place: below(SHOWN), to: below(making) }, cache, work);
		}
		moveAbsent(making, folder);
		writeFileSync(join(folder, filledMark), "");
	} catch {
		// The disk is full, or another process has removed what this one made.
	} finally {
		// Also those of processes that were killed.
		for (const { name } of folderEntries(dirname(folder)))
			if (name.startsWith(`${basename(folder)}${makingMark}`))
				await rm(join(dirname(folder), name), { recursive: true, force: true });
	}
}

function newFolder(folder: string): Promise<string> {
	mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
	return mkdtemp(`${folder}${makingMark}`);
}

/** Moves each entry to the same place below `to`, or what is in it where a folder stands there. */
function moveAbsent(from: string, to: string): void {
	for (const entry of folderEntries(from)) {
		const [source, target] = [join(from, entry.name), join(to, entry.name)];
		if (!existsSync(target)) attempt(() => renameSync(source, target));
		else if (entry.isDirectory()) moveAbsent(source, target);
	}
}

/** Keeps the user's own settings of pi, which are not committed, out of `git add -A` and `git stash -u`. */
function excludeSettings(folder: string, home: string): void {
	const config = readSmallFile(join(folder, ".gitconfig")) ?? "";
	const named = /^\s*excludesfile\s*=\s*"?([^"\n]+?)"?\s*$/im.exec(config)?.[1]?.replace(/^~(?=\/)/, home);
	const path = named?.startsWith(`${home}/`) ? named.slice(home.length + 1) : ".config/git/ignore";
	if (path !== ".config/git/ignore") copySettings(join(home, path), join(folder, path));
	addSettings(join(folder, path), "\n.pi/\n");
}

function makeStores(folder: string): void {
	for (const name of [...stores, linkedFolder]) mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
	for (const name of linkedStores) {
		mkdirSync(join(folder, linkedFolder, name), { mode: 0o700 });
		attempt(() => symlinkSync(join(linkedFolder, name), join(folder, name)));
	}
}

/** Whether git would sign with a key that the sandbox hides. */
function signsCommits(folder: string): boolean {
	const texts = [".gitconfig", ".config/git/config"].map((name) => readSmallFile(join(folder, name)));
	return texts.some((text) => /^\s*gpgsign\s*=\s*true/im.test(text ?? ""));
}

function writeSettings(folder: string, home: string): void {
	for (const name of settings) copySettings(join(home, name), join(folder, name));
	// A store next to the project would become part of it.
	const store = join(home, ".local/share/pnpm/store");
	addSettings(join(folder, ".config/pnpm/rc"), `store-dir=${store}\npackage-import-method=copy\n`);
	excludeSettings(folder, home);
}

/** Makes `to` like `from`, which the sandbox shows at `place`: folders are real, files are links. What fails is fetched again. */
async function linkTree(
	{ from, place, to }: { readonly from: string; readonly place: string; readonly to: string },
	{ except = [], copied = [], depth = 9 }: Omit<Cache, "folder">,
	work: Filling,
): Promise<void> {
	attempt(() => mkdirSync(to, { recursive: true, mode: 0o700 }));
	for (const entry of folderEntries(from)) {
		const { name } = entry;
		const part = { from: join(from, name), place: join(place, name), to: join(to, name) };
		if (except.includes(name) || /\.lock$|^\.package-cache/.test(name)) continue;
		const isCopied = copied === "all" || copied.includes(name);
		const inner = { depth: depth - 1, ...(isCopied && { copied: "all" as const }) };
		if (entry.isDirectory() && (isCopied || (depth > 1 && work.links > 0))) await linkTree(part, inner, work);
		else if (isCopied) attempt(() => copyFileSync(part.from, part.to, constants.COPYFILE_FICLONE));
		else {
			work.links--;
			attempt(() => symlinkSync(part.place, part.to));
		}
	}
	if (performance.now() < work.until) return;
	await nextTurn();
	work.until = performance.now() + TURN_MS;
}

/** Copies a file of settings without lines that hold a login. */
function copySettings(from: string, to: string): void {
	const text = readSmallFile(from);
	if (text === undefined) return;
	const kept = text
		.split("\n")
		.filter((line) => !/(_auth|authtoken|passw|secret|token|extraheader)[\w"' .-]*[=:]/i.test(line))
		.join("\n")
		.replaceAll(/:\/\/[^/\s@"']+@/g, "://");
	addSettings(to, kept);
}

function addSettings(path: string, text: string): void {
	mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
	writeFileSync(path, text, { flag: "a" });
	chmodSync(path, 0o600);
}

/** Adds a setting of git by the environment, after those that are there. */
function addGitSetting(variables: Record<string, string>, env: Env, key: string, value: string): void {
	const count = Number(env("GIT_CONFIG_COUNT") ?? 0) || 0;
	Object.assign(variables, {
		GIT_CONFIG_COUNT: String(count + 1),
		[`GIT_CONFIG_KEY_${count}`]: key,
		[`GIT_CONFIG_VALUE_${count}`]: value,
	});
}
