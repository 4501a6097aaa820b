// Judges the effects of commands, regardless of spelling: rules about effects, effects inferred from expressions, unknown text, other agents.
import {
	type CommandRun,
	compileGlob,
	type Effect,
	escapeGlob,
	type FileAccess,
	type Footprint,
} from "@pi-chronicle/footprint";
import { isTemporary } from "../../places.ts";
import { quoteRedacted, type ToolCall, type Verdict } from "../../policy/index.ts";
import type { CompiledRules } from "../match/index.ts";
import { selectsByName } from "../match/index.ts";
import type { EffectRule } from "../rules/index.ts";
import { isEmptied } from "./judge-paths.ts";
import { builtInVerdict, effectVerdict, inferredVerdict } from "./verdicts.ts";

/** Judges the effects of every command. */
export function judgeEffects(footprint: Footprint, compiled: CompiledRules): Verdict[] {
	const byCommand = Map.groupBy(footprint.accesses, ({ by }) => by);
	const sent = judgeSentEnvironment(footprint, compiled);
	const verdicts = footprint.runs.flatMap((run) => {
		const own = byCommand.get(run.text) ?? [];
		return [
			...run.effects.flatMap((effect) => judgeEffect(effect, run, own, compiled)),
			...judgeUnseenText(run, compiled),
			...judgeNestedAgent(run, compiled),
		];
	});
	return [...verdicts, ...sent];
}

/** Emptying a tracked file destroys its content, by whichever command. */
export function judgeEmptied(call: ToolCall, footprint: Footprint, compiled: CompiledRules): Verdict[] {
	const { rules, host, git } = compiled;
	const named = rules.effects.filter(({ effect }) => effect === "destroy-content");
	if (named.length === 0) return [];
	const changed = footprint.accesses.filter(({ kind }) => kind === "write");
	return changed
		.filter((access) => host.kind(access.real) === "file" && git.isTracked(access.real))
		.filter((access) => isEmptied(access, call, footprint))
		.filter(
			({ path, by, replaces }) =>
				!changed.some((other) => other.path === path && (other.by !== by || other.replaces !== replaces)),
		)
		.flatMap((access) =>
			named
				.filter((rule) => !isHarmless(rule, access, compiled.exceptPaths.get(rule) ?? (() => false), compiled))
				.map((rule) => effectVerdict(rule, access.by)),
		);
}

/** Sending the environment is judged like printing a login: its variables hold tokens. */
function judgeSentEnvironment({ runs }: Footprint, compiled: CompiledRules): readonly Verdict[] {
	const prints = runs.some(({ program, args }) => /^(?:print)?env$/.test(program ?? "") && args.length === 0);
	const senders = runs.filter(
		({ program, args, changes }) =>
			networkPrograms.test(program ?? "") && (changes.includes("remote") || args.includes(null)),
	);
	const named = prints ? compiled.rules.effects.filter(({ effect }) => effect === "show-login") : [];
	return senders.flatMap((run) =>
		named.filter((rule) => !isExcepted(rule, run, [], compiled)).map((rule) => effectVerdict(rule, run.text)),
	);
}

const networkPrograms = /^(?:curl|wget|https?|xh|nc|ncat|netcat|socat|telnet|dig|nslookup|host|ping|ssh|ftp|sftp)$/;

/** The verdicts about one effect of a command; `own` are the command's accesses. */
function judgeEffect(
	effect: Effect,
	run: CommandRun,
	own: readonly FileAccess[],
	compiled: CompiledRules,
): readonly Verdict[] {
	if (effect === "git-discard-changes" && namesFilesOnly(own, compiled)) return [];
	const soft = effect === "delete-found" || selectsOnlyByName(effect, own);
	const inferred = compiled.inferred
		.filter(({ means }) => means.effect === effect && (means.narrowedBy?.(run, own) ?? true))
		.map(({ rule, means }) => inferredVerdict(soft ? { ...rule, decision: "ask" } : rule, means, run.text));
	const named = compiled.rules.effects
		.filter((rule) => rule.effect === effect && !isExcepted(rule, run, own, compiled))
		.map((rule) => effectVerdict(rule, run.text));
	return [...inferred, ...named];
}

