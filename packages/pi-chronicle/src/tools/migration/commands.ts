// Commands of Claude Code and prompt templates: each becomes a workflow of one phase.

import { singleLine } from "@pi-chronicle/core/definition";
import { stringify } from "yaml";
import { readToolName } from "../../persona/index.ts";
import { fileSlug, type ImportDraft, importNote, notesOnRest, originComment } from "./draft.ts";
import type { Plain, PlainRecord } from "./plain-value.ts";

/** What these commands replace before a model reads them, besides all arguments. */
const replaced =
	/\$ARGUMENTS\[\d+\]|\$\d+|\$\{(?:\d|@|input|selection|workspace|file)[^}]*\}|!`[^`]*`|[!@]\{[^}]*\}|(?<=\s)@[\w./-]+/g;

/** `name`: the file's name, with its folder if another command has the same. `format`: with the article. */
export function workflowOfCommand(
	from: string,
	name: string,
	fields: PlainRecord,
	body: string,
	format = "a Claude Code command, or a prompt template",
): ImportDraft {
	const key = fileSlug(name, "command");
	const title = shortOneLine(typeof fields.name === "string" ? fields.name : name) || key;
	// In Claude Code, `allowed-tools` spares questions; it does not limit the tools of the command.
	const spared = ["allowed-tools", "tools"].flatMap((field) =>
		fields[field] === undefined ? [] : [`\`${field}\` ${JSON.stringify(fields[field])}: here, the guard decides`],
	);
	const text = body.replace(/\$(?:ARGUMENTS\b(?!\[)|@|\{@\})/g, () => "{description}");
	const plain = [...text.matchAll(replaced), ...namedArguments(fields, text)];
	const denied = deniedTools(fields["disallowed-tools"]);
	const notes = [
		...notesOnRest(fields, ["name", "allowed-tools", "tools", "disallowed-tools"]),
		...[
			...spared,
			...denied.notes,
			...new Set(plain.map(([written]) => `\`${written.trim()}\` is plain text here`)),
		].map(importNote),
	];
	const workflow = {
		name: title,
		commandName: key,
		initialMessage: "The task: {description}\n\nBegin with {firstPhaseName}.\n",
		phases: [`01-${key}.md`],
	};
	const limits = denied.names.length === 0 ? {} : { tools: { blacklist: denied.names } };
	const phase = stringify({ id: key, name: title, emoji: "🔹", ...limits }, { lineWidth: 0 });
	const folder = `.pi/workflows/${key}`;
	return {
		kind: "workflow",
		name: key,
		from,
		format,
		notes,
		files: [
			{ path: `${folder}/workflow.yaml`, text: originComment({ from, format, notes }) + stringify(workflow) },
			{ path: `${folder}/01-${key}.md`, text: `---\n${phase}---\n\n${text.trim() || title}\n` },
		],
	};
}

/** Placeholders such as `$FILES`, which `argument-hint: [FILES=<paths>]` or `arguments: files` declares. */
function namedArguments(fields: PlainRecord, text: string): readonly RegExpMatchArray[] {
	const hinted = [...String(fields["argument-hint"] ?? "").matchAll(/\b([A-Z][A-Z0-9_]*)=/g)].map(([, name]) => name);
	const declared = new Set([...hinted, ...writtenWords(fields.arguments)]);
	return [...text.matchAll(/\$([A-Za-z]\w*)/g)].filter(([, name]) => declared.has(name));
}

/** pi's names of the tools that the command must not use, and notes on what differs. */
function deniedTools(written: Plain | undefined): { readonly names: readonly string[]; readonly notes: string[] } {
	const names = new Set<string>();
	const notes: string[] = [];
	for (const word of writtenWords(written)) {
		const parsed = readToolName(word, "denied");
		for (const name of "names" in parsed ? parsed.names : parsed.kind === "foreign" ? [parsed.name] : [])
			names.add(name);
		if (parsed.kind === "limited") notes.push(`\`${word}\`: here, the whole tool is forbidden`);
		if (["absent", "unknown", "all"].includes(parsed.kind))
			notes.push(`\`disallowed-tools\`: \`${word}\` forbids nothing`);
	}
	return { names: [...names], notes };
}

/** The items of a list, or of a text with commas or blanks between them outside of brackets. */
function writtenWords(written: Plain | undefined): readonly string[] {
	if (Array.isArray(written)) return written.map(String);
	return typeof written === "string" ? (written.match(/[^\s,(]+(?:\([^)]*\))?/g) ?? []) : [];
}

function shortOneLine(text: string): string {
	return singleLine(text).replaceAll(/\s+/g, " ").trim().slice(0, 120);
}
