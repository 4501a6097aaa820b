// Finds the workflow directories of one tier: directories with a workflow.yaml directly below the root, and one level below a directory
// without one. Ignores everything else, which belongs to other tools.
// The result does not depend on the order of directory listings; links are followed but cannot extend the search: it is two levels
// deep and skips links to the root and its ancestors.
import { type Dirent, lstatSync, readdirSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import {
	type Diagnostic,
	foreignFormat,
	foreignProblem,
	openReport,
	type Problem,
	parseYaml,
	type Report,
	readSource,
	systemWords,
} from "@pi-chronicle/core/definition";
import { attempt, realPathOf } from "../../disk/index.ts";
import type { Ground } from "./entry-path.ts";

export interface Candidate extends Ground {
	/** Directory name. */
	readonly key: string;
	readonly depth: "direct" | "nested";
	/** Its workflow.yaml. */
	readonly file: string;
}

export interface Scan {
	readonly candidates: readonly Candidate[];
	readonly diagnostics: readonly Diagnostic[];
}

/** A directory without a workflow.yaml is not searched if it has more entries than this. */
const maxNames = 2000;

/** Scans the workflow directory of one tier. */
export function scanTier(root: string): Scan {
	const report = openReport();
	const candidates: Candidate[] = [];
	const realRoot = realPathOf(root);
	const listed = realRoot === undefined ? "absent" : list(root);
	if (realRoot === undefined || listed === "absent") return { candidates, diagnostics: [] };
	if (typeof listed === "string") {
		report.error({ file: root }, unlistable(listed));
		return { candidates, diagnostics: report.diagnostics };
	}
	for (const entry of listed) candidates.push(...scanEntry(entry, root, realRoot, report));
	return { candidates, diagnostics: report.diagnostics };
}

/** The workflow in an entry of the root, or the workflows directly below the entry. */
function scanEntry(entry: Dirent, root: string, realRoot: string, report: Report): Candidate[] {
	const directory = join(root, entry.name);
	const kind = kindOf(entry, directory);
	if (kind === "nothing" && entry.isSymbolicLink()) report.warn({ file: directory }, leadsNowhere);
	if (kind !== "directory" && kind !== "linked") return [];
	const file = join(directory, "workflow.yaml");
	const real = kind === "linked" ? realPathOf(directory) : undefined;
	const allowed = real === undefined ? [realRoot] : [realRoot, real];
	const found: Candidate = { key: entry.name, depth: "direct", file, directory, root, allowed };
	if (mayExist(file)) return [found];
	return kind === "linked" && leadsUp(real, realRoot) ? [] : scanDirectory(found, realRoot, report);
}

/** The workflows directly below a directory without a workflow.yaml. */
function scanDirectory({ directory, root, allowed }: Ground, realRoot: string, report: Report): Candidate[] {
	const inner = list(directory);
	if (typeof inner === "string") {
		if (inner !== "absent") report.warn({ file: directory }, unlistable(inner));
		return [];
	}
	const misnamed = inner.find(({ name }) => /^workflow\.ya?ml$/i.test(name));
	if (misnamed) {
		const other = join(directory, misnamed.name);
		report.warn({ file: other, line: 1, column: 1 }, notRead(other, misnamed.name));
	}
	if (inner.length > maxNames) {
		report.warn({ file: directory }, tooManyNames);
		return [];
	}
	return inner.flatMap((entry): Candidate[] => {
		const below = join(directory, entry.name);
		const kind = kindOf(entry, below);
		if (kind !== "directory" && kind !== "linked") return [];
		const real = kind === "linked" ? realPathOf(below) : undefined;
		if (kind === "linked" && leadsUp(real, realRoot)) return [];
		const file = join(below, "workflow.yaml");
		if (!mayExist(file)) return [];
		const own = real === undefined ? [] : [real];
		return [{ key: entry.name, depth: "nested", file, directory: below, root, allowed: [...allowed, ...own] }];
	});
}

/** Explains why a file with a name similar to workflow.yaml is not read. */
function notRead(file: string, name: string): Problem {
	const read = readSource(file);
	const root = read.kind === "text" ? parseYaml(read.source).root : undefined;
	const other = root && foreignFormat(root);
	if (other) return foreignProblem(other);
	return {
		code: "misnamed-file",
		message: `This file is not read: a workflow file is called \`workflow.yaml\`, not \`${name}\`.`,
		remedy: "If it is meant for this package, rename it to `workflow.yaml`.",
	};
}

function list(directory: string): Dirent[] | string {
	try {
		return readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
	} catch (error) {
		const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
		return code === "ENOENT" ? "absent" : code;
	}
}

function kindOf(entry: Dirent, path: string): "directory" | "linked" | "nothing" | "other" {
	if (entry.isDirectory()) return "directory";
	if (entry.isFile()) return "other";
	// Some file systems do not include the file type in a listing.
	const stats = attempt(() => statSync(path, { throwIfNoEntry: false }));
	if (!stats) return "nothing";
	if (!stats.isDirectory()) return "other";
	return entry.isSymbolicLink() ? "linked" : "directory";
}

/** Whether a workflow.yaml exists. A broken link counts: it shows that the directory is meant as a workflow. */
function mayExist(file: string): boolean {
	return attempt(() => lstatSync(file, { throwIfNoEntry: false }) !== undefined) ?? true;
}

function leadsUp(real: string | undefined, realRoot: string): boolean {
	return real === undefined || real === realRoot || realRoot.startsWith(real.endsWith(sep) ? real : real + sep);
}

const tooManyNames: Problem = {
	code: "too-many-names",
	message: `The folder has more than ${maxNames} entries, so it is not searched for workflows.`,
	remedy: "Move the workflows or the other entries elsewhere.",
};

const leadsNowhere: Problem = {
	code: "broken-link",
	message: "This link is broken, so a workflow behind it is not found.",
	remedy: "Point it at a folder that exists, or remove it.",
};

function unlistable(code: string): Problem {
	if (code === "ENOTDIR")
		return {
			code: "not-a-directory",
			message: "This is a file; the workflows folder is expected here.",
			remedy: "Replace it with a folder that contains one folder per workflow.",
		};
	return {
		code: "unreadable",
		message: `The folder cannot be listed (${systemWords(code)}), so workflows in it are not found.`,
		remedy: "Change its permissions.",
	};
}
