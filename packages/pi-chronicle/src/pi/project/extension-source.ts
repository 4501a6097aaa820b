// Resolves the name of an extension: a path, an extension in pi's folders, or a package that pi has installed. Source of the locations:
// pi's docs/packages.md and docs/extensions.md.
// Only existing extensions are returned, so starting a process downloads nothing; locations in the project are searched only if it is
// trusted.
import { existsSync, statSync } from "node:fs";
import { basename, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { didYouMean, type Problem, quoted, thereAre } from "@pi-chronicle/core/definition";
import { attempt, folderNames, jsonObject } from "../../disk/index.ts";
import type { Trust } from "./project-trust.ts";

export interface ExtensionPlace {
	/** Absolute. */
	readonly cwd: string;
	readonly home: string;
	/** pi's agent folder. */
	readonly agentFolder: string;
	readonly trust: Trust;
}

export type ExtensionFound =
	/** For pi's `--extension`: an absolute path, or `builtin:` followed by a name. */
	{ readonly kind: "found"; readonly source: string } | { readonly kind: "none"; readonly problem: Problem };

/** An extension or package with its names. `path` is absolute. */
interface Named {
	/** The source as pi lists it. */
	readonly source: string;
	readonly names: readonly string[];
	readonly path: string;
}

const scripts = /\.(ts|js|mts|mjs|cts|cjs)$/;

/** Finds the extension that `written` names in `place`. */
export function findExtension(written: string, place: ExtensionPlace): ExtensionFound {
	const word = written.trim();
	if (word === "") return noExtension("The name of an extension is empty.", "Write its path or its name.");
	if (/^builtin:/.test(word)) return { kind: "found", source: word };
	const path = extensionPath(word, place);
	if (path !== undefined && existsSync(path)) return { kind: "found", source: path };
	if (path !== undefined && isExtensionPath(word))
		return noExtension(
			`There is no extension at ${path}.`,
			"Correct the path; it is relative to the project's folder.",
		);
	const known = [...extensionFiles(place), ...packages(place)];
	const wanted = nameInSource(word);
	const hits = distinct(known.filter(({ source, names }) => source === word || names.includes(wanted)));
	const [hit, other] = hits;
	if (hit && other)
		return noExtension(
			`${quoted(word)} can mean ${hits.map(({ source }) => quoted(source)).join(" or ")}.`,
			"Write one of them exactly as listed here.",
		);
	if (hit && existsSync(hit.path)) return { kind: "found", source: hit.path };
	if (hit)
		return noExtension(`The package ${quoted(hit.source)} is not at ${hit.path}.`, `Run \`pi install ${hit.source}\`.`);
	return unknownExtension(word, known, place);
}

function unknownExtension(word: string, known: readonly Named[], { trust }: ExtensionPlace): ExtensionFound {
	const names = known.map(({ names: [first = ""] }) => first);
	const remedy = [
		/^(npm|git|https?|ssh|github):/.test(word)
			? `Run \`pi install ${word}\`.`
			: "Write a path, or a package of `pi list`.",
		thereAre(names, "pi has no extension or package installed."),
		...(trust === "untrusted"
			? ["The project's extensions are not searched, because the project is not trusted."]
			: []),
	].join(" ");
	return noExtension(`There is no extension ${quoted(word)} here.${didYouMean(word, names)}`, remedy);
}

function noExtension(message: string, remedy: string): ExtensionFound {
	return { kind: "none", problem: { code: "unknown-extension", message, remedy } };
}

/** The absolute path that `word` may name; `undefined` for package names. */
function extensionPath(word: string, { cwd, home }: ExtensionPlace): string | undefined {
	if (word === "~") return home;
	if (/^~[\\/]/.test(word)) return join(home, word.slice(2));
	if (/^file:/.test(word)) return attempt(() => fileURLToPath(word));
	if (isAbsolute(word)) return word;
	return /^[a-z]{2,}:/i.test(word) || word.startsWith("git@") ? undefined : resolve(cwd, word);
}

/** Whether a word can only be a path. */
function isExtensionPath(word: string): boolean {
	return isAbsolute(word) || /^(~|\.{1,2}|file:)([\\/]|$)/.test(word) || scripts.test(word);
}

/** A name without its kind and version: `npm:@a/b@^1` is `@a/b`, `git:github.com/a/b.git@v1` is `github.com/a/b`. */
function nameInSource(source: string): string {
	const text = source.trim();
	if (/^npm:/.test(text))
		return text
			.slice(4)
			.trim()
			.replace(/(.)@[^/]*$/, "$1");
	const bare = text
		.replace(/^git:/, "")
		.replace(/^github:/, "github.com/")
		.replace(/^(https?|ssh|git):\/\//, "")
		.replace(/^[^@/]+@([^:/]+)[:/]/, "$1/");
	return bare.replace(/(.)@[^@]*$/, "$1").replace(/(\.git)?\/?$/, "");
}

/** Removes duplicates of the same path. */
function distinct(found: readonly Named[]): readonly Named[] {
	return found.filter(({ path }, at) => found.findIndex((other) => other.path === path) === at);
}

/** The project's `.pi` folder if it is trusted, and the user's agent folder. */
function scopes({ cwd, agentFolder, trust }: ExtensionPlace): readonly string[] {
	return [...(trust === "trusted" ? [join(cwd, ".pi")] : []), agentFolder];
}

function extensionFiles(place: ExtensionPlace): Named[] {
	return scopes(place).flatMap((folder) =>
		folderNames(join(folder, "extensions")).flatMap((name): Named[] => {
			const path = join(folder, "extensions", name);
			const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
			if (!isFolder && !scripts.test(name)) return [];
			return [{ source: path, names: [isFolder ? name : name.replace(scripts, "")], path }];
		}),
	);
}

/** Packages listed in pi's settings. */
function packages({ home, ...place }: ExtensionPlace): Named[] {
	return scopes({ home, ...place }).flatMap((folder) => {
		const listed = jsonObject(join(folder, "settings.json"))?.packages;
		return (Array.isArray(listed) ? listed : []).flatMap((entry: unknown): Named[] => {
			const source = typeof entry === "string" ? entry : (entry as { source?: unknown } | null)?.source;
			return typeof source === "string" ? [installed(source.trim(), folder, home)] : [];
		});
	});
}

function installed(source: string, folder: string, home: string): Named {
	const name = nameInSource(source);
	if (/^npm:/.test(source)) {
		return { source, names: [name, name.replace(/^@[^/]*\//, "")], path: join(folder, "npm", "node_modules", name) };
	}
	if (/^(git|github|https?|ssh):/.test(source)) {
		const repository = name.split("/");
		const names = [name, repository.slice(-2).join("/"), repository.at(-1) ?? ""];
		return { source, names, path: join(folder, "git", ...repository) };
	}
	const path =
		extensionPath(source, { cwd: folder, home, agentFolder: folder, trust: "trusted" }) ?? resolve(folder, source);
	const manifest = jsonObject(join(path, "package.json"))?.name;
	const own = basename(path).replace(scripts, "");
	return { source, names: [...(typeof manifest === "string" ? [manifest] : []), own], path };
}
