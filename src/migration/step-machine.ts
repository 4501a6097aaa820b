// Workflows of pi-workflows: `start`, and `steps` with `transitions` by outcome. Each becomes a chronicle with the same states and moves.

import { realpathSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { isInside, readSource } from "../definition/index.ts";
import { fileSlug, type ImportDraft, type ImportNote, ImportRefusal, importNote, UniqueNames } from "./draft.ts";
import { ForeignFields, isRecord, type Plain, type PlainRecord, plainList } from "./foreign-fields.ts";
import type { ForeignFileInput } from "./foreign-file.ts";
import { replaceVariables, theResult, theTask } from "./replace-variables.ts";
import { templateDraft } from "./template-draft.ts";
import { modelFields, type StateFields, toolFields, workerOf } from "./worker-fields.ts";

interface ImportContext extends ForeignFileInput {
	/** State names by step ids, including the ends. */
	readonly names: ReadonlyMap<string, string>;
	readonly notes: ImportNote[];
}

export function importStepMachine(input: ForeignFileInput): readonly ImportDraft[] {
	const top = new ForeignFields(input.fields, "");
	const [id, command, description] = [top.text("id"), top.text("command"), top.text("description")];
	const start = top.text("start");
	const steps = Object.entries(top.record("steps") ?? {});
	const unique = new UniqueNames(["done", "failed"]);
	const names = new Map(steps.map(([step]) => [step, unique.take(fileSlug(step, "step"))]));
	const context: ImportContext = { ...input, names, notes: [] };
	// The run starts in the first state.
	const ordered = [...steps.filter(([step]) => step === start), ...steps.filter(([step]) => step !== start)];
	const states = new Map(ordered.map(([step, value]) => [names.get(step) ?? step, readStep(step, value, context)]));
	if (states.size === 0) throw new ImportRefusal("The workflow has no steps.");
	if ([...states.values()].some(({ next }) => plainList(next).includes("done"))) states.set("done", {});
	const visits = top.number("maxStepVisits");
	if (visits !== undefined)
		context.notes.push(importNote("", `\`maxStepVisits\` ${visits}: see limits.pair_moves and limits.moves`));
	top.ignore("version");
	context.notes.push(...top.rest());
	const name = fileSlug(id ?? command ?? input.stem, "workflow");
	const parts = { ...input, from: input.file, name, title: id ?? command, description, states, notes: context.notes };
	return [templateDraft(parts)];
}

function readStep(step: string, value: Plain, context: ImportContext): PlainRecord {
	const { notes, target } = context;
	if (!isRecord(value)) throw new ImportRefusal(`The step ${step} is not an object.`);
	const fields = new ForeignFields(value, step);
	const title = fields.text("title");
	const helper = new ForeignFields(fields.record("subagent") ?? {}, step);
	const agent = fields.text("agent") ?? helper.text("agent");
	const minutes = helper.number("timeoutMs");
	const requests = new ForeignFields(helper.record("turnBudget") ?? {}, step);
	const calls = new ForeignFields(helper.record("toolBudget") ?? {}, step);
	const limits = {
		...count("requests", requests.number("maxTurns")),
		...count("calls", fields.number("maxToolCalls") ?? calls.number("hard")),
	};
	helper.ignore("context");
	const { next, outcomes } = readTransitions(step, fields.record("transitions") ?? {}, context);
	const instructions = [readPrompt(fields, context), outcomes].filter((text) => text !== "").join("\n\n");
	const gate = fields.record("gate");
	if (gate) notes.push(importNote(step, `you approve its gate: ${JSON.stringify(gate)}`));
	const state: PlainRecord = {
		...(title === undefined ? {} : { description: title }),
		...workerOf(agent, step, target, notes),
		...readPermissions(fields, context),
		...modelFields(helper, target, notes),
		...(instructions === "" ? {} : { instructions }),
		...(gate ? { requires_approval: true } : {}),
		...(minutes === undefined ? {} : { timeout_minutes: Math.max(0.01, Math.round(minutes / 600) / 100) }),
		...(Object.keys(limits).length === 0 ? {} : { limits }),
		next,
	};
	fields.ignore("requires");
	notes.push(...requests.rest(), ...calls.rest(), ...helper.rest(), ...fields.rest());
	return state;
}

function count(key: string, value: number | undefined): PlainRecord {
	return value === undefined ? {} : { [key]: Math.max(1, Math.round(value)) };
}

/** The target states of the outcomes, each once, and the target of each outcome. */
function readTransitions(
	step: string,
	transitions: PlainRecord,
	{ names, notes }: ImportContext,
): { readonly next: readonly string[]; readonly outcomes: string } {
	const found = new Set<string>();
	const lines: string[] = [];
	for (const [outcome, to] of Object.entries(transitions)) {
		const state = to === "$done" ? "done" : names.get(String(to));
		if (state !== undefined) {
			found.add(state);
			lines.push(`- \`${outcome}\`: ${state}`);
		} else if (to === "$pause")
			notes.push(
				importNote(
					step,
					`\`${outcome}\`: $pause; here, a worker that cannot continue makes no move, and the run pauses`,
				),
			);
		else notes.push(importNote(step, `\`${outcome}\` leads to ${JSON.stringify(to)}, which is not a step`));
	}
	const outcomes = found.size < 2 ? "" : `The outcome decides which state follows:\n${lines.join("\n")}`;
	return { next: [...found], outcomes };
}

/** Tools and skills. Omits a shell that is limited to some commands. */
function readPermissions(fields: ForeignFields, { notes, target }: ImportContext): StateFields {
	const permissions = new ForeignFields(fields.record("permissions") ?? {}, fields.where);
	const bash = permissions.record("bash");
	const isFree = bash === undefined || bash.mode === "unrestricted";
	const written = permissions.names("tools")?.filter((tool) => isFree || tool !== "bash");
	if (!isFree)
		notes.push(importNote(fields.where, `its shell was limited, so \`bash\` is omitted: ${JSON.stringify(bash)}`));
	const state = { ...toolFields(written, fields.where, notes), ...modelFields(permissions, target, notes) };
	notes.push(...permissions.rest());
	return state;
}

/** The text of a step, inline or in a file next to the workflow. */
function readPrompt(fields: ForeignFields, { file, notes, names }: ImportContext): string {
	const reference = fields.record("prompt");
	const path = reference?.file;
	const text = typeof path === "string" ? readBeside(file, path, fields.where, notes) : (fields.text("prompt") ?? "");
	return replaceVariables(text, /\{\{([^{}]*)\}\}/g, (name) => {
		if (name === "workflow.input") return theTask;
		if (name === "last.summary") return theResult;
		return name === "step.id" ? (names.get(fields.where) ?? fields.where) : undefined;
	});
}

/** The text of a file inside the workflow's folder; empty, with a note, if it is elsewhere or unreadable. */
function readBeside(workflow: string, path: string, where: string, notes: ImportNote[]): string {
	const folder = dirname(workflow);
	const file = resolve(folder, path);
	const refuse = (why: string): string => {
		notes.push(importNote(where, `the text in \`${path}\` ${why}`));
		return "";
	};
	if (!isInside(folder, file)) return refuse(`is not read, because it is outside ${basename(folder)}`);
	const read = readSource(file);
	if (read.kind === "problem") return refuse(`cannot be read: ${read.diagnostic.message}`);
	if (read.kind === "absent") return refuse("does not exist");
	if (!isInside(realpathSync(folder), realpathSync(file)))
		return refuse("is not read, because a link leads out of the folder");
	return read.source.text.trim();
}
