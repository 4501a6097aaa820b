// Finds the workflow directories of one tier: those with a workflow.yaml directly below the root, and one level below a directory
// that has none itself. Everything else is someone else's and is passed over.
// S1 the result does not depend on the order in which a directory lists its names; S2 links are followed, and no link makes the
// search longer: it is two levels deep and skips links to the root and to what is above it.
import { type Dirent, lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import {
	type Diagnostic,
	foreignFormat,
	foreignProblem,
	openReport,
	type Problem,
	parseYaml,
	readSource,
} from "../../definition/index.ts";
import type { Ground } from "./entry-path.ts";
import { look, type Sight } from "./file-memory.ts";

export interface Candidate extends Ground {
	/** Name of its directory. */
	readonly key: string;
	readonly depth: "direct" | "nested";
	/** Its workflow.yaml. */
	readonly file: string;
}

export interface Scan {
	readonly candidates: readonly Candidate[];
	/** What must look the same for this result to hold: directories, before they were listed, and links that lead nowhere. */
	readonly looked: readonly Sight[];
	readonly diagnostics: readonly Diagnostic[];
}

/** More names than this in a directory that is no workflow: it is not searched. */
const mostNames = 2000;

/** Scans the directory that holds the workflows of one tier. `isWorkflow` tells whether a workflow.yaml is there. */
export function scanTier(root: string, isWorkflow: (file: string) => boolean): Scan {
	const report = openReport();
	const looked = [look(root)];
	const candidates: Candidate[] = [];
	const realRoot = realPath(root);
	const listed = realRoot === undefined ? "absent" : list(root);
	if (realRoot === undefined || listed === "absent") return { candidates, looked, diagnostics: [] };
	if (typeof listed === "string") {
		report.error({ file: root }, unlistable(listed));
		return { candidates, looked, diagnostics: report.diagnostics };
	}

	/** A workflow.yaml that is a link to nothing is one all the same: it says what the directory is meant to be. */
	const holdsWorkflow = (file: string, directory: string): boolean => {
		if (isWorkflow(file)) return true;
		if (!isLink(file)) return false;
		looked.push(look(directory));
		return true;
	};

	for (const entry of listed) {
		const directory = join(root, entry.name);
		const kind = kindOf(entry, directory);
		if (kind === "nothing") {
			looked.push(look(directory));
			if (entry.isSymbolicLink()) report.warn({ file: directory }, leadsNowhere);
		}
		if (kind !== "directory" && kind !== "linked") continue;
		const file = join(directory, "workflow.yaml");
		const allowed = kind === "linked" ? [realRoot, realPath(directory) ?? realRoot] : [realRoot];
		if (holdsWorkflow(file, directory)) {
			candidates.push({ key: entry.name, depth: "direct", file, directory, root, allowed });
			continue;
		}
		looked.push(look(directory));
		const inner = kind === "linked" && leadsUp(realPath(directory), realRoot) ? [] : list(directory);
		if (typeof inner === "string") {
			if (inner !== "absent") report.warn({ file: directory }, unlistable(inner));
			continue;
		}
		const misnamed = inner.find(({ name }) => /^workflow\.ya?ml$/i.test(name));
		if (misnamed) {
			const other = join(directory, misnamed.name);
			looked.push(look(other));
			report.warn({ file: other, line: 1, column: 1 }, notRead(other, misnamed.name));
		}
		if (inner.length > mostNames) {
			report.warn(
				{ file: directory },
				{
					code: "too-many-names",
					message: `The directory has more than ${mostNames} entries, so it is not searched for workflows.`,
					remedy: "Move workflows out of it, or what is not a workflow.",
				},
			);
			continue;
		}
		for (const nested of inner) {
			const below = join(directory, nested.name);
			const nestedKind = kindOf(nested, below);
			if (nestedKind !== "directory" && nestedKind !== "linked") {
				if (nestedKind === "nothing") looked.push(look(below));
				continue;
			}
			if (nestedKind === "linked" && leadsUp(realPath(below), realRoot)) continue;
			const nestedFile = join(below, "workflow.yaml");
			if (holdsWorkflow(nestedFile, below)) {
				const own = nestedKind === "linked" ? [realPath(below) ?? realRoot] : [];
				candidates.push({
					key: nested.name,
					depth: "nested",
					file: nestedFile,
					directory: below,
					root,
					allowed: [...allowed, ...own],
				});
			} else looked.push(look(below));
		}
	}
	return { candidates, looked, diagnostics: report.diagnostics };
}

/** Why a file that is called almost like a workflow's is none. */
function notRead(file: string, name: string): Problem {
	const read = readSource(file);
	const root = read.kind === "text" ? parseYaml(read.source).root : undefined;
	const other = root && foreignFormat(root);
	if (other) return foreignProblem(other);
	return {
		code: "misnamed-file",
		message: `This is not read: a workflow's file is called \`workflow.yaml\`, not \`${name}\`.`,
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
	try {
		// Some file systems do not tell the kind in a listing: then it is asked for.
		const stats = statSync(path, { throwIfNoEntry: false });
		if (!stats) return "nothing";
		if (!stats.isDirectory()) return "other";
		return entry.isSymbolicLink() ? "linked" : "directory";
	} catch {
		return "nothing";
	}
}

function isLink(path: string): boolean {
	return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function leadsUp(real: string | undefined, realRoot: string): boolean {
	return real === undefined || real === realRoot || realRoot.startsWith(real.endsWith(sep) ? real : real + sep);
}

function realPath(path: string): string | undefined {
	try {
		return realpathSync.native(path);
	} catch {
		return undefined;
	}
}

const leadsNowhere = {
	code: "broken-link",
	message: "This link leads nowhere, so a workflow that it may stand for is not found.",
	remedy: "Point it at a directory that exists, or remove it.",
};

function unlistable(code: string): { code: string; message: string; remedy: string } {
	if (code === "ENOTDIR")
		return {
			code: "not-a-directory",
			message: "A file stands where the directory with the workflows should be.",
			remedy: "Replace it with a directory that has one directory for each workflow.",
		};
	return {
		code: "unreadable",
		message: `The directory cannot be listed (${code}), so workflows in it are not found.`,
		remedy: "Change its permissions.",
	};
}
