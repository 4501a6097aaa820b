// Resolves the text in a template to a persona: an agent file, or a role described by the text itself. Reads only the registry.
// The persona is never empty; `agent` never falls back to a role; if a team is named, only its members are candidates; the package's
// agents are found only by `agent` and their exact name, so that they never replace a described role.
import { type Diagnostic, didYouMean, type Problem, quoted, thereAre } from "@pi-chronicle/core/definition";
import { displayName, findAgent, slugOf } from "./agent-names.ts";
import type { AgentFile, AgentRegistry, Persona } from "./persona.ts";

export interface PersonaRequest {
	/** `agent`: must be an agent file. `persona`: an agent file of that name, else a role described by `name`. */
	readonly kind: "agent" | "persona";
	readonly name: string;
	/** The team to search; `undefined`: all agents. */
	readonly team?: string | undefined;
	/** The state lists its own tools, so errors in the agent's tool list are ignored. */
	readonly listsTools?: boolean;
}

export type PersonaFound =
	| { readonly kind: "persona"; readonly persona: Persona; readonly notices: readonly Problem[] }
	| { readonly kind: "none"; readonly problem: Problem };

/** Finds the persona of a state. */
export function resolvePersona(request: PersonaRequest, registry: AgentRegistry): PersonaFound {
	const name = request.name.trim();
	if (name === "")
		return none("empty-persona", "The name of the persona is empty.", "Name an agent, or describe a role.");
	const pool = request.team === undefined ? registry.agents : membersOf(request.team, registry);
	if (!pool) {
		const teams = [...registry.teams.values()].map((team) => team.name);
		const list = thereAre(teams, "There are no teams.");
		const message = `There is no team ${quoted(request.team ?? "")}.${didYouMean(request.team ?? "", teams)}`;
		return none("unknown-team", message, `${list} Teams are listed in .pi/agents/teams.yaml.`);
	}
	const found = findAgent(name, pool);
	const broken = brokenFile(name, registry);
	if (found.kind === "agent") return fromFile(found.agent, broken, request.listsTools === true);
	if (found.kind === "ambiguous") {
		const message = `${quoted(name)} can mean ${found.names.map((each) => quoted(each)).join(" or ")}.`;
		return none("ambiguous-agent", message, "Write the full name.");
	}
	if (broken) return none(broken.code, `${broken.file}${lineText(broken)}: ${broken.message}`, broken.remedy);
	const shipped = shippedAgent({ ...request, name }, registry);
	if (shipped) return fromFile(shipped, undefined, request.listsTools === true);
	const names = pool.map((agent) => agent.name);
	const suggestion = didYouMean(name, names);
	if (request.kind === "agent" || request.team !== undefined) {
		const where = request.team === undefined ? "" : ` in the team ${quoted(request.team)}`;
		const message = `There is no agent ${quoted(name)}${where}.${suggestion}`;
		return none("unknown-agent", message, remedyFor(request, registry, names));
	}
	const notice: Problem = {
		code: "persona-from-words",
		message: `There is no agent ${quoted(name)}, so the text itself describes the role.${suggestion}`,
		remedy: "Add an agent file of that name to .pi/agents to define more than a role.",
	};
	return { kind: "persona", persona: inlinePersona(name), notices: suggestion === "" ? [] : [notice] };
}

/** The package's agent that a reference means. */
function shippedAgent({ kind, name, team }: PersonaRequest, registry: AgentRegistry): AgentFile | undefined {
	return kind === "agent" && team === undefined ? registry.shipped(name) : undefined;
}

/** A persona from the user's text: a title such as `Software Architect`, or a whole prompt. */
export function inlinePersona(words: string): Persona {
	const text = words.trim();
	const isTitle = text.length <= 80 && !text.includes("\n");
	const title = isTitle ? displayName(text) : "";
	const prompt = isTitle
		? `In this session you work as ${article(title)} ${title}. Approach the task as an experienced ${title} would, apply that profession's standards, and leave the work of other professions to others.`
		: text;
	return {
		name: isTitle ? title : `${text.split("\n", 1)[0]?.slice(0, 40).trim() ?? ""}…`,
		origin: { kind: "inline" },
		description: "",
		prompt,
		tools: undefined,
		restrictions: { denied: [], only: undefined },
		foreign: [],
		models: [],
		thinking: undefined,
		skills: [],
		diagnostics: [],
	};
}

/**
 * The agents of a team, in team order, each once; `undefined` if there is no such team. Finds the team by case-insensitive name, else by
 * slug. Without any teams, `all` contains every agent.
 */
function membersOf(name: string, registry: AgentRegistry): readonly AgentFile[] | undefined {
	const wanted = name.trim().toLowerCase();
	const slug = slugOf(name);
	const team =
		registry.teams.get(wanted) ??
		[...registry.teams.values()].find((each) => slug !== "" && slugOf(each.name) === slug);
	if (!team) return registry.teams.size === 0 && wanted === "all" ? registry.agents : undefined;
	const members = new Set<AgentFile>();
	for (const member of team.members) {
		const found = findAgent(member.name, registry.agents);
		if (found.kind === "agent") members.add(found.agent);
	}
	return [...members];
}

/** The remedy for an unknown agent name. */
function remedyFor({ kind, name, team }: PersonaRequest, registry: AgentRegistry, names: readonly string[]): string {
	const slug = slugOf(name);
	const plain = registry.plain.find((file) => slug !== "" && slugOf(stemOf(file)) === slug);
	const inWords =
		kind === "agent" ? "To describe a role as text, use `persona`." : "A role described as text belongs to no team.";
	return [
		...(plain === undefined ? [] : [`${plain} has no front matter, so it is not an agent.`]),
		...(registry.project === "untrusted"
			? ["The project's agents are not read, because the project is not trusted."]
			: []),
		thereAre(
			names,
			team === undefined ? "Agent files are Markdown files in .pi/agents, .claude/agents or agents." : "",
		),
		inWords,
	]
		.filter((sentence) => sentence !== "")
		.join(" ");
}

function stemOf(file: string): string {
	return /([^\\/]*)\.md$/i.exec(file)?.[1] ?? "";
}

/** `broken`: an unusable file that claims the same name, regardless of precedence. */
function fromFile(agent: AgentFile, broken: Diagnostic | undefined, listsTools: boolean): PersonaFound {
	const errors = agent.diagnostics.filter(
		({ severity, code }) => severity === "error" && !(listsTools && code === "unknown-tool"),
	);
	const [first] = errors;
	if (first) {
		const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
		return none(first.code, `${first.file}${lineText(first)}: ${first.message}${more}`, first.remedy);
	}
	return {
		kind: "persona",
		persona: agent,
		notices: [...agent.diagnostics, ...(broken ? [broken] : [])].map((diagnostic) => ({
			code: diagnostic.code,
			message: `${diagnostic.file}${lineText(diagnostic)}: ${diagnostic.message}`,
			remedy: diagnostic.remedy,
		})),
	};
}

/** The problem of the broken file with the agent's name. It is a better answer than "unknown agent". */
function brokenFile(name: string, registry: AgentRegistry): Diagnostic | undefined {
	const slug = slugOf(name);
	return registry.broken.find(({ names }) => slug !== "" && names.some((each) => slugOf(each) === slug))?.problem;
}

function lineText({ line }: Diagnostic): string {
	return line === undefined ? "" : `:${line}`;
}

function none(code: string, message: string, remedy: string): PersonaFound {
	return { kind: "none", problem: { code, message, remedy } };
}

function article(title: string): string {
	return /^[aeiou]/i.test(title) ? "an" : "a";
}
