// The files of chronicle templates and the names that select them. Reads no template, so that completions need no parser.
import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { shippedFolder } from "../../tools/shipped/index.ts";

export interface TemplateFolders {
	/** `undefined` if the project is not trusted. */
	readonly project: string | undefined;
	readonly personal: string;
	/** The package's own; `undefined`: none. */
	readonly shipped?: string | undefined;
	/** Those of an untrusted project: only their names count. */
	readonly unread?: string | undefined;
}

export interface TemplateName {
	/** File name without its extension: the template's name in commands. */
	readonly key: string;
	/** Its description as far as the start of the file shows it; empty if it does not. */
	readonly about: string;
}

const endings = [".json", ".jsonc", ".json5", ".yaml", ".yml"];
/** The template folders: `.pi/chronicle/workflows` of a trusted project, `chronicle/workflows` below pi's agent folder, and the package's own. */
export function templateFolders(place: { cwd: string; agentFolder: string; trusted: boolean }): TemplateFolders {
	const project = join(place.cwd, ".pi", "chronicle", "workflows");
	return {
		...(place.trusted ? { project } : { project: undefined, unread: project }),
		personal: join(place.agentFolder, "chronicle", "workflows"),
		shipped: shippedFolder("templates"),
	};
}

/** The names of all templates, also of files that do not load: the project's and the user's, sorted, then the package's. Never throws. */
export function templateNames({ project, personal, shipped, unread }: TemplateFolders): TemplateName[] {
	const named = (folder: string | undefined): (readonly [key: string, file: string])[] =>
		folder === undefined ? [] : templateFiles(folder).map((name) => [keyOf(name), join(folder, name)]);
	const found = new Map([...named(personal), ...named(project)].sort(([one], [other]) => (one < other ? -1 : 1)));
	const hidden = new Set(named(unread).map(([key]) => key));
	for (const [key, file] of named(shipped)) if (!found.has(key) && !hidden.has(key)) found.set(key, file);
	return [...found].map(([key, file]) => ({ key, about: descriptionIn(file) }));
}

/** Bytes at the start of a file that are searched for its description. */
const searchedBytes = 4096;

function descriptionIn(file: string): string {
	const bytes = Buffer.alloc(searchedBytes);
	try {
		const descriptor = openSync(file, "r");
		try {
			readSync(descriptor, bytes, 0, searchedBytes, 0);
		} finally {
			closeSync(descriptor);
		}
	} catch {
		return "";
	}
	const [, text = ""] = /^[\s{]*"?description"?\s*:\s*(.*\S)/m.exec(bytes.toString("utf8")) ?? [];
	return text.replace(/,$/, "").replace(/^(["'])(.*?)\1.*$/, "$2");
}

/** The names of a folder's template files: JSON before YAML, each sorted. */
export function templateFiles(folder: string): string[] {
	const rank = (name: string): number => endings.indexOf(extname(name).toLowerCase());
	const names = listFolder(folder).filter((name) => !name.startsWith(".") && rank(name) >= 0);
	return names.sort().sort((a, b) => rank(a) - rank(b));
}

function listFolder(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}

/** The name of the template in a file. */
export function keyOf(file: string): string {
	return basename(file, extname(file));
}
