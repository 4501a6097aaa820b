// What the guard does about what cannot be known: it asks where no rule had a chance to look, and about everything in strict mode.
import type { FileAccess, Footprint, Unknown } from "../../../footprint/index.ts";
import type { ToolCall, Verdict } from "../../policy/index.ts";
import type { CompiledRules } from "../match/index.ts";
import { builtInVerdict, pathVerdict, shown } from "./verdicts.ts";

/** What is asked about because it cannot be known. */
export function judgeUnknowns({ own }: ToolCall, { unknowns }: Footprint, ready: CompiledRules): Verdict[] {
	const { rules } = ready;
	const verdicts: Verdict[] = [];
	const ruled = rules.commands.length + rules.effects.length > 0;
	for (const unknown of unknowns) {
		const tail = unknown.tail === undefined ? undefined : judgeTail(unknown, unknown.tail, ready);
		if (tail) verdicts.push(tail);
		// Nothing is known of the program or of its text, or it cannot be read: no rule had a chance to look at it.
		const wholly = unknown.what === "command" || (unknown.what === "script" && unknown.text === "…");
		const blind = unknown.what === "syntax" || (wholly && ruled);
		const doubtful = rules.strict && unknown.what !== "project" && !(own && unknown.what === "tool");
		if (!blind && !doubtful) continue;
		verdicts.push(
			builtInVerdict(
				"ask",
				`unknown-${unknown.what}`,
				`${shown(unknown.text)}: ${unknownWords[unknown.what]}.`,
				"Write it out plainly, so that it can be judged.",
			),
		);
	}
	return verdicts;
}

const unknownWords: Record<Unknown["what"], string> = {
	program: "it is not known what this program does",
	command: "it cannot be told which program this runs",
	operand: "it cannot be told which place this means",
	script: "it cannot be told what this program text does",
	project: "it cannot be told what this task of the project does",
	tool: "it cannot be told what this tool does",
	syntax: "this cannot be read as a command",
};

/** A path whose beginning is unknown and whose end is the name of something closed. */
function judgeTail(unknown: Unknown, tail: string, { paths, host }: CompiledRules): Verdict | undefined {
	const reads = unknown.may.every((access) => access === "read" || access === "list");
	const place = `${unknown.under ?? host.home}/${tail}`;
	const [rule] = [place, `${host.home}/${tail}`]
		.flatMap((path) => paths.rulesFor(path, reads ? "read" : "change"))
		.filter(({ limit }) => limit === "zero");
	if (!rule) return undefined;
	const touch: FileAccess = {
		kind: unknown.may[0] ?? "read",
		path: tail,
		real: tail,
		recursive: false,
		by: unknown.text,
	};
	return pathVerdict(rule, touch, host);
}
