// Agent files: each is a persona, with its front matter unchanged. The meaning of their tools depends on their folder.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileSlug, type ImportDraft, notesOnRest } from "./draft.ts";
import type { PlainRecord } from "./plain-value.ts";

/** Fields that the reader of agent files supports; it reports restrictions itself. */
const known =
	"name description tools model models thinking skills readonly permissionMode permissions permission disallowedTools allowed-tools mode sandbox isolation hooks approval".split(
		" ",
	);

export interface AgentInput {
	/** Absolute. */
	readonly from: string;
	readonly fields: PlainRecord;
	/** The whole file. */
	readonly text: string;
	/** Its name if the file has none. */
	readonly stem: string;
	/** Put before its name if another agent has the same; else empty. */
	readonly prefix: string;
}

export function importAgent({ from, fields, text, stem, prefix }: AgentInput): ImportDraft {
	const written = typeof fields.name === "string" && fields.name.trim() !== "" ? fields.name : undefined;
	const name = `${prefix}${written ?? stem}`;
	// In Claude Code, an agent without a list has every tool.
	const isClaude = "color" in fields || /[\\/]\.claude[\\/]/.test(from) || isInPlugin(dirname(from));
	const lists = ["tools", "allowed-tools", "readonly"].some((key) => key in fields);
	const added = [
		...(written === undefined || prefix !== "" ? [`name: ${JSON.stringify(name)}\n`] : []),
		...(isClaude && !lists ? ['tools: "*"\n'] : []),
	].join("");
	const rest = prefix === "" ? text : text.replace(/^name:.*\n/m, "");
	const content = added === "" ? text : rest.replace(/^---[^\n]*\n/, (line) => line + added);
	return {
		kind: "agent",
		name,
		from,
		format: "an agent file",
		files: [{ path: `.pi/agents/${fileSlug(name, "agent")}.md`, text: content }],
		notes: notesOnRest(fields, known).map((note) => `${note} has no effect here, but stays in the file`),
		...(added === "" ? { copied: true } : {}),
	};
}

/** Whether a plugin or a marketplace of plugins contains the folder. */
function isInPlugin(folder: string): boolean {
	if (/[\\/]plugins$/.test(folder) || existsSync(join(folder, ".claude-plugin"))) return true;
	return dirname(folder) !== folder && isInPlugin(dirname(folder));
}
