// Checks agents and teams. A Markdown file in an agents folder without front matter is reported; it is an error if a team names it.
import { basename, extname } from "node:path";
import { type Diagnostic, sortDiagnostics } from "@pi-chronicle/core/definition";
import { type AgentRegistry, frontMatterRemedy, loadAgentRegistry, type Team } from "../../persona/index.ts";
import { type CheckFinding, type CheckPlace, type Inspection, isSound } from "./finding.ts";

/** Names of files that document a folder. */
const explaining = /^(?:readme|agents|claude|contributing|changelog|licen[cs]e|index|notes?)$/i;

export function inspectAgents({ cwd, home, agentFolder, trust }: CheckPlace): Inspection {
	const cast = loadAgentRegistry({ cwd, home, agentFolder, project: trust });
	const left = new Set(cast.diagnostics);
	const take = (file: string): Diagnostic[] => {
		const taken = [...left].filter((each) => each.file === file);
		for (const each of taken) left.delete(each);
		return taken;
	};
	const agents = cast.agents.map(({ name, origin, diagnostics }): CheckFinding => {
		const all = [...new Set([...diagnostics, ...take(origin.file)])];
		return { kind: "agent", name, file: origin.file, loads: isSound(all), diagnostics: all };
	});
	const broken = cast.broken.map(({ names, problem }): CheckFinding => {
		const reported = take(problem.file);
		const diagnostics = isSound(reported)
			? [problem, ...reported.filter(({ code }) => code !== problem.code)]
			: reported;
		const [name = basename(problem.file)] = names;
		return { kind: "agent", name, file: problem.file, loads: false, diagnostics };
	});
	const plain = inspectPlain(cast);
	const teams = inspectTeams(cast, take);
	return {
		findings: [...agents, ...broken, ...plain.findings, ...teams],
		foreign: [],
		further: sortDiagnostics([...left, ...plain.further]),
	};
}

/** Markdown files without front matter: an error if a team names the file, otherwise a warning. */
function inspectPlain({ agents, plain, teams }: AgentRegistry): { findings: CheckFinding[]; further: Diagnostic[] } {
	const named = [...teams.values()].flatMap(({ members }) => members.map(({ name }) => stem(name)));
	const wanted = new Set(named.filter((name) => !agents.some((agent) => stem(agent.name) === name)));
	const findings: CheckFinding[] = [];
	const further: Diagnostic[] = [];
	for (const file of plain) {
		const name = basename(file, extname(file));
		const code = "no-front-matter";
		const at = { file, line: 1, column: 1, code, remedy: frontMatterRemedy };
		const message = "The file has no front matter, so it is not an agent";
		if (wanted.has(stem(name))) {
			const diagnostics: Diagnostic[] = [{ ...at, severity: "error", message: `${message}, but a team names it.` }];
			findings.push({ kind: "agent", name, file, loads: false, diagnostics });
		} else if (!explaining.test(name)) further.push({ ...at, severity: "warning", message: `${message}.` });
	}
	return { findings, further };
}

function stem(name: string): string {
	return name
		.slice(name.lastIndexOf("/") + 1)
		.toLowerCase()
		.replace(/[\s_-]+/g, "-");
}

/** Each team with the diagnostics of its lines. Diagnostics above the first team of a file belong to that team. */
function inspectTeams({ teams }: AgentRegistry, take: (file: string) => Diagnostic[]): CheckFinding[] {
	const byFile = new Map<string, Team[]>();
	for (const team of teams.values()) byFile.set(team.file, [...(byFile.get(team.file) ?? []), team]);
	return [...byFile].flatMap(([file, listed]) => {
		const reported = take(file);
		const starts = listed.map(({ line }, index) => (index === 0 ? 0 : line));
		return listed.map(({ name }, index): CheckFinding => {
			const end = starts[index + 1] ?? Number.POSITIVE_INFINITY;
			const diagnostics = reported.filter(({ line = 0 }) => line >= (starts[index] ?? 0) && line < end);
			return { kind: "team", name, file, loads: isSound(diagnostics), diagnostics };
		});
	});
}
