// One agent file (`*.md` with front matter) → a persona. The fields of agent-team, pi's own agents and Claude Code's are read alike.
// A1 a file that has front matter is never dropped without a diagnostic; A2 its tools are never more than it says.
import { dirname } from "node:path";
import {
	type Diagnostic,
	didYouMean,
	type MapNode,
	openReport,
	parseFrontMatter,
	quoted,
	type Report,
	type Source,
} from "../definition/index.ts";
import { readThinking, THINKING_LEVELS, type ThinkingLevel } from "./model-choice.ts";
import type { AgentFile } from "./persona.ts";
import { findSkill, type SkillPlaces } from "./skills.ts";
import { readToolNames } from "./tool-names.ts";
import { readText, readWords } from "./words.ts";

export interface AgentPlace {
	readonly tier: "project" | "user";
	/** Path below the agents folder without `.md`, with `/`. */
	readonly path: string;
	/** What a file without `tools` gets: `reading` as in agent-team, `all` as in Claude Code. */
	readonly withoutTools: "reading" | "all";
	readonly skills: SkillPlaces;
}

export type AgentRead =
	| { readonly kind: "agent"; readonly agent: AgentFile }
	/** A Markdown file that is no agent: it has no front matter. */
	| { readonly kind: "other" }
	| { readonly kind: "broken"; readonly diagnostics: readonly Diagnostic[] };

/** What agent-team gives an agent that lists no tools. */
const reading = ["read", "grep", "find", "ls"];
const byDefault = ["read", "bash", "edit", "write"];
const read = ["name", "description", "tools", "disallowedTools", "model", "models", "thinking", "skills"];
/** Fields of other programs that read the same files; they have no effect here. */
const passedOver = new Set([
	"color",
	"colour",
	"extensions",
	"subagents",
	"delegate_depth",
	"kind",
	"version",
	"author",
	"tags",
	"category",
	"license",
	"icon",
	"emoji",
	"mode",
	"permissionMode",
	"hooks",
	"mcpServers",
	"memory",
	"temperature",
	"allowed-tools",
	"output",
	"interactive",
	"defaultReads",
	"defaultProgress",
	"maxTurns",
	"isolation",
	"background",
	"effort",
	"systemPromptMode",
	"inheritProjectContext",
]);

/** Reads an agent file. */
export function readAgentFile(source: Source, place: AgentPlace): AgentRead {
	if (!source.text.trimStart().startsWith("---")) return { kind: "other" };
	const front = parseFrontMatter(source);
	const report = openReport();
	report.add(front.diagnostics);
	const { fields } = front;
	if (!fields) return { kind: "broken", diagnostics: report.diagnostics };

	const stem = place.path.slice(place.path.lastIndexOf("/") + 1);
	const named = textOf(fields, "name");
	if (named === undefined) {
		report.warn(source.place(fields.start), {
			code: "no-name",
			message: `The agent has no \`name\`, so it is called ${quoted(stem)} after its file.`,
			remedy: "Add a line `name:` for other programs, which pass over agents without one.",
		});
	}
	if (front.body === "") {
		report.error(source.place(front.bodyStart), {
			code: "no-prompt",
			message: "There is nothing below the front matter, so this agent would have no instructions.",
			remedy: "Write below the second `---` what the agent is and how it works.",
		});
		return { kind: "broken", diagnostics: report.diagnostics };
	}
	warnOfSlips(fields, source, report);
	const agent: AgentFile = {
		name: named ?? stem,
		origin: { kind: "file", file: source.file, tier: place.tier },
		path: place.path,
		description: (textOf(fields, "description") ?? "").replace(/\s+/g, " "),
		prompt: front.body,
		tools: toolsOf(fields, source, place, report),
		models: modelsOf(fields, source, report),
		thinking: thinkingOf(fields, source, report),
		skills: skillsOf(fields, source, place.skills, report),
		diagnostics: report.diagnostics,
	};
	return { kind: "agent", agent: { ...agent, diagnostics: report.diagnostics } };
}

