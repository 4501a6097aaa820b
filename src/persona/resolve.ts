// Words of a template → the persona that does a state: an agent file, or a role made from the words. Pure but for what the cast holds.
// V1 never an empty persona; V2 `agent` never falls back to a role; V3 with a team named, nobody outside it is chosen.
import { type Diagnostic, didYouMean, type Problem, quoted } from "../definition/index.ts";
import { displayName, findAgent, slugOf } from "./names.ts";
import type { AgentFile, Cast, Persona } from "./persona.ts";

export interface PersonaWish {
	/** `agent`: must be an agent file. `persona`: an agent file of that name, else a role in these words. */
	readonly kind: "agent" | "persona";
	readonly name: string;
	/** Where the agent is looked for; `undefined`: everywhere. */
	readonly team?: string | undefined;
}

export type PersonaFound =
	| { readonly kind: "persona"; readonly persona: Persona; readonly notices: readonly Problem[] }
	| { readonly kind: "none"; readonly problem: Problem };

/** Finds who a state means. */
export function resolvePersona(wish: PersonaWish, cast: Cast): PersonaFound {
	const name = wish.name.trim();
	if (name === "")
		return none("empty-persona", "The name of the persona is empty.", "Name an agent, or describe a role.");
	const pool = wish.team === undefined ? cast.agents : membersOf(wish.team, cast);
	if (!pool) {
		const teams = [...cast.teams.values()].map((team) => team.name);
		const list =
			teams.length === 0 ? "There are no teams here." : `There are ${teams.map((team) => quoted(team)).join(", ")}.`;
		const message = `There is no team ${quoted(wish.team ?? "")}.${didYouMean(wish.team ?? "", teams)}`;
		return none("unknown-team", message, `${list} Teams are listed in .pi/agents/teams.yaml.`);
	}
	const found = findAgent(name, pool);
	if (found.kind === "agent") return fromFile(found.agent);
	if (found.kind === "ambiguous") {
		const message = `${quoted(name)} can mean ${found.names.map((each) => quoted(each)).join(" or ")}.`;
		return none("ambiguous-agent", message, "Write the whole name.");
	}
	const broken = brokenFile(name, cast);
	if (broken) return none(broken.code, `${broken.file}${lineOf(broken)}: ${broken.message}`, broken.remedy);
	const names = pool.map((agent) => agent.name);
	const suggestion = didYouMean(name, names);
	if (wish.kind === "agent" || wish.team !== undefined) {
		const where = wish.team === undefined ? "" : ` in the team ${quoted(wish.team)}`;
		return none(
			"unknown-agent",
			`There is no agent ${quoted(name)}${where}.${suggestion}`,
			names.length === 0
				? "Agent files are Markdown files in .pi/agents, .claude/agents or agents; to describe a role in words, use `persona`."
				: `There are ${listOf(names)}. To describe a role in words, use \`persona\`.`,
		);
	}
	const notice: Problem = {
		code: "persona-from-words",
		message: `No agent is called ${quoted(name)}, so the words themselves describe the role.${suggestion}`,
		remedy: "Add an agent file of that name to .pi/agents for more than a role.",
	};
	return { kind: "persona", persona: inlinePersona(name), notices: suggestion === "" ? [] : [notice] };
}

/** A persona in a person's own words: a title such as `Software Architect`, or a whole text. */
export function inlinePersona(words: string): Persona {
	const text = words.trim();
	const isTitle = text.length <= 80 && !text.includes("\n");
	const title = isTitle ? displayName(text) : "";
	const prompt = isTitle
		? `In this session you work as ${article(title)} ${title}. Look at the task the way an experienced ${title} does, hold the work to that profession's standards, and leave to others what belongs to other professions.`
		: text;
	return {
		name: isTitle ? title : `${text.split("\n", 1)[0]?.slice(0, 40).trim() ?? ""}…`,
		origin: { kind: "inline" },
		description: "",
		prompt,
		tools: undefined,
		models: [],
		thinking: undefined,
		skills: [],
		diagnostics: [],
	};
}

/** The agents of a team, in its order, each once; `undefined` where there is no such team. Without teams there is one, `all`. */
export function membersOf(name: string, cast: Cast): readonly AgentFile[] | undefined {
	const team = cast.teams.get(name.trim().toLowerCase());
	if (!team) return cast.teams.size === 0 && name.trim().toLowerCase() === "all" ? cast.agents : undefined;
	const members = new Set<AgentFile>();
	for (const member of team.members) {
		const found = findAgent(member.name, cast.agents);
		if (found.kind === "agent") members.add(found.agent);
	}
	return [...members];
}

function fromFile(agent: AgentFile): PersonaFound {
	const errors = agent.diagnostics.filter(({ severity }) => severity === "error");
	const [first] = errors;
	if (first) {
		const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
		return none(first.code, `${first.file}${lineOf(first)}: ${first.message}${more}`, first.remedy);
	}
	return {
		kind: "persona",
		persona: agent,
		notices: agent.diagnostics.map((diagnostic) => ({
			code: diagnostic.code,
			message: `${diagnostic.file}${lineOf(diagnostic)}: ${diagnostic.message}`,
			remedy: diagnostic.remedy,
		})),
	};
}

/** Why the file that is called like the agent did not load: its fault is the answer, not that there is nobody of the name. */
function brokenFile(name: string, cast: Cast): Diagnostic | undefined {
	const slug = slugOf(name);
	return cast.diagnostics.find(({ severity, file }) => {
		const stem = /([^\\/]*)\.md$/i.exec(file)?.[1];
		return severity === "error" && stem !== undefined && slug !== "" && slugOf(stem) === slug;
	});
}

function lineOf({ line }: Diagnostic): string {
	return line === undefined ? "" : `:${line}`;
}

function none(code: string, message: string, remedy: string): PersonaFound {
	return { kind: "none", problem: { code, message, remedy } };
}

function listOf(names: readonly string[]): string {
	const shown = names
		.slice(0, 12)
		.map((name) => quoted(name))
		.join(", ");
	return names.length > 12 ? `${shown} and ${names.length - 12} more` : shown;
}

function article(title: string): string {
	return /^[aeiou]/i.test(title) ? "an" : "a";
}
