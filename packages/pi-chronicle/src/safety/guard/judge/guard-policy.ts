// The guard's policy: judges one call by its accesses, the programs that it runs, and its unknown parts.
// Invariants: every matching rule gives a verdict, none hides another; calls that cannot be examined need approval.
import { type FileAccess, type Footprint, listedCalls, type Unknown, unknownParts } from "@pi-chronicle/footprint";
import { type Policy, quoteRedacted, type ToolCall, type Verdict } from "../../policy/index.ts";
import { type CompiledRules, compileRules, type GuardOptions, matchCommands } from "../match/index.ts";
import { allowedWay } from "./allowed-way.ts";
import { excludeFrom } from "./exclude-protected.ts";
import { ignoresCall, screensResults } from "./ignored-calls.ts";
import { judgeEffects, judgeEmptied } from "./judge-effects.ts";
import { judgePaths, judgeSelfProtection } from "./judge-paths.ts";
import { screenResult } from "./screen-results.ts";
import { builtInVerdict, commandVerdict, pathVerdict, withoutIt } from "./verdicts.ts";

const shells = new Set(["bash", "powershell"]);

/** Builds the guard's policy from a rule set. */
export function guardPolicy(options: GuardOptions): Policy {
	const compiled = compileRules(options);
	/** Calls that run without closed files, by id. */
	const without = new Map<string, Exclusion>();
	return {
		name: "guard",
		amend(call) {
			const exclusion = without.get(call.id);
			return exclusion && { command: exclusion.command };
		},
		ignores: (call) => ignoresCall(call, options.rules),
		judge: (call, footprint) =>
			compiled.git.reading(() => {
				const measured = footprint();
				const verdicts = strongestPerRule([...judgeCall(call, measured, compiled), ...judgeListed(call, compiled)]);
				const exclusion = withoutClosed(call, measured, verdicts, compiled);
				without.delete(call.id);
				if (!exclusion) return withAllowedWay(call, measured, verdicts, compiled);
				if (without.size > MAX_REWRITTEN) without.clear();
				without.set(call.id, exclusion);
				return [exclusion.verdict];
			}),
		...(screensResults(options.rules) && {
			screen(call, footprint, texts) {
				const exclusion = without.get(call.id);
				without.delete(call.id);
				if (!exclusion) return compiled.git.reading(() => screenResult(call, footprint(), texts, compiled));
				const [first = "", ...rest] = texts;
				return { texts: [`${first.trimEnd()}\n${exclusion.note}`.trim(), ...rest], verdict: exclusion.verdict };
			},
		}),
	};
}

/** The verdicts, with an allowed way as the advice of the rules that know none. */
function withAllowedWay(
	call: ToolCall,
	{ runs }: Footprint,
	verdicts: readonly Verdict[],
	compiled: CompiledRules,
): readonly Verdict[] {
	const { command } = call.input;
	const isAdvised = verdicts.some(({ decision, advice }) => decision !== "allow" && advice === withoutIt);
	if (!isAdvised || call.tool !== "bash" || typeof command !== "string" || command.length > MAX_ADVISED)
		return verdicts;
	const passes = (text: string) => {
		const other: ToolCall = { ...call, input: { command: text } };
		return judgeCall(other, compiled.measure(other), compiled).every(({ decision }) => decision === "allow");
	};
	const way = allowedWay(runs, passes);
	if (!way) return verdicts;
	const advice = `Allowed instead of ${quoteRedacted(way.of)}: ${quoteRedacted(way.instead)}. Or ask the user to do it.`;
	return verdicts.map((verdict) => (verdict.advice === withoutIt ? { ...verdict, advice } : verdict));
}

const MAX_ADVISED = 2000;

interface Exclusion {
	/** The command that runs instead. */
	readonly command: string;
	/** Added to the result. */
	readonly note: string;
	readonly verdict: Verdict;
}

const MAX_REWRITTEN = 200;
const MAX_EXCLUDED = 12;

