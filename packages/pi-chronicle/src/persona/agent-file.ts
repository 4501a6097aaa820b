// Reads one agent file (`*.md` with front matter) into a persona. Supports the fields of agent-team, pi's own agents, and Claude Code.
// A file with front matter is never dropped without a diagnostic; an agent never gets more tools than any of its fields allows.
import { dirname } from "node:path";
import {
	type Diagnostic,
	didYouMean,
	type MapNode,
	type Node,
	openReport,
	parseFrontMatter,
	quoted,
	type Report,
	type Source,
} from "@pi-chronicle/core/definition";
import { readThinking, THINKING_LEVELS, type ThinkingLevel } from "./model-choice.ts";
import type { AgentFile } from "./persona.ts";
import { quoteTextFields } from "./plain-front-matter.ts";
import { readText, readWordList } from "./read-values.ts";
import { isRestriction, keepAllowed, READING, type Restrictions, readRestrictions } from "./restrictions.ts";
import { findSkill, type SkillPlaces } from "./skills.ts";
import { readToolNames } from "./tool-names.ts";

export interface AgentPlace {
	readonly tier: "project" | "user" | "shipped";
	/** Path relative to the agents folder, without `.md`, with `/` as separator. */
	readonly path: string;
	/** Tools for a file without `tools`: `reading` as in agent-team, `all` as in Claude Code. */
	readonly withoutTools: "reading" | "all";
	readonly skills: SkillPlaces;
}

export type AgentRead =
	| { readonly kind: "agent"; readonly agent: AgentFile }
	/** A Markdown file without front matter, so not an agent. */
	| { readonly kind: "other" }
	| { readonly kind: "broken"; readonly diagnostics: readonly Diagnostic[] };

const byDefault = ["read", "bash", "edit", "write"];
const read = ["name", "description", "tools", "disallowedTools", "readonly", "model", "models", "thinking", "skills"];
/** Fields of other programs that read the same files; ignored here. */
const skipped = new Set(
	"color colour extensions subagents delegate_depth kind version author tags category license icon emoji mcpServers memory temperature output interactive defaultReads defaultProgress maxTurns background effort systemPromptMode inheritProjectContext".split(
		" ",
	),
);

export function readAgentFile(written: Source, place: AgentPlace): AgentRead {
	if (!written.text.trimStart().startsWith("---")) return { kind: "other" };
	const source = quoteTextFields(written);
	const front = parseFrontMatter(source);
	const report = openReport();
	warnOfPlainTexts(source, written, report);
	report.add(front.diagnostics);
	const { fields } = front;
	if (!fields) return { kind: "broken", diagnostics: report.diagnostics };

	const stem = place.path.slice(place.path.lastIndexOf("/") + 1);
	const named = textField(fields, "name");
	if (named === undefined) {
		report.warn(source.place(fields.start), {
			code: "no-name",
			message: `The agent has no \`name\`, so it is called ${quoted(stem)} after its file.`,
			remedy: "Add a line `name:` for other programs, which ignore agents without one.",
		});
	}
	if (front.body === "") {
		report.error(source.place(front.bodyStart), {
			code: "no-prompt",
			message: "The text below the front matter is empty, so this agent has no instructions.",
			remedy: "Write the agent's role and working method below the second `---`.",
		});
	}
	warnOfSlips(fields, source, report);
	const restrictions = readRestrictions(fields, source, report);
	const listed = listedTools(fields, source, place, report);
	const agent: AgentFile = {
		name: named ?? stem,
		origin: { kind: "file", file: source.file, tier: place.tier },
		path: place.path,
		description: (textField(fields, "description") ?? "").replace(/\s+/g, " "),
		prompt: front.body,
		tools: restrict(listed.tools, restrictions),
		restrictions,
		foreign: listed.foreign,
		models: modelsOf(fields, source, report),
		thinking: thinkingOf(fields, source, report),
		skills: skillsOf(fields, source, place.skills, report),
		diagnostics: report.diagnostics,
	};
	if (front.body === "") return { kind: "broken", diagnostics: report.diagnostics };
	return { kind: "agent", agent: { ...agent, diagnostics: report.diagnostics } };
}

