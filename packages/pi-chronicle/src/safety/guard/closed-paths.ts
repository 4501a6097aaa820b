// The existing paths that rules close to every tool, for a sandbox that hides them.
import { join } from "node:path";
import { folderEntries } from "../../disk/index.ts";
import { hostEnvironment } from "../../pi/index.ts";
import { measure } from "../measure.ts";
import { compileRules } from "./match/index.ts";
import type { GuardLocation } from "./open.ts";
import type { PathRule, RuleSet } from "./rules/index.ts";

/** Names that one search examines. */
const MAX_NAMES = 20_000;
/** Milliseconds for which a search counts. */
const freshMs = 60_000;

const passedOver: ReadonlySet<string> = new Set([".git", "node_modules"]);

/** Finds the closed paths that exist below a folder (absolute) or are named by themselves; it searches again after a minute. */
export function closedPaths(rules: RuleSet, place: GuardLocation): (root: string) => readonly string[] {
	const isClosing = ({ limit, decision, dryRun }: PathRule) => limit === "zero" && decision === "deny" && !dryRun;
	if (!rules.paths.some(isClosing)) return () => [];
	const host = hostEnvironment(place.cwd);
	const { agentDir, copy, cwd } = place;
	const { paths } = compileRules({ rules, host, agentDir, copy, measure: (call) => measure(call, cwd) });
	const isClosed = (path: string) => paths.rulesFor(path, "read").some(isClosing);
	let found: readonly string[] = [];
	let until = 0;
	return (root) => {
		if (Date.now() < until) return found;
		until = Date.now() + freshMs;
		const named = paths.placesBelow("/", isClosing).filter((path) => host.kind(path) !== undefined && isClosed(path));
		found = [...named, ...(paths.matchesNames(isClosing) ? searchClosed(root, isClosed) : [])];
		return found;
	};
}

function searchClosed(root: string, isClosed: (path: string) => boolean): string[] {
	const found: string[] = [];
	const open = [root];
	let left = MAX_NAMES;
	for (let folder = open.shift(); folder !== undefined && left > 0; folder = open.shift())
		for (const entry of folderEntries(folder)) {
			left--;
			const path = join(folder, entry.name);
			if (isClosed(path)) found.push(path);
			else if (entry.isDirectory() && !passedOver.has(entry.name)) open.push(path);
		}
	return found;
}
