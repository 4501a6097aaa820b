// Judges the unknown parts of a footprint: the guard asks if no rule could apply, and always in strict mode.
import type { FileAccess, Footprint, Unknown } from "../../../footprint/index.ts";
import type { ToolCall, Verdict } from "../../policy/index.ts";
import type { CompiledRules } from "../match/index.ts";
import { builtInVerdict, pathVerdict, shown } from "./verdicts.ts";

/** Judges every unknown of a footprint. */
export function judgeUnknowns({ own }: ToolCall, { unknowns }: Footprint, compiled: CompiledRules): Verdict[] {
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
				`${shown(unknown.text)}: ${unknownWords[unknown.what]}.`,
				"Write it out plainly so that it can be judged.",
			),
		);
	}
	return verdicts;
}

const unknownWords: Record<Unknown["what"], string> = {
	program: "the effect of this program is unknown",
	command: "the program that this runs is unknown",
	operand: "the path that this refers to is unknown",
	script: "the effect of this program text is unknown",
	project: "the effect of this project task is unknown",
	tool: "the effect of this tool is unknown",
	syntax: "this cannot be parsed as a command",
};

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
