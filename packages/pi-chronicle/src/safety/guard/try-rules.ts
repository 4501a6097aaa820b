// `/guard try`: what a rule, or the rules in force, would have stopped among the calls of the project's earlier sessions.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { counted, formatDiagnostics } from "@pi-chronicle/core/definition";
import { effects } from "@pi-chronicle/footprint";
import { measure } from "../measure.ts";
import { redactInput, type Verdict } from "../policy/index.ts";
import type { PastCall, PastSession } from "./history.ts";
import { type GuardLocation, policyOf } from "./open.ts";
import { ownKeys, type RuleSet, readRules } from "./rules/index.ts";

/** Different calls that are judged. */
const MAX_CALLS = 3000;
const MAX_LINES = 20;

/** Reads what follows `/guard try`: an effect (`publish`, `publish: ask`), a line of a rule file (`readOnlyPaths: [x]`), or an expression. */
export function readTriedRule(
	written: string,
	base: string,
): { readonly rules: RuleSet } | { readonly problems: readonly string[] } {
	const folder = mkdtempSync(join(tmpdir(), "pi-chronicle-try-"));
	try {
		const file = join(folder, "rule.yaml");
		writeFileSync(file, ruleText(written.trim()));
		const rules = readRules([{ file, tier: "project", base }], process.platform);
		const problems = rules.diagnostics.filter(({ severity }) => severity === "error");
		return problems.length > 0 ? { problems: formatDiagnostics(problems, folder) } : { rules };
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

function ruleText(written: string): string {
	const [, effect = "", decision = "deny"] = /^([a-z-]+)(?:\s*:\s*(deny|ask))?$/.exec(written) ?? [];
	if (Object.hasOwn(effects, effect)) return `effects: { ${effect}: ${decision} }\n`;
	const [, key = ""] = /^(\w+)\s*:/.exec(written) ?? [];
	if (Object.hasOwn(ownKeys, key)) return `${written}\n`;
	return `bashToolPatterns:\n  - { pattern: ${JSON.stringify(written)}, reason: it is tried }\n`;
}

interface Stopped {
	readonly line: string;
	readonly decision: Verdict["decision"];
	readonly times: number;
	/** ISO time of the newest. */
	readonly at: string;
}

/** Judges the calls of the sessions by the rules, with the files as they are now, and tells what they would have stopped. */
export async function tryRules(
	rules: RuleSet,
	sessions: AsyncIterable<PastSession>,
	place: GuardLocation,
): Promise<string> {
	const past: PastCall[] = [];
	let of = 0;
	for await (const { calls } of sessions) {
		if (calls.length > 0) of++;
		past.push(...calls);
	}
	if (past.length === 0) return "No session of this project has a tool call yet.";
	const same = [...Map.groupBy(past, ({ tool, input }) => `${tool} ${JSON.stringify(input)}`).values()];
	const policy = policyOf(rules, place);
	const stopped: Stopped[] = [];
	for (const [index, group] of same.slice(0, MAX_CALLS).entries()) {
		stopped.push(...(await judged(group, policy, place)));
		// Others get their turn: thousands of calls take seconds.
		if (index % 20 === 0) await setImmediate();
	}
	const left = same.slice(MAX_CALLS).reduce((sum, group) => sum + group.length, 0);
	const since = past.map(({ at }) => at).sort()[0] ?? "";
	return resultText(stopped, { calls: past.length - left, of, left, since });
}

/** What the rules say about equal calls, the newest first. */
async function judged(
	[first, ...more]: readonly PastCall[],
	policy: ReturnType<typeof policyOf>,
	{ cwd }: GuardLocation,
): Promise<Stopped[]> {
	if (!first) return [];
	const { tool, input, at } = first;
	const made = { id: "try", tool, input, siblings: [] };
	const said = (await policy.judge(made, () => measure(made, cwd))) ?? [];
	// Built-in protections, which have no place in a file, are no part of the rule.
	const own = ("decision" in said ? [said] : said).filter(
		({ decision, origin }) => decision !== "allow" && origin !== undefined,
	);
	const decision = own.some((verdict) => verdict.decision === "deny") ? "deny" : own[0]?.decision;
	return decision ? [{ line: `${tool} ${redactInput(input, 160)}`, decision, times: 1 + more.length, at }] : [];
}

function resultText(
	stopped: readonly Stopped[],
	{
		calls,
		of,
		left,
		since,
	}: { readonly calls: number; readonly of: number; readonly left: number; readonly since: string },
): string {
	const times = (decision: Stopped["decision"]) =>
		stopped.filter((each) => each.decision === decision).reduce((sum, each) => sum + each.times, 0);
	const rows = stopped.toSorted((one, other) => other.times - one.times || (one.at < other.at ? 1 : -1));
	return [
		`Of ${counted(calls, "call")} in ${counted(of, "session")} since ${since.slice(0, 10)}, ${times("deny")} would be refused and ${times("ask")} asked about, with the files as they are now.`,
		...rows
			.slice(0, MAX_LINES)
			.map(({ line, times: n, decision, at }) => `  ${n}× ${decision} · ${line} · last ${at.slice(0, 10)}`),
		...(rows.length > MAX_LINES ? [`  … and ${rows.length - MAX_LINES} other commands`] : []),
		...(left > 0 ? [`${counted(left, "older call")} were not judged.`] : []),
	].join("\n");
}
