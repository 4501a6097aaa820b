// Workflow directories on real disk for the tests of the catalogue.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Diagnostic, formatDiagnostic } from "@pi-chronicle/core/definition";
import { onTestFinished } from "vitest";
import { type Catalogue, loadCatalogue, type Roots } from "../../../src/workflow/definitions/index.ts";

export type TreeFiles = Record<string, string | Uint8Array>;

export interface Tree {
	/** Real path of the folder; `global/` and `project/` in it are the roots. */
	readonly folder: string;
	readonly roots: Roots;
	/** Writes files by path below the folder. */
	write(files: TreeFiles): void;
	load(): Catalogue;
	/** Diagnostics, one line each, paths relative to the folder. */
	lines(diagnostics: readonly Diagnostic[]): string[];
}

/** Opens a tree that goes away with the test. Paths begin with `global/` or `project/`. */
export function openTree(files: TreeFiles = {}): Tree {
	const tree = makeTree(files);
	onTestFinished(() => rmSync(tree.folder, { recursive: true, force: true }));
	return tree;
}

/** As above, for a caller that removes the folder. */
export function makeTree(files: TreeFiles = {}): Tree {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "catalogue-")));
	const roots = { globalRoot: join(folder, "global"), projectRoot: join(folder, "project") };
	const write = (more: TreeFiles): void => {
		for (const [path, content] of Object.entries(more)) {
			mkdirSync(dirname(join(folder, path)), { recursive: true });
			writeFileSync(join(folder, path), content);
		}
	};
	write(files);
	return {
		folder,
		roots,
		write,
		load: () => loadCatalogue(roots),
		lines: (diagnostics) => diagnostics.map((diagnostic) => formatDiagnostic(diagnostic, folder)),
	};
}

/** Keys of the definitions that loaded. */
export const keys = ({ definitions }: Catalogue) => [...definitions.keys()];
/** Keys of those that did not. */
export const rejected = (catalogue: Catalogue) => [...catalogue.rejected.keys()];
export const errors = ({ diagnostics }: Catalogue) => diagnostics.filter(({ severity }) => severity === "error");

/** Text of a workflow.yaml; `entries` that begin with `@` are references. Further fields replace the usual ones; `null` leaves one out. */
export function workflowYaml(entries: readonly string[], fields: Record<string, string | null> = {}): string {
	const all = { name: "Sample", commandName: "sample", initialMessage: "'Begin: {description}'", ...fields };
	const lines = Object.entries(all).flatMap(([key, value]) => (value === null ? [] : [`${key}: ${value}`]));
	const phases = entries.map((entry) =>
		entry.startsWith("@") ? `  - subworkflow: ${entry.slice(1)}` : `  - ${entry}`,
	);
	return `${[...lines, "phases:", ...phases].join("\n")}\n`;
}

/** Text of a phase file; further front matter as lines. */
export function phaseFile(id: string, ...lines: string[]): string {
	return `---\nid: ${id}\nname: Phase ${id}\nemoji: "🔧"\n${lines.map((line) => `${line}\n`).join("")}---\n\nDo ${id}.\n`;
}

/** A workflow directory of concrete phases and references, as files below `tier/key/`. */
export function workflowFiles(
	place: string,
	entries: readonly string[],
	fields: Record<string, string | null> = {},
): TreeFiles {
	const key = place.split("/").at(-1) ?? place;
	const files: TreeFiles = {
		[`${place}/workflow.yaml`]: workflowYaml(
			entries.map((entry) => (entry.startsWith("@") ? entry : `${entry}.md`)),
			{ name: `Workflow ${key}`, commandName: key.replace(/[^a-zA-Z0-9_-]/g, "-") || "x", ...fields },
		),
	};
	for (const entry of entries) if (!entry.startsWith("@")) files[`${place}/${entry}.md`] = phaseFile(entry);
	return files;
}
