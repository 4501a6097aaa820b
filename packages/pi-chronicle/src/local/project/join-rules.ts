// Judges what a join would write by the guard's rules: a join never writes what a rule forbids.
import { join } from "node:path";
import type { ForbiddenChanges, WorkingCopy } from "@pi-chronicle/core/ports";
import type { FileChange, FileLeft } from "@pi-chronicle/core/snapshot";
import { deepestRealPath } from "../../disk/index.ts";
import { openScope } from "../../pi/index.ts";
import { enforceRules, openPolicies } from "../../safety/index.ts";
import type { FrozenRules, UnreadableRules } from "../worker/index.ts";

interface JoinPlace {
	readonly cwd: string;
	/** pi's agent folder. */
	readonly agentDir: string;
	readonly copy: WorkingCopy | undefined;
}

/** Judges the changes of joins by the rules; `cwd` of `place`: the folder that they are written to. */
export function openJoinRules(rules: FrozenRules | UnreadableRules, place: JoinPlace): ForbiddenChanges {
	return async (changes) => {
		if (!("kind" in rules)) return { ok: true, value: await forbiddenChanges(changes, rules, place) };
		return { ok: false, failure: { reason: "rules", message: rules.detail, remedy: rules.remedy } };
	};
}

/** Those of the changes that a rule forbids, with the rule. */
async function forbiddenChanges(
	changes: readonly FileChange[],
	rules: FrozenRules,
	place: JoinPlace,
): Promise<readonly FileLeft[]> {
	const cwd = deepestRealPath(place.cwd);
	const scope = openScope();
	const policies = openPolicies();
	const forbidden: FileLeft[] = [];
	try {
		enforceRules(rules, place, policies, scope);
		// A program of its own: generated files are its to write.
		const run = { program: "join", args: [], text: "join", effects: [], changes: [] };
		const call = { id: "join", tool: "bash", input: { command: "true" }, siblings: [] };
		for (const { path, change, from } of changes) {
			const access = (name: string, kind: "write" | "delete") => {
				const absolute = join(cwd, name);
				return { kind, path: absolute, real: absolute, recursive: false, by: "join" } as const;
			};
			const accesses = [
				access(path, change === "D" ? "delete" : "write"),
				...(from === undefined ? [] : [access(from, "delete")]),
			];
			const { verdicts } = await policies.judge(call, () => ({ tool: "bash", accesses, runs: [run], unknowns: [] }));
			const denied = verdicts.find(({ decision }) => decision === "deny");
			if (denied) forbidden.push({ path, why: `a rule of the guard forbids it: ${denied.rule}` });
		}
	} finally {
		await scope.close();
	}
	return forbidden;
}
