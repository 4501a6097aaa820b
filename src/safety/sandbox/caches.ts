// Caches and stores of package managers and compilers, which are in the home directory and therefore cannot be written in the sandbox: they get
// a temporary folder, so that commands that only read work.
// K1 a cache that can be written stays as it is; K2 what is already stored is still found: by links, or where a tool reads a second store;
// K3 the folder is private to this process and removed with it.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { isWithin } from "../policy/index.ts";

export interface CachePlace {
	/** Absolute. */
	readonly home: string;
	/** A folder for temporary files that can be written in the sandbox. */
	readonly temporary: string;
	/** Folders that can be written in the sandbox. */
	readonly writable: readonly string[];
	env(name: string): string | undefined;
}

interface Cache {
	/** The variable that names the folder, and the folder without it, below the home directory. */
	readonly variable: string;
	readonly folder: string;
	/** Entries that stay available through links: all but these. Absent: the cache begins empty. */
	readonly linkedBut?: readonly string[];
	/** More variables, for the folder as it was (`old`) and the new one. */
	readonly more?: (old: string, place: CachePlace) => Readonly<Record<string, string>>;
}

/** Entries of `~/.cache` with a variable of their own. */
const ownCaches = ["pip", "uv", "go-build", "golangci-lint", "yarn", "deno", "composer"];

const caches: readonly Cache[] = [
	{ variable: "XDG_CACHE_HOME", folder: ".cache", linkedBut: ownCaches },
	{ variable: "PIP_CACHE_DIR", folder: ".cache/pip" },
	{ variable: "UV_CACHE_DIR", folder: ".cache/uv" },
	{ variable: "GOCACHE", folder: ".cache/go-build" },
	{ variable: "GOLANGCI_LINT_CACHE", folder: ".cache/golangci-lint" },
	{ variable: "GOMODCACHE", folder: "go/pkg/mod", more: readModules },
	{ variable: "YARN_CACHE_FOLDER", folder: ".cache/yarn" },
	{ variable: "YARN_GLOBAL_FOLDER", folder: ".yarn/berry" },
	{ variable: "npm_config_cache", folder: ".npm" },
	{ variable: "BUN_INSTALL_CACHE_DIR", folder: ".bun/install/cache" },
	{ variable: "DENO_DIR", folder: ".cache/deno", linkedBut: [] },
	{ variable: "COMPOSER_CACHE_DIR", folder: ".cache/composer" },
	{ variable: "CARGO_HOME", folder: ".cargo", linkedBut: [".package-cache", ".package-cache-mutate", ".global-cache"] },
	{
		variable: "GRADLE_USER_HOME",
		folder: ".gradle",
		linkedBut: ["caches", "daemon", "native", "notifications", "workers", ".tmp"],
		more: (old) => ({ GRADLE_RO_DEP_CACHE: join(old, "caches") }),
	},
	{ variable: "NUGET_PACKAGES", folder: ".nuget/packages", more: (old) => ({ NUGET_FALLBACK_PACKAGES: old }) },
	{ variable: "BUNDLE_USER_CACHE", folder: ".bundle/cache" },
];

/** Modules that are stored already are read like those of a proxy. */
function readModules(old: string, { home, env }: CachePlace): Readonly<Record<string, string>> {
	const stored = join(old, "cache/download");
	// The proxy may be set in a file that only go reads.
	const isSetInFile = existsSync(join(home, ".config/go/env"));
	if (!existsSync(stored) || isSetInFile) return {};
	return { GOPROXY: `file://${stored},${env("GOPROXY") ?? "https://proxy.golang.org,direct"}` };
}

/** Options of bwrap that lead caches which cannot be written in the sandbox to a new temporary folder. */
export function cacheOptions(place: CachePlace): readonly string[] {
	const { home, env, writable } = place;
	const root = mkdtempSync(join(place.temporary, "pi-chronicle-caches-"));
	process.once("exit", () => rmSync(root, { recursive: true, force: true }));
	const base = env("XDG_CACHE_HOME") || join(home, ".cache");
	const folderOf = ({ variable, folder }: Cache): string =>
		env(variable) || (folder.startsWith(".cache/") ? base + folder.slice(".cache".length) : join(home, folder));
	const variables: Record<string, string> = {};
	for (const cache of caches) {
		const old = folderOf(cache);
		if (writable.some((folder) => isWithin(old, folder))) continue;
		const now = join(root, cache.variable);
		mkdirSync(now, { mode: 0o700 });
		if (cache.linkedBut) linkEntries(old, now, cache.linkedBut);
		Object.assign(variables, { [cache.variable]: now }, existsSync(old) ? cache.more?.(old, place) : {});
	}
	const maven = mavenArguments(place, join(root, "maven"));
	return [
		// npm reads this spelling too.
		...(variables.npm_config_cache ? ["--unsetenv", "NPM_CONFIG_CACHE"] : []),
		...Object.entries({ ...variables, ...maven }).flatMap(([name, value]) => ["--setenv", name, value]),
	];
}

/** Maven has no variable for its repository, but reads arguments from one. */
function mavenArguments({ home, env, writable }: CachePlace, now: string): Readonly<Record<string, string>> {
	const old = join(home, ".m2/repository");
	if (writable.some((folder) => isWithin(old, folder))) return {};
	const given = [`-Dmaven.repo.local=${now}`, `-Dmaven.repo.local.tail=${old}`];
	return { MAVEN_ARGS: [...given, env("MAVEN_ARGS") ?? ""].join(" ").trim() };
}

function linkEntries(from: string, to: string, except: readonly string[]): void {
	for (const name of existsSync(from) ? readdirSync(from) : [])
		if (!except.includes(name)) symlinkSync(join(from, name), join(to, name));
}
