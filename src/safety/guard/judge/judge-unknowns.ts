// Judges the unknown parts of a footprint: the guard asks if no rule could apply, and always in strict mode.
import { type FileAccess, type Footprint, type Unknown, unknownParts } from "../../../footprint/index.ts";
import { quoteRedacted, type ToolCall, type Verdict } from "../../policy/index.ts";
import type { CompiledRules } from "../match/index.ts";
import { builtInVerdict, pathVerdict } from "./verdicts.ts";

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