/** The same search without the closed files that it would read; `undefined` if leaving them out does not make it pass. */
function withoutClosed(
	call: ToolCall,
	footprint: Footprint,
	verdicts: readonly Verdict[],
	compiled: CompiledRules,
): Exclusion | undefined {
	if (call.tool !== "bash" || typeof call.input.command !== "string") return undefined;
	if (verdicts.length === 0 || asksForClosed(footprint, compiled)) return undefined;
	let command = call.input.command;
	const excluded: string[] = [];
	for (let left = verdicts; left.length < 40; ) {
		const stops = left.filter(({ decision }) => decision !== "allow");
		if (stops.length === 0) break;
		const [rule] = stops.flatMap((stop) => closedBy(stop, compiled));
		if (!rule || excluded.includes(rule) || excluded.length >= MAX_EXCLUDED) return undefined;
		const next = excludeFrom(command, rule);
		if (next === undefined) return undefined;
		command = next;
		excluded.push(rule);
		const later: ToolCall = { ...call, input: { ...call.input, command } };
		left = judgeCall(later, compiled.measure(later), compiled);
	}
	if (excluded.length === 0) return undefined;
	const note = `[Ran as \`${command}\`: ${excluded.join(", ")} ${excluded.length > 1 ? "are" : "is"} closed to every tool.]`;
	const reason = `Searches without ${excluded.join(", ")}, closed to every tool.`;
	return { command, note, verdict: builtInVerdict("allow", "without-closed", reason, "") };
}

/** Whether a command names a closed file, or selects what it reads by name: then leaving it out is not what was asked for. */
function asksForClosed({ accesses }: Footprint, { paths }: CompiledRules): boolean {
	const isClosed = (path: string) => paths.rulesFor(path, "read").some(({ limit }) => limit === "zero");
	return accesses.some(({ kind, path, recursive, only = [] }) => {
		if (isClosed(path)) return true;
		const picked = recursive && kind === "read" ? only.filter((glob) => !glob.startsWith("!")) : [];
		return picked.some((glob) => paths.rulesFor(`/x/${glob.replace(/\*+$/, "")}`, "read").length > 0);
	});
}

/** What a verdict protects from being read, as a name or an absolute path, if it is a closed path. */
function closedBy({ rule, origin }: Verdict, { rules, host }: CompiledRules): readonly string[] {
	return rules.paths
		.filter(
			({ name, limit, syntax, origin: own }) =>
				limit === "zero" && syntax === "glob" && name === rule && own.line === origin?.line,
		)
		.map(({ pattern }) => pattern.replace(/^~(?=\/)/, host.home))
		.filter((pattern) => !pattern.slice(0, -1).includes("/") || pattern.startsWith("/"));
}

function judgeCall(call: ToolCall, footprint: Footprint, compiled: CompiledRules): Verdict[] {
	const { rules } = compiled;
	const verdicts: Verdict[] = [];
	const command = shells.has(call.tool) && typeof call.input.command === "string" ? call.input.command : undefined;
	if (rules.commands.length > 0) {
		const matches = matchCommands(compiled.patterns, command, footprint, compiled.trials);
		verdicts.push(...matches.map(commandVerdict));
	}
	verdicts.push(...judgeEffects(footprint, compiled), ...judgeEmptied(call, footprint, compiled));
	verdicts.push(...judgePaths(call, footprint, compiled));
	verdicts.push(...judgeUnknowns(call, footprint, compiled));
	verdicts.push(...judgeSelfProtection(footprint, compiled));
	if (rules.scanWrites) verdicts.push(...scanScript(call, compiled));
	if (rules.closed && changesOrRuns(footprint)) {
		verdicts.push(
			builtInVerdict(
				"ask",
				"rules-unreadable",
				"A rule file could not be read correctly, so every call that writes or runs something needs approval.",
				"Tell the user that the rule file has problems: `/guard` shows them.",
			),
		);
	}
	return strongestPerRule(verdicts);
}

