// Loads every agent file and team of a project and its user. Reads the disk once; the result is plain data.
// Precedence follows the order of the folders below, nearest project folder first; within a folder, files precede those in subfolders;
// of several agents with one name, only the first counts; an unreadable file hides no other.
import { existsSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import {
	type Diagnostic,
	didYouMean,
	openReport,
	quoted,
	type Report,
	readSource,
} from "@pi-chronicle/core/definition";
import { walkFiles } from "../disk/index.ts";
import { shippedFolder } from "../tools/shipped/index.ts";
import { type AgentPlace, readAgentFile } from "./agent-file.ts";
import { findAgent, slugOf } from "./agent-names.ts";
import type { AgentFile, AgentRegistry, BrokenAgent, Team } from "./persona.ts";
import { type SkillPlaces, skillPlaces } from "./skills.ts";
import { readTeams } from "./teams.ts";

export interface AgentSources {
	/** The project folder; its ancestors up to the repository root are searched too. */
	readonly cwd: string;
	/** Whether the user trusts the project. If not, only the user's own agents count. */
	readonly project: "trusted" | "untrusted";
	/** pi's agent folder, `~/.pi/agent`. */
	readonly agentFolder: string;
	readonly home: string;
}

/** Maximum depth of subfolders, and maximum number of files read per folder. */
const DEPTH = 3;
const MAX_FILES = 1000;

interface Folder extends Omit<AgentPlace, "path" | "skills"> {
	readonly folder: string;
}

/** Loads every agent and team of the given sources. */
export function loadAgentRegistry(place: AgentSources): AgentRegistry {
	const roots = place.project === "trusted" ? projectFolders(place.cwd) : [];
	const skills = skillPlaces(roots, place.agentFolder, place.home);
	const report = openReport();
	const agents: AgentFile[] = [];
	const broken: BrokenAgent[] = [];
	const plain: string[] = [];
	const taken = new Set<string>();
	for (const folder of agentFolders(roots, place)) {
		const found = readFolder(folder, skills, report);
		report.add(twins(found.agents));
		broken.push(...found.broken);
		plain.push(...found.plain);
		for (const agent of found.agents) {
			const name = agent.name.toLowerCase();
			if (taken.has(name)) continue;
			taken.add(name);
			agents.push(agent);
		}
	}
	const teams = readAllTeams(roots, place, { agents, broken, plain }, report);
	const shipped = (name: string): AgentFile | undefined => readShipped(name, skills);
	return { agents, broken, plain, project: place.project, teams, shipped, diagnostics: report.diagnostics };
}

/** Reads the package's agent of this name. */
function readShipped(name: string, skills: SkillPlaces): AgentFile | undefined {
	if (!/^[a-z-]+$/.test(name)) return undefined;
	const read = readSource(join(shippedFolder("agents"), `${name}.md`));
	if (read.kind !== "text") return undefined;
	const found = readAgentFile(read.source, { tier: "shipped", withoutTools: "reading", path: name, skills });
	return found.kind === "agent" ? found.agent : undefined;
}

/** The folder and its ancestors up to the repository root, nearest first; only the folder if it is not in a repository. */
export function projectFolders(cwd: string): readonly string[] {
	const folders: string[] = [];
	for (let at = cwd; ; at = dirname(at)) {
		folders.push(at);
		if (existsSync(join(at, ".git"))) return folders;
		if (at === dirname(at)) return [cwd];
	}
}

function agentFolders(roots: readonly string[], place: AgentSources): Folder[] {
	const claude = join(place.home, ".claude", "agents");
	return [
		...roots.flatMap((root): Folder[] => [
			{ folder: join(root, ".pi", "agents"), tier: "project", withoutTools: "reading" },
			{ folder: join(root, ".claude", "agents"), tier: "project", withoutTools: "all" },
			{ folder: join(root, "agents"), tier: "project", withoutTools: "reading" },
		]),
		{ folder: join(place.agentFolder, "agents"), tier: "user", withoutTools: "reading" },
		{ folder: claude, tier: "user", withoutTools: "all" },
	];
}

function readFolder({ folder, ...place }: Folder, skills: SkillPlaces, report: Report) {
	const agents: AgentFile[] = [];
	const broken: BrokenAgent[] = [];
	const plain: string[] = [];
	for (const path of markdownBelow(folder)) {
		const file = join(folder, `${path}.md`);
		const stem = path.slice(path.lastIndexOf("/") + 1);
		const read = readSource(file);
		if (read.kind === "absent") continue;
		if (read.kind === "problem") {
			report.add([{ ...read.diagnostic, severity: "warning" }]);
			broken.push({ names: [stem], problem: read.diagnostic });
			continue;
		}
		const found = readAgentFile(read.source, { ...place, path, skills });
		if (found.kind === "agent") agents.push(found.agent);
		if (found.kind === "other") plain.push(file);
		if (found.kind !== "broken") continue;
		report.add(found.diagnostics);
		const [problem] = found.diagnostics.filter(({ severity }) => severity === "error");
		if (problem) broken.push({ names: [stem, ...nameInAgentFile(read.source.text)], problem });
	}
	return { agents, broken, plain };
}

/** Warns about agents with the same name in one folder: probably a mistake, and file names decide which agent counts. */
function twins(agents: readonly AgentFile[]): Diagnostic[] {
	const first = new Map<string, AgentFile>();
	return agents.flatMap((agent): Diagnostic[] => {
		const known = first.get(agent.name.toLowerCase());
		if (known === undefined) {
			first.set(agent.name.toLowerCase(), agent);
			return [];
		}
		return [
			{
				file: agent.origin.file,
				line: 1,
				column: 1,
				severity: "warning",
				code: "same-name",
				message: `The agent ${quoted(agent.name)} is already defined in ${known.origin.file}, so this file is ignored.`,
				remedy: "Give one of them another name, or remove it.",
			},
		];
	});
}

/** The value of the first `name:` in a text that could not be parsed. */
function nameInAgentFile(text: string): string[] {
	const [, name] = /^\s*name\s*:\s*["']?([^"'\n#]+?)["']?\s*(?:#.*)?$/m.exec(text.slice(0, 4000)) ?? [];
	return name === undefined ? [] : [name];
}

/** Paths without `.md`; the files of a folder precede those of its subfolders, each sorted. */
function markdownBelow(folder: string): string[] {
	const found: string[] = [];
	for (const { path } of walkFiles(folder, DEPTH)) {
		if (/\.md$/i.test(path)) found.push(path.slice(0, -3));
		if (found.length === MAX_FILES) break;
	}
	return found;
}

function readTeamFile(file: string, report: Report): readonly Team[] {
	const read = readSource(file);
	if (read.kind === "problem") report.add([{ ...read.diagnostic, severity: "warning" }]);
	if (read.kind !== "text") return [];
	const { teams, diagnostics } = readTeams(read.source);
	report.add(diagnostics);
	return teams;
}

function readAllTeams(
	roots: readonly string[],
	place: AgentSources,
	found: Pick<AgentRegistry, "agents" | "broken" | "plain">,
	report: Report,
): ReadonlyMap<string, Team> {
	const teams = new Map<string, Team>();
	const folders = [...roots.map((root) => join(root, ".pi", "agents")), join(place.agentFolder, "agents")];
	const files = folders.flatMap((folder) => ["teams.yaml", "teams.yml"].map((name) => join(folder, name)));
	for (const team of files.flatMap((file) => readTeamFile(file, report))) {
		const key = team.name.toLowerCase();
		if (teams.has(key)) continue;
		teams.set(key, team);
		report.add(strangers(team, found));
	}
	return teams;
}

/** Warns about team members that are not agents. If a file of that name exists but is unusable, the warning refers to the file. */
function strangers(
	team: Team,
	{ agents, broken, plain }: Pick<AgentRegistry, "agents" | "broken" | "plain">,
): Diagnostic[] {
	return team.members.flatMap(({ name, line, column }): Diagnostic[] => {
		if (findAgent(name, agents).kind !== "none") return [];
		const unusable = unusableReason(name, broken, plain);
		const near = didYouMean(
			name,
			agents.map((agent) => agent.name),
		);
		const found = unusable ?? {
			message: `is not a known agent.${near}`,
			remedy: "Correct the name, or add an agent file of that name to .pi/agents.",
		};
		const message = `${quoted(name)} in the team ${quoted(team.name)} ${found.message}`;
		return [
			{
				file: team.file,
				line,
				column,
				severity: "warning",
				code: "unknown-member",
				message,
				remedy: found.remedy,
			},
		];
	});
}

/** Why the file with the name of an agent is unusable; `undefined` without such a file. */
function unusableReason(
	name: string,
	broken: readonly BrokenAgent[],
	plain: readonly string[],
): { message: string; remedy: string } | undefined {
	const slug = slugOf(name.slice(name.lastIndexOf("/") + 1));
	if (slug === "") return undefined;
	const problem = broken.find(({ names }) => names.some((each) => slugOf(each) === slug))?.problem;
	if (problem)
		return { message: `is described in ${quoted(problem.file, 200)}, which is invalid.`, remedy: problem.remedy };
	const file = plain.find((path) => slugOf(basename(path, extname(path))) === slug);
	return file === undefined
		? undefined
		: { message: `is described in ${quoted(file, 200)}, which has no front matter.`, remedy: frontMatterRemedy };
}

/** How to turn a Markdown file into an agent. */
export const frontMatterRemedy =
	"Start the file with a line `---`, the fields `name:` and `description:`, and another line `---`.";