function warnOfPlainTexts(source: Source, written: Source, report: Report): void {
	if (source === written) return;
	report.warn(source.place(0), {
		code: "not-yaml",
		message: "The front matter is not valid YAML; texts in it are read as if they were in quotes.",
		remedy: "Put texts with colons or brackets in quotes, for programs that read YAML strictly.",
	});
}

/** The tools that the restrictions allow. A missing list stays `undefined` only if nothing is restricted. */
function restrict(tools: readonly string[] | undefined, restrictions: Restrictions): readonly string[] | undefined {
	if (tools === undefined && restrictions.denied.length === 0 && restrictions.only === undefined) return undefined;
	const from = tools ?? [
		...new Set([...byDefault, ...(restrictions.only ?? []).filter((tool) => !tool.includes("*"))]),
	];
	return keepAllowed(from, restrictions).kept;
}

interface ListedTools {
	/** `undefined`: pi's default tools. */
	readonly tools: readonly string[] | undefined;
	/** Names of tools that an extension of a state may provide. */
	readonly foreign: readonly string[];
}

function listedTools(fields: MapNode, source: Source, place: AgentPlace, report: Report): ListedTools {
	const listed = fields.entries.get("tools");
	if (listed && !onlySwitchesOff(listed.value)) {
		const words = readWordList(listed.value, "tools", source, report);
		const parsed = readToolNames(words.map(({ text }) => text));
		for (const problem of parsed.problems) {
			const at = words.find(({ text }) => text === problem.written)?.start ?? listed.keyStart;
			const { severity, written: _, ...rest } = problem;
			if (severity === "error") report.error(source.place(at), rest);
			else report.warn(source.place(at), rest);
		}
		return { tools: parsed.kind === "all" ? undefined : parsed.names, foreign: parsed.foreign };
	}
	if (place.withoutTools === "all") return { tools: undefined, foreign: [] };
	report.warn(source.place(fields.start), {
		code: "no-tools",
		message: `The agent lists no tools, so it gets ${READING.join(", ")}, as in agent-team.`,
		remedy: "Add a line `tools:` with the tools that it needs, for example `tools: read, bash, edit, write`.",
	});
	return { tools: READING, foreign: [] };
}

/** Whether `tools` only switches tools off, such as `{ write: false }`, and so does not list the agent's tools. */
function onlySwitchesOff(node: Node): boolean {
	if (node.kind !== "map" || node.entries.size === 0 || node.entries.has("*")) return false;
	return [...node.entries.values()].every(({ value }) => value.kind === "scalar" && value.value === false);
}

function modelsOf(fields: MapNode, source: Source, report: Report): readonly string[] {
	// A model name may contain spaces, so only commas separate names.
	const one =
		textField(fields, "model")?.split(",") ?? listedWords(fields, "model", source, report).map(({ text }) => text);
	const more = listedWords(fields, "models", source, report).map(({ text }) => text);
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
			message: `${quoted(word)} is not a thinking level, so the model's default is used.${didYouMean(word, THINKING_LEVELS)}`,
			remedy: `Write one of ${THINKING_LEVELS.join(", ")}.`,
		});
	}
	return level;
}

function skillsOf(fields: MapNode, source: Source, places: SkillPlaces, report: Report): readonly string[] {
	const found = new Set<string>();
	for (const { text, start } of listedWords(fields, "skills", source, report)) {
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

/** Warns about unknown fields with a name similar to a supported field. */
function warnOfSlips(fields: MapNode, source: Source, report: Report): void {
	for (const [key, { keyStart }] of fields.entries) {
		if (read.includes(key) || skipped.has(key) || isRestriction(key)) continue;
		const suggestion = didYouMean(key, read);
		if (suggestion === "") continue;
		report.warn(source.place(keyStart), {
			code: "unknown-key",
			message: `The field ${quoted(key)} has no effect.${suggestion}`,
			remedy: "Correct its name, or remove it.",
		});
	}
}

function listedWords(fields: MapNode, key: string, source: Source, report: Report) {
	const entry = fields.entries.get(key);
	return entry ? readWordList(entry.value, key, source, report) : [];
}

function textField(fields: MapNode, key: string): string | undefined {
	const entry = fields.entries.get(key);
	return entry && readText(entry.value);
}
