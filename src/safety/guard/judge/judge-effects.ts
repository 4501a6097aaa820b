// What the rules say about what commands do, whatever their spelling: named harms, unknown programs, other agents.
import {
	type CommandRun,
	compileGlob,
	type Effect,
	escapeGlob,
	type FileAccess,
	type Footprint,
} from "../../../footprint/index.ts";
import type { Verdict } from "../../policy/index.ts";
import { isTemporary } from "../../temporary-places.ts";
import type { CompiledRules } from "../match/index.ts";
import { selectsByName } from "../match/index.ts";
import type { EffectRule } from "../rules/index.ts";
import { builtInVerdict, effectVerdict, inferredVerdict, shown } from "./verdicts.ts";

/** What the rules say about the harms of every command. */
export function judgeEffects(footprint: Footprint, ready: CompiledRules): Verdict[] {
	const { rules, meanings } = ready;
	const verdicts: Verdict[] = [];
	const decided = new Set(rules.effects.map(({ effect }) => effect));
	const ruled = rules.commands.length + rules.effects.length > 0;
	const byCommand = touchesByCommand(footprint);
	for (const run of footprint.runs) {
		const own = byCommand.get(run.text) ?? [];
		for (const effect of run.effects) {
			if (effect === "git-discard-changes" && namesFilesOnly(own, ready)) continue;
			for (const { rule, meaning } of meanings) {
				if (meaning.effect === effect && (meaning.also?.(run, own) ?? true)) {
					verdicts.push(
						inferredVerdict(picksOnlyByName(effect, own) ? { ...rule, decision: "ask" } : rule, meaning, run.text),
					);
				}
			}
			for (const rule of rules.effects) {
				if (rule.effect === effect && !isExcepted(rule, run, own, ready)) {
					verdicts.push(effectVerdict(softened(rule, own, ready), run.text));
				}
			}
		}
		if (ruled && run.effects.includes("run-unknown-text") && !decided.has("run-unknown-text")) {
			verdicts.push(
				builtInVerdict(
					"deny",
					"run-unknown-text",
					`${shown(run.text)} runs text that cannot be known beforehand, so no rule can judge it.`,
					"Write the commands out plainly, so that they can be judged.",
				),
			);
		}
		if (rules.nestedAgents !== "off" && run.effects.includes("nested-agent")) {
			verdicts.push(
				builtInVerdict(
					rules.nestedAgents,
					"nested-agent",
					`${shown(run.text)} starts another agent, which these rules would not bind.`,
					"Do the work yourself, or say that a second agent is wanted.",
				),
			);
		}
	}
	return verdicts;
}

/** What every command touches, by its text. */
function touchesByCommand({ accesses }: Footprint): ReadonlyMap<string, readonly FileAccess[]> {
	const found = new Map<string, FileAccess[]>();
	for (const touch of accesses) {
		const others = found.get(touch.by);
		if (others) others.push(touch);
		else found.set(touch.by, [touch]);
	}
	return found;
}

/** Taking back single files that are named one by one is ordinary work; taking back folders loses what nobody looked at. */
function namesFilesOnly(touches: readonly FileAccess[], { host }: CompiledRules): boolean {
	const own = touches.filter(({ kind }) => kind === "write");
	return own.length > 0 && own.length <= 20 && own.every(({ path }) => host.kind(path) === "file");
}

/** A removal of files picked by name: less than the removal of whole folders that a rule about it speaks of. */
function picksOnlyByName(effect: Effect, touches: readonly FileAccess[]): boolean {
	if (effect !== "recursive-delete") return false;
	const own = touches.filter(({ kind }) => kind === "delete");
	return own.length > 0 && own.every(selectsByName);
}

/** What git ignores and does not track is made anew, or nobody's work: removing such folders is asked about at most. */
function softened(rule: EffectRule, touches: readonly FileAccess[], { git }: CompiledRules): EffectRule {
	if (rule.effect !== "recursive-delete" || rule.decision === "ask") return rule;
	const own = touches.filter(({ kind }) => kind === "write" || kind === "delete");
	const regenerated = own.length > 0 && own.every(({ real, only }) => only === undefined && git.isRegenerated(real));
	return regenerated ? { ...rule, decision: "ask" } : rule;
}

/** Whether everything that the command removes or changes lies in temporary folders or in places that the rule leaves out. */
function isExcepted(rule: EffectRule, run: CommandRun, touches: readonly FileAccess[], ready: CompiledRules): boolean {
	if (rule.except.some((written) => isCommand(written) && fitsCommand(written, run))) return true;
	const own = touches.filter(({ kind }) => kind === "write" || kind === "delete");
	const fits = ready.exceptPaths.get(rule) ?? (() => false);
	return own.length > 0 && own.every((touch) => isHarmless(rule, touch, fits, ready));
}

/** Whether an exception speaks of a command, not of a place: it has more than one word. */
function isCommand(written: string): boolean {
	return /\S\s+\S/.test(written.trim());
}

/** Whether the command, all of its words known, is the one that is written; `*` stands for any part of one word. */
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
	touch: FileAccess,
	fits: (path: string) => boolean,
	{ host, temporary }: CompiledRules,
): boolean {
	const { path, real, only } = touch;
	if (removals.has(effect) && isTemporary(touch, temporary)) return true;
	// `rm -rf` of a single file removes no folder.
	if (effect === "recursive-delete" && host.kind(path) === "file") return true;
	if (fits(path) && (real === path || fits(real))) return true;
	// A search that picks what it removes by name: every name must be one that is left out, and none may be open.
	const picked = only?.filter((glob) => !glob.startsWith("!")) ?? [];
	return picked.length > 0 && picked.every((glob) => fits(`/${glob.replace(/^(?:\.?\/)+/, "")}`));
}

/** Harms that are none in a folder for temporary files. */
const removals: ReadonlySet<string> = new Set(["recursive-delete", "force-delete", "destroy-content"]);
