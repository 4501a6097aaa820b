// Agent files: each is a persona, with its front matter unchanged. The meaning of their tools depends on their folder.
import { fileSlug, type ImportDraft, type ImportNote, importNote } from "./draft.ts";
import { ForeignFields } from "./foreign-fields.ts";
import type { ForeignFileInput } from "./foreign-file.ts";

export interface AgentInput extends ForeignFileInput {
	/** The whole file. */
	readonly text: string;
}

/** Fields that the reader of agent files supports; it reports restrictions itself. */
const known = [
	...[
		"name",
		"description",
		"tools",
		"model",
		"models",
		"thinking",
		"skills",
		"readonly",
		"permissionMode",
		"permissions",
	],
	...["permission", "disallowedTools", "allowed-tools", "mode", "sandbox", "isolation", "hooks", "approval"],
];

export function importAgent({ file, format, stem, fields, text }: AgentInput): readonly ImportDraft[] {
	const name = typeof fields.name === "string" && fields.name.trim() !== "" ? fields.name : stem;
	const notes: ImportNote[] = [];
	const left = new ForeignFields(fields, "");
	left.ignore(...known);
	notes.push(...left.rest().map(({ what }) => importNote("", `${what} has no effect here, but stays in the file`)));
	// In Claude Code, an agent without a list has every tool.
	const isClaude = /[\\/]\.claude[\\/]/.test(file);
	const lists = ["tools", "allowed-tools", "readonly"].some((key) => key in fields);
	const content = isClaude && !lists ? text.replace(/^---[^\n]*\n/, (line) => `${line}tools: "*"\n`) : text;
	const path = `.pi/agents/${fileSlug(name, "agent")}.md`;
	return [
		{
			kind: "agent",
			name,
			from: file,
			format,
			files: [{ path, text: content }],
			notes,
			...(isClaude ? {} : { copied: true }),
		},
	];
}