function toolsOf(fields: MapNode, source: Source, place: AgentPlace, report: Report): readonly string[] | undefined {
	const listed = fields.entries.get("tools");
	const denied = wordsOf(fields, "disallowedTools", source, report);
	let tools: readonly string[] | undefined;
	if (listed) {
		const words = readWords(listed.value, "tools", source, report);
		const said = readToolNames(words.map(({ text }) => text));
		for (const problem of said.problems) {
			const at = words.find(({ text }) => text === problem.written)?.start ?? listed.keyStart;
			const { severity, written: _, ...rest } = problem;
			if (severity === "error") report.error(source.place(at), rest);
			else report.warn(source.place(at), rest);
		}
		tools = said.kind === "all" ? undefined : said.names;
	} else if (place.withoutTools === "reading") {
		tools = reading;
		report.warn(source.place(fields.start), {
			code: "no-tools",
			message: `The agent lists no tools, so it gets ${reading.join(", ")}, as in agent-team.`,
			remedy: "Add a line `tools:` with what it needs, for example `tools: read, bash, edit, write`.",
		});
	}
	if (denied.length === 0) return tools;
	const taken = new Set(readToolNames(denied.map(({ text }) => text)).names);
	return (tools ?? byDefault).filter((tool) => !taken.has(tool));
}

function modelsOf(fields: MapNode, source: Source, report: Report): readonly string[] {
	// A model's name may hold blanks: only commas separate two.
	const one = textOf(fields, "model")?.split(",") ?? wordsOf(fields, "model", source, report).map(({ text }) => text);
	const more = wordsOf(fields, "models", source, report).map(({ text }) => text);
	return [...new Set([...one, ...more].map((word) => word.trim()).filter((word) => word !== ""))];
}

function thinkingOf(fields: MapNode, source: Source, report: Report): ThinkingLevel | undefined {
	const entry = fields.entries.get("thinking");
	const word = entry && readText(entry.value);
	if (!entry || word === undefined) return undefined;
	const level = readThinking(word);
	if (level === undefined) {
		report.warn(source.place(entry.value.start), {
			code: "unknown-thinking",
			message: `${quoted(word)} is no level of thinking, so the model's default is used.${didYouMean(word, THINKING_LEVELS)}`,
			remedy: `Write one of ${THINKING_LEVELS.join(", ")}.`,
		});
	}
	return level;
}

function skillsOf(fields: MapNode, source: Source, places: SkillPlaces, report: Report): readonly string[] {
	const found = new Set<string>();
	for (const { text, start } of wordsOf(fields, "skills", source, report)) {
		const path = findSkill(text, dirname(source.file), places);
		if (path) found.add(path);
		else {
			report.warn(source.place(start), {
				code: "unknown-skill",
				message: `The skill ${quoted(text)} was not found, so the agent works without it.`,
				remedy: "Name a folder with a SKILL.md in .pi/skills or pi's own skills folder, or give its path.",
			});
		}
	}
	return [...found];
}

/** Fields that are probably meant to be one that is read. */
function warnOfSlips(fields: MapNode, source: Source, report: Report): void {
	for (const [key, { keyStart }] of fields.entries) {
		if (read.includes(key) || passedOver.has(key)) continue;
		const suggestion = didYouMean(key, read);
		if (suggestion === "") continue;
		report.warn(source.place(keyStart), {
			code: "unknown-key",
			message: `The field ${quoted(key)} has no effect.${suggestion}`,
			remedy: "Correct its name, or remove it.",
		});
	}
}

function wordsOf(fields: MapNode, key: string, source: Source, report: Report) {
	const entry = fields.entries.get(key);
	return entry ? readWords(entry.value, key, source, report) : [];
}

function textOf(fields: MapNode, key: string): string | undefined {
	const entry = fields.entries.get(key);
	return entry && readText(entry.value);
}
