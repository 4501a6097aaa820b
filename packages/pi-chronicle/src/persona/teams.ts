// Reads teams.yaml. A team is a list of agents, or an object with such a list under `members` (or `agents`).
// An invalid team does not affect the others.
import {
	type Diagnostic,
	describeNode,
	type Node,
	openReport,
	parseYaml,
	quoted,
	type Report,
	type Source,
} from "@pi-chronicle/core/definition";
import type { Team, TeamMember } from "./persona.ts";
import { readText, readWordList } from "./read-values.ts";

/** A generous maximum. YAML aliases can repeat a short list many times. */
const maxMembers = 500;

export interface TeamsRead {
	/** In file order. */
	readonly teams: readonly Team[];
	readonly diagnostics: readonly Diagnostic[];
}

export function readTeams(source: Source): TeamsRead {
	const { root, diagnostics } = parseYaml(source);
	const report = openReport();
	report.add(diagnostics);
	if (!root) return { teams: [], diagnostics: report.diagnostics };
	const written = teamsIn(root);
	if (!written) {
		report.error(source.place(root.start), {
			code: "not-teams",
			message: `The file contains ${describeNode(root)} instead of teams.`,
			remedy: "Write the name of a team, a colon, and its agents as a list below it.",
		});
		return { teams: [], diagnostics: report.diagnostics };
	}
	const teams: Team[] = [];
	for (const { name, value, start } of written) {
		const team = readTeam(name.trim(), value, start, source, report);
		if (team) teams.push(team);
	}
	return { teams, diagnostics: report.diagnostics };
}

interface WrittenTeam {
	readonly name: string;
	readonly value: Node;
	/** Offset of the name. */
	readonly start: number;
}

/** A map of teams by name, or a list of groups with a `name`; either may be nested in `teams:`. `undefined`: neither. */
function teamsIn(root: Node): WrittenTeam[] | undefined {
	const inner = root.kind === "map" && root.entries.size === 1 ? root.entries.get("teams")?.value : undefined;
	const listed = namedTeams(inner ?? root);
	if (listed) return listed;
	if (root.kind !== "map") return undefined;
	const wraps = inner?.kind === "map" && !inner.entries.has("members") && !inner.entries.has("agents");
	const { entries } = wraps ? inner : root;
	return [...entries].map(([name, { value, keyStart }]) => ({ name, value, start: keyStart }));
}

function namedTeams(node: Node): WrittenTeam[] | undefined {
	if (node.kind !== "list" || node.items.length === 0) return undefined;
	const teams = node.items.map((item): WrittenTeam | undefined => {
		const entry = item.kind === "map" ? item.entries.get("name") : undefined;
		const name = entry && readText(entry.value);
		const isTeam = item.kind === "map" && (item.entries.has("members") || item.entries.has("agents"));
		return isTeam && entry && name ? { name, value: item, start: entry.value.start } : undefined;
	});
	return teams.includes(undefined) ? undefined : teams.filter((team) => team !== undefined);
}

function readTeam(name: string, value: Node, keyStart: number, source: Source, report: Report): Team | undefined {
	const { line } = source.place(keyStart);
	const fields = value.kind === "map" ? value : undefined;
	const listed = fields ? (fields.entries.get("members") ?? fields.entries.get("agents"))?.value : value;
	if (!listed) {
		report.warn(source.place(keyStart), {
			code: "no-members",
			message: `The team ${quoted(name)} has no \`members\`.`,
			remedy: "Add a list `members:` with the names of its agents.",
		});
	}
	const all = listed ? readMembers(listed, name, source, report) : [];
	const members = all.slice(0, maxMembers);
	if (all.length > maxMembers) {
		report.warn(source.place(keyStart), {
			code: "too-many-members",
			message: `The team ${quoted(name)} has more than ${maxMembers} members; the others are ignored.`,
			remedy: "List each agent once.",
		});
	}
	if (listed && members.length === 0) {
		report.warn(source.place(keyStart), {
			code: "empty-team",
			message: `The team ${quoted(name)} has no members.`,
			remedy: "List its agents below it, one per line starting with `- `.",
		});
	}
	const described = fields?.entries.get("description");
	return {
		name,
		description: (described && readText(described.value)) ?? "",
		members,
		file: source.file,
		line: line ?? 1,
	};
}

function readMembers(node: Node, team: string, source: Source, report: Report): TeamMember[] {
	const member = (name: string, start: number): TeamMember => {
		const { line = 1, column = 1 } = source.place(start);
		return { name, line, column };
	};
	// Names may contain spaces, so only commas separate them.
	if (node.kind === "scalar") {
		const text = readText(node) ?? "";
		return text.split(",").flatMap((name) => (name.trim() === "" ? [] : [member(name.trim(), node.start)]));
	}
	if (node.kind === "map") {
		return [...node.entries].map(([name, { keyStart }]) => member(name.trim(), keyStart));
	}
	return node.items.flatMap((item) => {
		if (item.kind === "list")
			return readWordList(item, team, source, report).map(({ text, start }) => member(text, start));
		if (item.kind === "scalar") {
			const name = readText(item);
			return name === undefined ? [] : [member(name, item.start)];
		}
		const named = namedIn(item);
		if (named) return [member(named.text, named.start)];
		report.warn(source.place(item.start), {
			code: "odd-member",
			message: `An entry of the team ${quoted(team)} is an object without \`agent\` or \`name\`, so it is ignored.`,
			remedy: "Write only the agent's name.",
		});
		return [];
	});
}

/** The agent named by an object: in `agent` or `name`, or as the only key, as in `- builder: writes the code`. */
function namedIn({ entries }: Extract<Node, { kind: "map" }>): { text: string; start: number } | undefined {
	const entry = entries.get("agent") ?? entries.get("name");
	const name = entry && readText(entry.value);
	if (entry && name) return { text: name, start: entry.value.start };
	const [only, more] = [...entries];
	if (!only || more || only[1].value.kind !== "scalar") return undefined;
	return { text: only[0].trim(), start: only[1].keyStart };
}
