// Writes an imported workflow: `workflow.yaml` and one file per phase, with the origin in a comment.
import { basename } from "node:path";
import { stringify } from "yaml";
import { singleLine } from "../definition/index.ts";
import { fileSlug, type ImportDraft, type ImportNote, originComment, UniqueNames } from "./draft.ts";

export interface PhaseParts {
	readonly title: string;
	/** Markdown. */
	readonly body: string;
	/** The only tools that it may use; `undefined`: all tools. */
	readonly tools?: readonly string[] | undefined;
	/** Whether only the user can end it. */
	readonly advance?: "person";
}

export interface WorkflowParts {
	/** The folder's name, a slug. */
	readonly name: string;
	readonly title: string;
	readonly phases: readonly PhaseParts[];
	readonly from: string;
	readonly format: string;
	readonly notes: readonly ImportNote[];
}

export function workflowDraft({ name, title, phases, from, format, notes }: WorkflowParts): ImportDraft {
	const ids = new UniqueNames();
	const files = phases.map(({ title: phase, body, tools, advance }, index) => {
		const id = ids.take(fileSlug(phase, "phase"));
		const fields = {
			id,
			name: line(phase, id),
			emoji: "🔹",
			...(tools === undefined ? {} : { tools: { whitelist: tools } }),
			...(advance === undefined ? {} : { advance }),
		};
		const text = `---\n${stringify(fields, { lineWidth: 0 })}---\n\n${body.trim() || line(phase, id)}\n`;
		return { file: `${String(index + 1).padStart(2, "0")}-${id}.md`, text };
	});
	const workflow = {
		name: line(title, name),
		commandName: name,
		initialMessage: "The task: {description}\n\nBegin with {firstPhaseName}.\n",
		phases: files.map(({ file }) => file),
	};
	const folder = `.pi/workflows/${name}`;
	const head = originComment(basename(from), format, notes);
	return {
		kind: "workflow",
		name,
		from,
		format,
		files: [
			{ path: `${folder}/workflow.yaml`, text: head + stringify(workflow, { lineWidth: 120 }) },
			...files.map(({ file, text }) => ({ path: `${folder}/${file}`, text })),
		],
		notes,
	};
}

function line(text: string, fallback: string): string {
	return singleLine(text).replaceAll(/\s+/g, " ").trim().slice(0, 120) || fallback;
}
