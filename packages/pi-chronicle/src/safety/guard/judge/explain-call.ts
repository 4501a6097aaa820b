// Explains the verdict about one call as text: the rules that apply, and what the call would access and run.

import { singleLine } from "@pi-chronicle/core/definition";
import { type AccessKind, changes, effects, type Footprint } from "@pi-chronicle/footprint";
import { originText, type Policies, type ToolCall } from "../../policy/index.ts";

const maxItems = 30;

/** Asks every policy about a call that is not made, and explains the verdict. Nothing is recorded. */
export async function explainCall(call: ToolCall, footprint: Footprint, policies: Policies): Promise<string> {
	const { decision, verdicts, notes } = await policies.judge(call, () => footprint);
	const lines = [`Verdict: ${decision}`];
	if (verdicts.length === 0) lines.push(policies.size === 0 ? "No rules are in force." : "No rule applies.");
	for (const { decision: said, reason, policy, rule, origin } of verdicts) {
		lines.push(`  ${said}: ${reason}`, `    ${policy} · ${rule}${origin ? ` · ${originText(origin)}` : ""}`);
	}
	for (const { reason, origin } of notes) lines.push(`  note: ${reason}${origin ? ` (${originText(origin)})` : ""}`);
	lines.push(...footprintLines(footprint));
	return lines.map(singleLine).join("\n");
}

const verbs: Record<AccessKind, string> = {
	read: "reads",
	list: "looks at",
	write: "writes",
	delete: "removes",
	link: "links to",
};

function footprintLines({ accesses, runs, unknowns }: Footprint): string[] {
	const lines: string[] = [];
	addList(lines, "Runs", runs, (run) => {
		const what = [
			...run.effects.map((name) => `${name}: ${effects[name]}`),
			...run.changes.map((name) => `changes ${changes[name]}`),
		];
		return `${run.text}${run.elsewhere ? " (elsewhere)" : ""}${what.length > 0 ? ` — ${what.join("; ")}` : ""}`;
	});
	addList(lines, "Accesses", accesses, ({ kind, path, real, recursive }) => {
		const place = real === path ? path : `${path} → ${real}`;
		return `${verbs[kind]} ${place}${recursive ? " and everything below" : ""}`;
	});
	addList(lines, "Unknown", unknowns, ({ what, text }) => `${what}: ${text}`);
	if (lines.length === 0) lines.push("It accesses and runs nothing.");
	return lines;
}

function addList<Item>(lines: string[], title: string, items: readonly Item[], text: (item: Item) => string): void {
	if (items.length === 0) return;
	lines.push(`${title}:`, ...items.slice(0, maxItems).map((item) => `  ${text(item)}`));
	if (items.length > maxItems) lines.push(`  … and ${items.length - maxItems} more`);
}
