// Texts that describe steps: commands, skills, recorded sequences. Each becomes a workflow with one phase per step.
import { fileSlug, type ImportDraft, type ImportNote, importNote } from "./draft.ts";
import { ForeignFields, plainList } from "./foreign-fields.ts";
import type { ForeignFileInput } from "./foreign-file.ts";
import { replaceVariables } from "./replace-variables.ts";
import { toolFields } from "./worker-fields.ts";
import { type PhaseParts, workflowDraft } from "./workflow-draft.ts";

/** Commands of Claude Code and prompt templates of pi: front matter and a text with arguments. */
export function importCommandText(input: ForeignFileInput): readonly ImportDraft[] {
	return importText(input, "command");
}

/** Skills: front matter and a text. */
export function importSkillText(input: ForeignFileInput): readonly ImportDraft[] {
	return importText(input, "skill");
}

function importText(input: ForeignFileInput, kind: "command" | "skill"): readonly ImportDraft[] {
	const fields = new ForeignFields(input.fields, "");
	const notes: ImportNote[] = [];
	const title = fields.text("name") ?? input.stem;
	const description = fields.text("description");
	const written = fields.names("allowed-tools") ?? fields.names("tools");
	const tools = plainList(toolFields(written, "allowed-tools", notes).tools).map(String);
	const limit = tools.length === 0 ? undefined : tools;
	if (description !== undefined) notes.push(importNote("description", description));
	notes.push(...fields.rest());
	const phases = phasesOf(variables(input.body, notes), title);
	const name = fileSlug(kind === "skill" ? title : input.stem, kind);
	return [
		workflowDraft({
			...input,
			from: input.file,
			name,
			title,
			phases: phases.map((phase) => ({ ...phase, tools: limit })),
			notes,
		}),
	];
}

/** `$ARGUMENTS` and `$@` are the task; other placeholders stay, with a note. */
function variables(body: string, notes: ImportNote[]): string {
	const text = replaceVariables(body, /\$(ARGUMENTS\b|@|\{@\})/g, () => "{description}");
	const left = new Set(
		[...text.matchAll(/\$\d|\$\{\d[^}]*\}|^!`[^`]*`|(?<=\s)@[\w./-]+/gm)].map(([written]) => written.trim()),
	);
	for (const written of left) notes.push(importNote("", `\`${written}\` is plain text here`));
	return text;
}

interface Section {
	readonly title: string;
	readonly body: string;
}

/** Headings that introduce a step. */
const stepHeading = /^(?:step|phase|stage|part|task)\s*\d+\b|^\d+[.):]\s+\S/i;
/** Headings above a numbered list of steps. */
const listHeading = /\b(?:checklist|steps|process|workflow|procedure|instructions)\b/i;
/** Phrases that leave the end of a phase to the user. */
const waits =
	/\b(?:wait for|ask)\b[^.\n]{0,40}\b(?:approval|confirm\w*|permission|explicit yes)\b|\bget (?:\w+ ){0,2}approval\b/i;

/**
 * The phases of a text: its headings that are steps, otherwise its longest numbered list under a heading such as "Steps", otherwise the whole
 * text. Text outside the steps precedes the first phase, so that nothing is lost.
 */
export function phasesOf(body: string, title: string): readonly PhaseParts[] {
	const sections = sectionsOf(body);
	const steps = sections.filter((section) => stepHeading.test(section.title));
	if (steps.length >= 2) {
		const rest = sections.filter((section) => !steps.includes(section));
		return withContext(
			steps.map(({ title: head, body: text }) => phase(head.replace(/^\d+[.):]\s+/, ""), text)),
			joined(rest),
		);
	}
	const items = listedSteps(sections);
	if (items.length >= 2)
		return withContext(
			items.map(({ title: head, body: text }) => phase(head, text)),
			body,
		);
	return [phase(title, body)];
}

function phase(title: string, body: string): PhaseParts {
	return { title, body, ...(waits.test(`${title}\n${body}`) ? { advance: "person" as const } : {}) };
}

/** Puts the text around the steps before the first one. */
function withContext(phases: readonly PhaseParts[], context: string): readonly PhaseParts[] {
	const [first, ...others] = phases;
	if (!first || context.trim() === "") return phases;
	return [
		{ ...first, body: `${first.body.trim()}\n\n---\n\nThis applies to all phases:\n\n${context.trim()}` },
		...others,
	];
}

function joined(sections: readonly Section[]): string {
	return sections.map(({ title, body }) => (title === "" ? body : `## ${title}\n\n${body}`)).join("\n\n");
}

/** Splits the text at its headings of level 2 and below, outside code blocks. The part before the first heading has an empty title. */
function sectionsOf(body: string): readonly Section[] {
	const sections: { title: string; lines: string[] }[] = [{ title: "", lines: [] }];
	let fence = "";
	for (const line of body.split("\n")) {
		fence = fenceAfter(line, fence);
		const [, heading] = fence === "" ? (/^#{2,4}\s+(.+?)\s*#*$/.exec(line) ?? []) : [];
		if (heading !== undefined) sections.push({ title: heading, lines: [] });
		else sections.at(-1)?.lines.push(line);
	}
	return sections
		.map(({ title, lines }) => ({ title, body: lines.join("\n").trim() }))
		.filter(({ title, body: text }) => title !== "" || text !== "");
}

/** The fence of the code block that is open after a line; empty outside code blocks. */
function fenceAfter(line: string, open: string): string {
	const [, mark = ""] = /^\s*(```+|~~~+)/.exec(line) ?? [];
	if (mark === "") return open;
	if (open === "") return mark;
	return mark.startsWith(open) ? "" : open;
}

/** The longest numbered list below a heading that announces steps. */
function listedSteps(sections: readonly Section[]): readonly Section[] {
	const lists = sections
		.filter(({ title }) => title === "" || listHeading.test(title))
		.map(({ body }) => itemsOf(body));
	return lists.reduce((longest, list) => (list.length > longest.length ? list : longest), []);
}

function itemsOf(body: string): readonly Section[] {
	const items: { title: string; lines: string[]; number: number }[] = [];
	let best: Section[] = [];
	const close = (): void => {
		if (items.length > best.length) best = items.map(({ title, lines }) => ({ title, body: lines.join("\n").trim() }));
		items.length = 0;
	};
	for (const line of body.split("\n")) {
		const [, number, text = ""] = /^(\d{1,3})[.)]\s+(.+)$/.exec(line) ?? [];
		if (number !== undefined) {
			if (Number(number) === 1) close();
			const title = text.replaceAll("**", "").split(/\s+[—–-]\s+|:\s/)[0] ?? text;
			items.push({ title, lines: [text], number: Number(number) });
		} else items.at(-1)?.lines.push(line.trimStart());
	}
	close();
	return best;
}

/** A recorded sequence: its prompts become phases. Commands that only a sequence can send stay as text. */
export function importSteps(
	steps: readonly string[],
	{
		title,
		notes,
		...input
	}: Pick<ForeignFileInput, "file" | "format" | "stem"> & { readonly title: string; readonly notes: ImportNote[] },
): ImportDraft {
	const phases = steps.map((step, index): PhaseParts => {
		const first = step.trim().split("\n", 1)[0] ?? "";
		if (first.startsWith("/"))
			notes.push(
				importNote(`step ${index + 1}`, `\`${first}\` is a command, which a phase cannot send; it is plain text here`),
			);
		return { title: first.slice(0, 60) || `Step ${index + 1}`, body: variables(step, notes) };
	});
	return workflowDraft({ ...input, from: input.file, name: fileSlug(input.stem, "sequence"), title, phases, notes });
}
