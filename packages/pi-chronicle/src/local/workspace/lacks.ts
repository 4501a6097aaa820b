// What a copy of the project lacks because git ignores it: dependencies and settings that the project's programs need.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { relativeTo } from "./compare.ts";
import type { Store } from "./store.ts";

/** Names under which tools keep dependencies and settings that git usually ignores. */
const dependencies = new Set([
	"node_modules",
	".venv",
	"venv",
	"vendor",
	".bundle",
	"Pods",
	"deps",
	"bower_components",
	".env",
]);
const maxNamed = 6;

/** The ignored dependencies of the project that the copy with the root `files` lacks, relative to the run's folder. */
export async function findLacks(store: Store, files: string): Promise<readonly string[]> {
	const args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory", ...store.below()];
	const listed = await store.git(args);
	const names = listed.output.toString("utf8").split("\0").filter(Boolean);
	return names
		.map((name) => name.replace(/\/$/, ""))
		.filter((name) => dependencies.has(lastOf(name)) && !existsSync(join(files, name)))
		.map((name) => relativeTo(store.cwd, store.root, Buffer.from(name).toString("latin1")));
}

function lastOf(path: string): string {
	return path.split("/").at(-1) ?? "";
}

/** What `link` has to name so that copies have what they lack: names that are there several times as one pattern. */
export function linksFor(lacks: readonly string[]): readonly string[] {
	const links = lacks.map((path) => {
		const name = lastOf(path);
		return lacks.some((other) => other !== path && lastOf(other) === name) ? `**/${name}` : path;
	});
	return [...new Set(links)];
}

/** One sentence about what the copy lacks, with the remedy. */
export function lackText(lacks: readonly string[]): string {
	const named = lacks.slice(0, maxNamed).map((name) => `\`${name}\``);
	const more = lacks.length > maxNamed ? ` and ${lacks.length - maxNamed} more` : "";
	const links = linksFor(lacks).map((link) => JSON.stringify(link));
	return `The copy lacks ${named.join(", ")}${more}, which git ignores in the project: \`link: [${links.join(", ")}]\` in the template copies them, or \`setup\` creates them.`;
}