/** Text that is unknown in advance is refused if commands are judged at all, unless a rule covers it. */
function judgeUnseenText({ effects, text }: CommandRun, { rules }: CompiledRules): readonly Verdict[] {
	const judgesCommands = rules.commands.length + rules.effects.length > 0;
	const isDecided = rules.effects.some(({ effect }) => effect === "run-unknown-text");
	if (!judgesCommands || isDecided || !effects.includes("run-unknown-text")) return [];
	const reason = `${quoteRedacted(text)} runs text that is unknown in advance, so no rule can judge it.`;
	return [
		builtInVerdict("deny", "run-unknown-text", reason, "Write the commands out plainly, so that they can be judged."),
	];
}

function judgeNestedAgent({ effects, text }: CommandRun, { rules }: CompiledRules): readonly Verdict[] {
	if (rules.nestedAgents === "off" || !effects.includes("nested-agent")) return [];
	const reason = `${quoteRedacted(text)} starts another agent, which these rules would not bind.`;
	return [
		builtInVerdict(
			rules.nestedAgents,
			"nested-agent",
			reason,
			"Do the work yourself, or tell the user that you want a second agent.",
		),
	];
}

/** Discarding changes of individually named files is ordinary work; discarding those of folders may lose unreviewed work. */
function namesFilesOnly(accesses: readonly FileAccess[], { host }: CompiledRules): boolean {
	const own = accesses.filter(({ kind }) => kind === "write");
	return own.length > 0 && own.length <= 20 && own.every(({ path }) => host.kind(path) === "file");
}

/** Removing files selected by name is weaker than removing whole folders, which the rule covers. */
function selectsOnlyByName(effect: Effect, accesses: readonly FileAccess[]): boolean {
	if (effect !== "recursive-delete") return false;
	const own = accesses.filter(({ kind }) => kind === "delete");
	return own.length > 0 && own.every(selectsByName);
}

/** Whether all removed or changed files are in temporary folders or in paths that the rule excludes. */
function isExcepted(
	rule: EffectRule,
	run: CommandRun,
	accesses: readonly FileAccess[],
	compiled: CompiledRules,
): boolean {
	if (rule.except.some((written) => isCommand(written) && fitsCommand(written, run))) return true;
	const own = accesses.filter(({ kind }) => kind === "write" || kind === "delete");
	const fits = compiled.exceptPaths.get(rule) ?? (() => false);
	return own.length > 0 && own.every((access) => isHarmless(rule, access, fits, compiled));
}

/** Whether an exception is a command rather than a path: it has more than one word. */
function isCommand(written: string): boolean {
	return /\S\s+\S/.test(written.trim());
}

/** Whether a command whose words are all known matches an exception; `*` matches any part of one word. */
function fitsCommand(written: string, { program, args, text }: CommandRun): boolean {
	if (program === null || args.includes(null)) return false;
	const words = written.trim().split(/\s+/);
	const own = text.split(" ");
	return words.length === own.length && words.every((word, at) => starGlob(word)(own[at] ?? ""));
}

/** A glob in which only `*` is a wildcard. */
function starGlob(word: string): (text: string) => boolean {
	return compileGlob(word.split("*").map(escapeGlob).join("*"));
}

function isHarmless(
	{ effect }: EffectRule,
	access: FileAccess,
	fits: (path: string) => boolean,
	{ host, temporary, git }: CompiledRules,
): boolean {
	const { path, real, only } = access;
	if (removals.has(effect) && isTemporary(access, temporary)) return true;
	// What git ignores and does not track is generated, also where it is not there yet.
	if (effect === "recursive-delete" && only === undefined && git.isRegenerated(real)) return true;
	// `rm -rf` of a single file does not remove a folder.
	if (effect === "recursive-delete" && host.kind(path) === "file") return true;
	if (fits(path) && (real === path || fits(real))) return true;
	// A search that selects by name what it removes: every name must be excluded.
	const picked = only?.filter((glob) => !glob.startsWith("!")) ?? [];
	return picked.length > 0 && picked.every((glob) => fits(`/${glob.replace(/^(?:\.?\/)+/, "")}`));
}

/** Effects that do no harm in a folder for temporary files. */
const removals: ReadonlySet<string> = new Set([
	"recursive-delete",
	"delete-found",
	"force-delete",
	"destroy-content",
	"open-permissions",
	"change-owner",
]);
