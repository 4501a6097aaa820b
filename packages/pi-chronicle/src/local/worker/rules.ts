// The guard's rules for a run, read once by the supervisor and frozen: changes by a worker to the files don't affect the run.
// A file that cannot be read as intended prevents every launch; without a file only the built-in protections apply, and the user is
// informed.
import { formatDiagnostics } from "@pi-chronicle/core/definition";
import { blockingProblems, hashRules, locateRules, readRules, serializeRules } from "../../safety/index.ts";
import type { FrozenRules } from "./brief.ts";

export interface UnreadableRules {
	readonly kind: "unreadable";
	readonly detail: string;
	readonly remedy: string;
}

/** Reads and freezes the rules that apply in `cwd`. */
export function freezeRunRules(cwd: string, home: string, agentDir: string): FrozenRules | UnreadableRules {
	const rules = readRules(locateRules({ cwd, home, agentDir }), process.platform);
	const problems = blockingProblems(rules);
	if (problems.length > 0) {
		const shown = formatDiagnostics(problems, cwd).slice(0, 5);
		if (problems.length > shown.length) shown.push(`and ${problems.length - shown.length} more`);
		return {
			kind: "unreadable",
			detail: `The guard's rules cannot be enforced: ${shown.join("; ")}.`,
			remedy: "Fix the rule file; no worker starts until then.",
		};
	}
	return { hash: hashRules(rules), text: serializeRules(rules), files: rules.files.length };
}
