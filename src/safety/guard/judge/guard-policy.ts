// The guard as a policy: what the rules say about one call, by what it would touch, run and leave unknown.
// J1 every rule that applies has its verdict: none hides another; J2 what cannot be looked through is asked about, not let through.
import { type Footprint, listedCalls } from "../../../footprint/index.ts";
import type { Policy, ToolCall, Verdict } from "../../policy/index.ts";
import { type CompiledRules, compileRules, type GuardOptions, matchCommands } from "../match/index.ts";
import { judgeEffects } from "./judge-effects.ts";
import { judgeOwn, judgePaths } from "./judge-paths.ts";
import { judgeUnknowns } from "./judge-unknowns.ts";
import { screenResult } from "./screen-results.ts";
import { builtInVerdict, commandVerdict } from "./verdicts.ts";

const shells = new Set(["bash", "powershell"]);

/** Builds the guard's policy from a rule set. */
export function guardPolicy(options: GuardOptions): Policy {
	const ready = compileRules(options);
	return {
		name: "guard",
		judge: (call, footprint) => strongestPerRule([...judgeCall(call, footprint(), ready), ...judgeListed(call, ready)]),
		...(options.rules.paths.some(({ limit }) => limit === "zero") && {
			screen: (call, footprint, texts) => screenResult(call, footprint(), texts, ready),
		}),
	};
}

function judgeCall(call: ToolCall, footprint: Footprint, ready: CompiledRules): Verdict[] {
	const { rules } = ready;
	const verdicts: Verdict[] = [];
	const command = shells.has(call.tool) && typeof call.input.command === "string" ? call.input.command : undefined;
	if (rules.commands.length > 0) {
		const matches = matchCommands(ready.table, command, footprint, ready.slow);
		verdicts.push(...matches.map(commandVerdict));
	}
	verdicts.push(...judgeEffects(footprint, ready));
	verdicts.push(...judgePaths(call, footprint, ready));
	verdicts.push(...judgeUnknowns(call, footprint, ready));
	verdicts.push(...judgeOwn(footprint, ready));
	if (rules.scanWrites) verdicts.push(...scanScript(call, ready));
	if (rules.closed && changesOrRuns(footprint)) {
		verdicts.push(
			builtInVerdict(
				"ask",
				"rules-unreadable",
				"A rule file could not be read as it is meant, so whatever writes or runs something has to be asked for.",
				"Tell the person that the rule file has problems: `/guard` shows them.",
			),
		);
	}
	return strongestPerRule(verdicts);
}

/** A script that is written now and run later: its commands are judged as they would be judged then. */
function scanScript(call: ToolCall, ready: CompiledRules): Verdict[] {
	const text = scriptText(call);
	if (text === undefined) return [];
	const later: ToolCall = { id: call.id, tool: "bash", input: { command: text }, siblings: [] };
	const rules = { ...ready.rules, scanWrites: false, strict: false };
	const verdicts = judgeCall(later, ready.measure(later), { ...ready, rules });
	return verdicts
		.filter(({ decision }) => decision !== "allow")
		.slice(0, 3)
		.map((verdict) => ({ ...verdict, decision: "ask", reason: `The script that this writes: ${verdict.reason}` }));
}

/**
 * Calls that another package's tool is given as a list by position. It may make them itself, or hand them to pi, where each is judged: what
 * a rule forbids of them is asked about.
 */
function judgeListed(call: ToolCall, ready: CompiledRules): Verdict[] {
	if (call.tool === "write" || call.tool === "edit" || shells.has(call.tool)) return [];
	const { calls, complete } = listedCalls(call.input);
	const rules = { ...ready.rules, strict: false };
	const verdicts = calls.flatMap(({ tool, input }) => {
		const listed: ToolCall = { id: call.id, tool, input, siblings: [] };
		return judgeCall(listed, ready.measure(listed), { ...ready, rules });
	});
	const stopped = verdicts
		.filter(({ decision }) => decision !== "allow")
		.slice(0, 3)
		.map(
			(verdict): Verdict => ({
				...verdict,
				decision: "ask",
				reason: `A call that its arguments list: ${verdict.reason}`,
			}),
		);
	if (complete || calls.length === 0) return stopped;
	return [
		...stopped,
		builtInVerdict(
			"ask",
			"listed-calls",
			"Its arguments list more calls than can be judged.",
			"Make fewer calls at once.",
		),
	];
}

function scriptText({ tool, input }: ToolCall): string | undefined {
	const path = typeof input.path === "string" ? input.path : "";
	const bodies = tool === "write" ? [input.content] : tool === "edit" ? editTexts(input) : [];
	const text = bodies.filter((body) => typeof body === "string").join("\n");
	const isScript = /\.(?:sh|bash|zsh|ksh|command)$/i.test(path) || /^#!.*\b(?:ba|z|k|da)?sh\b/.test(text);
	return isScript && text !== "" ? text : undefined;
}

function editTexts({ edits, newText }: ToolCall["input"]): unknown[] {
	if (!Array.isArray(edits)) return [newText];
	return edits.map((edit: unknown) => (edit as { newText?: unknown } | null)?.newText);
}

function changesOrRuns({ accesses, runs, unknowns }: Footprint): boolean {
	return runs.length > 0 || unknowns.length > 0 || accesses.some(({ kind }) => kind !== "read" && kind !== "list");
}

/** One verdict a rule: the strongest, and of equal ones the first. */
function strongestPerRule(verdicts: readonly Verdict[]): Verdict[] {
	const weight = { deny: 2, ask: 1, allow: 0 };
	const kept = new Map<string, Verdict>();
	for (const verdict of verdicts) {
		const key = `${verdict.rule}\0${verdict.origin?.file}\0${verdict.origin?.line}`;
		const other = kept.get(key);
		if (!other || weight[verdict.decision] > weight[other.decision]) kept.set(key, verdict);
	}
	return [...kept.values()];
}
