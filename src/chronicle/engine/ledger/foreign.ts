// Reads ledgers of another implementation (AE), in the format of its published files. They are listed and shown, never written.
import type { ForeignStory, RunSummary } from "../../core/index.ts";

export interface ForeignLedger {
	readonly id: string;
	readonly summary: RunSummary;
	readonly story: ForeignStory;
}

/** Reads an AE ledger: an object with `workflowName`, `workflowDef` and `currentState`; times are milliseconds. */
export function readForeign(data: unknown): ForeignLedger | undefined {
	if (typeof data !== "object" || data === null) return undefined;
	const ledger = data as Record<string, unknown>;
	const { id, workflowName, currentState, history, totalTokens, status, lastUpdated } = ledger;
	if (typeof id !== "string" || typeof workflowName !== "string" || typeof currentState !== "string") return undefined;
	if (typeof ledger.workflowDef !== "object" || ledger.workflowDef === null) return undefined;
	return {
		id,
		summary: {
			template: workflowName,
			task: taskOf(ledger, history),
			status: typeof status === "string" ? status : "unknown",
			state: currentState,
			updatedAt: typeof lastUpdated === "number" && Number.isFinite(lastUpdated) ? isoOf(lastUpdated) : "",
			costUsd: 0,
			tokens: typeof totalTokens === "number" ? totalTokens : 0,
		},
		story: storyOf(ledger),
	};
}

function storyOf({ history, snapshot }: Record<string, unknown>): ForeignStory {
	const rows = Array.isArray(history) ? history.filter((row) => typeof row === "object" && row !== null) : [];
	const kept = (typeof snapshot === "object" && snapshot !== null ? snapshot : {}) as Record<string, unknown>;
	return {
		history: rows.map(({ state, agentName, completedAt, tokensUsed, summary }: Record<string, unknown>) => ({
			state: textOf(state),
			who: textOf(agentName),
			at: typeof completedAt === "number" ? isoOf(completedAt) : "",
			tokens: typeof tokensUsed === "number" ? tokensUsed : 0,
			summary: textOf(summary),
		})),
		findings: textsOf(kept.keyFindings),
		pendingTasks: textsOf(kept.pendingTasks),
		files: textsOf(kept.modifiedFiles),
	};
}

function textOf(value: unknown): string {
	return typeof value === "string" ? value : "";
}

function textsOf(value: unknown): string[] {
	return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

function isoOf(ms: number): string {
	const date = new Date(ms);
	return Number.isNaN(date.getTime()) ? "" : date.toISOString();
}

/** Its `initialTask` is usually empty; the first entry of the history with a task has it. */
function taskOf({ initialTask }: Record<string, unknown>, history: unknown): string {
	if (typeof initialTask === "string" && initialTask.trim() !== "") return initialTask;
	const entries: readonly unknown[] = Array.isArray(history) ? history : [];
	for (const entry of entries) {
		const given =
			typeof entry === "object" && entry !== null ? (entry as Record<string, unknown>).taskGiven : undefined;
		if (typeof given === "string" && given.trim() !== "") return given.trim();
	}
	return "";
}
