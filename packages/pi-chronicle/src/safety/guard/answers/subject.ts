// The subject of an answer: one call, in one folder, with the paths that it accesses and the rules that asked.
// Invariants: any difference (another word, another folder, a link with another target, another rule) is a different subject, and the user is
// asked again; a call that cannot be shown exactly on one line of a dialog is not remembered.
import { digest } from "@pi-chronicle/core/bounds";
import type { Footprint } from "@pi-chronicle/footprint";
import { realPathOf } from "../../../disk/index.ts";
import { type JudgedCall, redactText, type ToolCall, type Verdict } from "../../policy/index.ts";
import { canonicalCommand } from "./canonical-command.ts";

export interface Subject {
	readonly tool: string;
	/** The command in canonical form, or the path that a file tool uses. */
	readonly text: string;
	/** Real path of the folder that the call was made in. */
	readonly folder: string;
	/** Hash (16 hexadecimal digits) of everything that the call would access, run and change, links followed. */
	readonly reach: string;
	/** The rules that asked. */
	readonly rules: readonly string[];
}

/** In characters: the longest text that a dialog shows in full. */
const MAX_TEXT = 300;
const fileTools: ReadonlySet<string> = new Set(["read", "write", "edit", "ls"]);

/** The subject that an answer would be remembered for; `undefined` if it is not remembered. */
export function rememberedSubject({ call, footprint, verdicts }: JudgedCall, cwd: string): Subject | undefined {
	const text = exactText(call, footprint);
	if (text === undefined || text.length > MAX_TEXT || redactText(text, MAX_TEXT) !== text.replaceAll(/\s+/g, " "))
		return undefined;
	if (!isKnownWhole(footprint) || !verdicts.every(isOfRule)) return undefined;
	return subject(call, text, footprint, verdicts, cwd);
}

/** The subject of a refused call, for a one-time permission: any text, verbatim. */
export function refusedSubject({ call, footprint, verdicts }: JudgedCall, cwd: string): Subject | undefined {
	if (!verdicts.every(isOfRule)) return undefined;
	return subject(call, exactText(call, footprint) ?? JSON.stringify(call.input), footprint, verdicts, cwd);
}

/** Whether two subjects are the same, and every rule that asks now also asked then. */
export function isSameSubject(now: Subject, then: Subject): boolean {
	return (
		now.tool === then.tool &&
		now.text === then.text &&
		now.folder === then.folder &&
		now.reach === then.reach &&
		now.rules.every((rule) => then.rules.includes(rule))
	);
}

function subject(
	call: ToolCall,
	text: string,
	footprint: Footprint,
	verdicts: readonly Verdict[],
	cwd: string,
): Subject {
	return {
		tool: call.tool,
		text,
		folder: realPathOf(cwd) ?? cwd,
		reach: reachOf(footprint),
		rules: [...new Set(verdicts.map(ruleKey))].sort(),
	};
}

function exactText({ tool, input }: ToolCall, { accesses }: Footprint): string | undefined {
	if (tool === "bash") {
		const keys = Object.keys(input).filter((key) => key !== "command" && key !== "timeout");
		return typeof input.command === "string" && keys.length === 0 ? canonicalCommand(input.command) : undefined;
	}
	if (!fileTools.has(tool)) return undefined;
	const places = new Set(accesses.map(({ path }) => path));
	const [only] = places;
	return places.size === 1 ? only : undefined;
}

/** Whether every word of the call is known, and the call contains the text of everything that it runs. */
function isKnownWhole({ unknowns, runs }: Footprint): boolean {
	const open: ReadonlySet<string> = new Set(["command", "operand", "syntax", "script", "file"]);
	return (
		!unknowns.some(({ what }) => open.has(what)) &&
		runs.every(
			({ program, args, effects }) =>
				program !== null &&
				!args.includes(null) &&
				!effects.includes("run-unknown-text") &&
				!effects.includes("run-download"),
		)
	);
}

/** Whether a rule of a file gave the verdict, not a built-in protection. */
function isOfRule({ policy, origin }: Verdict): boolean {
	return policy === "guard" && origin !== undefined;
}

function ruleKey({ policy, rule, origin }: Verdict): string {
	return [policy, rule, origin?.file ?? ""].join(" · ");
}

function reachOf({ accesses, runs }: Footprint): string {
	const lines = [
		...accesses.map(({ kind, path, real, recursive, only, skips }) => [kind, path, real, recursive, only, skips]),
		...runs.map(({ effects, changes, elsewhere }) => [effects, changes, elsewhere]),
	].map((part) => JSON.stringify(part));
	return digest(lines.sort().join("\n"));
}
