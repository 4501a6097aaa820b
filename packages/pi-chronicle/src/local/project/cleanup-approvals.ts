// The cleanup commands that the user has approved, verbatim. Stored in pi's agent folder, where no project and no ledger can write: a run's own
// record of an approval only records the request.
// An approval covers exactly one set of commands: the hash includes every command with its state and settings; an unreadable file approves
// nothing.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { object, oneOf } from "@pi-chronicle/core/definition";
import { jsonObject, replaceFile } from "../../disk/index.ts";

/**
 * `approved`: the user approved these commands. `own`: they are from a template in the user's folder, and the guard's rules judge them. `never`:
 * this host runs none, approved or not.
 */
export type CleanupStatus = "approved" | "own" | "unknown" | "never";

export const neverRuns =
	"this host runs no commands of templates: `cleanup` of the project is `never` in its configuration";

export interface CleanupApprovals {
	statusOf(hash: string): CleanupStatus;
	/** Stores an answer. Throws disk errors. */
	remember(
		hash: string,
		standing: Exclude<CleanupStatus, "unknown" | "never">,
		commands: readonly string[],
	): Promise<void>;
}

interface Approval {
	readonly standing: "approved" | "own";
	/** ISO 8601. */
	readonly at: string;
	/** For users who read the file; never read by the program. */
	readonly commands: readonly string[];
}

const isApproval = object<Pick<Approval, "standing">>({ standing: oneOf("approved", "own") });

const maxApprovals = 300;

/** Opens the approvals in an agent folder (absolute). Reads the file for every query. */
export function openCleanupApprovals(agentFolder: string, now: () => number): CleanupApprovals {
	const folder = join(agentFolder, "chronicle");
	const file = join(folder, "approved-cleanup.json");
	return {
		statusOf(hash) {
			return readApprovals(file).get(hash)?.standing ?? "unknown";
		},
		async remember(hash, standing, commands) {
			const known = readApprovals(file);
			const before = known.get(hash)?.standing;
			if (before === standing || before === "approved") return;
			known.delete(hash);
			known.set(hash, { standing, at: new Date(now()).toISOString(), commands });
			mkdirSync(folder, { recursive: true, mode: 0o700 });
			const kept = Object.fromEntries([...known].slice(-maxApprovals));
			await replaceFile(file, `${JSON.stringify(kept, null, "\t")}\n`);
		},
	};
}

function readApprovals(file: string): Map<string, Approval> {
	const entries = Object.entries(jsonObject(file) ?? {});
	return new Map(
		entries.filter((entry): entry is [string, Approval] => /^[0-9a-f]{64}$/.test(entry[0]) && isApproval(entry[1])),
	);
}