/** Judges the commands of a newly written script as if it ran. */
function scanScript(call: ToolCall, compiled: CompiledRules): Verdict[] {
	const text = scriptText(call);
	if (text === undefined) return [];
	const later: ToolCall = { id: call.id, tool: "bash", input: { command: text }, siblings: [] };
	const rules = { ...compiled.rules, scanWrites: false, strict: false };
	const verdicts = judgeCall(later, compiled.measure(later), { ...compiled, rules });
	return verdicts
		.filter(({ decision }) => decision !== "allow")
		.slice(0, 3)
		.map((verdict) => ({ ...verdict, decision: "ask", reason: `In the script that this writes: ${verdict.reason}` }));
}

/**
 * Judges calls in the arguments of another package's tool. The tool may make them itself or pass them to pi, where each is judged, so a call
 * that a rule forbids needs approval.
 */
function judgeListed(call: ToolCall, compiled: CompiledRules): Verdict[] {
	if (call.tool === "write" || call.tool === "edit" || shells.has(call.tool)) return [];
	const { calls, complete } = listedCalls(call.input);
	const rules = { ...compiled.rules, strict: false };
	const verdicts = calls.flatMap(({ tool, input }) => {
		const listed: ToolCall = { id: call.id, tool, input, siblings: [] };
		return judgeCall(listed, compiled.measure(listed), { ...compiled, rules });
	});
	const stopped = verdicts
		.filter(({ decision }) => decision !== "allow")
		.slice(0, 3)
		.map(
			(verdict): Verdict => ({
				...verdict,
				decision: "ask",
				reason: `A call in its arguments: ${verdict.reason}`,
			}),
		);
	if (complete || calls.length === 0) return stopped;
	return [
		...stopped,
		builtInVerdict(
			"ask",
			"listed-calls",
			"Its arguments contain more calls than can be judged.",
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

/** Keeps one verdict per rule: the strongest, and of equal ones the first. */
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

/** Judges every unknown of a footprint. */
function judgeUnknowns({ own }: ToolCall, { unknowns }: Footprint, compiled: CompiledRules): Verdict[] {
	const { rules } = compiled;
	const verdicts: Verdict[] = [];
	const ruled = rules.commands.length + rules.effects.length > 0;
	for (const unknown of unknowns) {
		const tail = unknown.tail === undefined ? undefined : judgeTail(unknown, unknown.tail, compiled);
		if (tail) verdicts.push(tail);
		// Neither the program nor its text is known, or the command cannot be parsed: no rule could apply.
		const wholly = unknown.what === "command" || (unknown.what === "script" && unknown.text === "…");
		const blind = unknown.what === "syntax" || (wholly && ruled);
		const doubtful = rules.strict && unknown.what !== "project" && !(own && unknown.what === "tool");
		if (!blind && !doubtful) continue;
		verdicts.push(
			builtInVerdict(
				"ask",
				`unknown-${unknown.what}`,
				`${quoteRedacted(unknown.text)}: ${unknownParts[unknown.what]}.`,
				"Write it out plainly so that it can be judged.",
			),
		);
	}
	return verdicts;
}

/** Judges a path with an unknown beginning whose end is a closed name. */
function judgeTail(unknown: Unknown, tail: string, { paths, host }: CompiledRules): Verdict | undefined {
	const reads = unknown.may.every((access) => access === "read" || access === "list");
	const place = `${unknown.under ?? host.home}/${tail}`;
	const [rule] = [place, `${host.home}/${tail}`]
		.flatMap((path) => paths.rulesFor(path, reads ? "read" : "change"))
		.filter(({ limit }) => limit === "zero");
	if (!rule) return undefined;
	const access: FileAccess = {
		kind: unknown.may[0] ?? "read",
		path: tail,
		real: tail,
		recursive: false,
		by: unknown.text,
	};
	return pathVerdict(rule, access, host);
}
