// Commands of Claude Code and prompt templates: each becomes a workflow of one phase.

import { singleLine } from "@pi-chronicle/core/definition";
import { stringify } from "yaml";
import { fileSlug, type ImportDraft, importNote, notesOnRest, originComment } from "./draft.ts";
import type { PlainRecord } from "./plain-value.ts";

const format = "a Claude Code command, or a prompt template";

/** `name`: the file's name, with its folder if another command has the same. */
export function workflowOfCommand(from: string, name: string, fields: PlainRecord, body: string): ImportDraft {
	const key = fileSlug(name, "command");
	const title = shortOneLine(typeof fields.name === "string" ? fields.name : name) || key;
	const allowed = fields["allowed-tools"] ?? fields.tools;
	// In Claude Code, `allowed-tools` spares questions; it does not limit the tools of the command.
	const spared = allowed === undefined ? [] : [`\`allowed-tools\` ${JSON.stringify(allowed)}: here, the guard decides`];
	const text = body.replace(/\$(?:ARGUMENTS\b|@|\{@\})/g, () => "{description}");
	const plain = text.matchAll(/\$\d|\$\{\d[^}]*\}|^!`[^`]*`|(?<=\s)@[\w./-]+/gm);
	const notes = [
		...notesOnRest(fields, ["name", "allowed-tools", "tools"]),
		...[...spared, ...new Set([...plain].map(([written]) => `\`${written.trim()}\` is plain text here`))].map(
			importNote,
		),
	];
	const workflow = {
		name: title,
		commandName: key,
		initialMessage: "The task: {description}\n\nBegin with {firstPhaseName}.\n",
		phases: [`01-${key}.md`],
	};
	const phase = stringify({ id: key, name: title, emoji: "🔹" }, { lineWidth: 0 });
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

function shortOneLine(text: string): string {
	return singleLine(text).replaceAll(/\s+/g, " ").trim().slice(0, 120);
}
