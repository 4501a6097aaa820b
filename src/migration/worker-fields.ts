// The fields of a state's worker: converts agents, tools, skills and models of other tools.
// W1 nothing is widened: a tool that is limited to some arguments is omitted, and a list that becomes empty is replaced by `read`.
import { singleLine } from "../definition/index.ts";
import { readToolNames } from "../persona/index.ts";
import { type ImportNote, importNote, missingNote } from "./draft.ts";
import type { ForeignFields, Plain } from "./foreign-fields.ts";

/** The fields of a state except `next`. */
export type StateFields = { readonly [field: string]: Plain };

/** What exists in the target project. */
export interface ImportTarget {
	/** Names of agents, in lower case: those of the project, and those of the import. */
	readonly agents: ReadonlySet<string>;
	hasSkill(name: string): boolean;
}

/** The role of steps without an agent. */
const anybody = "Engineer";
const longestPersona = 400;
const thinkingLevels = new Set(["off", "minimal", "low", "medium", "high", "xhigh", "max"]);

/** `agent` if an agent has this name; else its name as a role in words, with a note. */
export function workerOf(
	name: string | undefined,
	where: string,
	target: ImportTarget,
	notes: ImportNote[],
): StateFields {
	const word = singleLine(name ?? "").trim();
	if (word === "") return { persona: anybody };
	if (word.length <= longestPersona && target.agents.has(word.toLowerCase())) return { agent: word };
	notes.push(missingNote(where, "agent", word));
	return { persona: word.slice(0, longestPersona) };
}

/** `tools` for a list with any tool's names. Omitted without a list or with all tools: then the agent's tools apply. */
export function toolFields(written: readonly string[] | undefined, where: string, notes: ImportNote[]): StateFields {
	if (written === undefined) return {};
	const { names, kind, problems } = readToolNames(written);
	for (const { written: word, message } of problems) notes.push(importNote(where, `tool \`${word}\`: ${message}`));
	if (kind === "all") return {};
	if (names.length > 0) return { tools: names };
	notes.push(importNote(where, "none of its tools exists here, so it may only read"));
	return { tools: ["read"] };
}

/** `skills`, `model` and `thinking` of a step. */
export function modelFields(fields: ForeignFields, target: ImportTarget, notes: ImportNote[]): StateFields {
	const skills = fields.names("skills") ?? [];
	const known = skills.filter((name) => target.hasSkill(name));
	for (const name of skills.filter((each) => !known.includes(each)))
		notes.push(missingNote(fields.where, "skill", name));
	const model = singleLine(fields.text("model") ?? "").trim();
	const thinking = fields.text("thinking");
	if (thinking !== undefined && !thinkingLevels.has(thinking))
		notes.push(importNote(fields.where, `\`thinking\` ${thinking}`));
	return {
		...(known.length === 0 ? {} : { skills: known }),
		...(model === "" || model.length > 200 || model.includes("{") ? {} : { model }),
		...(thinking === undefined || !thinkingLevels.has(thinking) ? {} : { thinking }),
	};
}
