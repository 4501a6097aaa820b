// Workflows of spec-kit: `workflow: {…}`, `inputs`, and a list of steps of several types. Each becomes a chronicle.
import { fileSlug, type ImportDraft, type ImportNote, ImportRefusal, importNote } from "./draft.ts";
import { ForeignFields, isRecord, type Plain, type PlainRecord, plainList } from "./foreign-fields.ts";
import type { ForeignFileInput } from "./foreign-file.ts";
import { replaceVariables, resultOf } from "./replace-variables.ts";
import { compileSteps, type Step } from "./step-tree.ts";
import { templateDraft } from "./template-draft.ts";
import { type ImportTarget, modelFields } from "./worker-fields.ts";

interface ImportContext {
	readonly target: ImportTarget;
	readonly notes: ImportNote[];
	/** Number of loops and branches that enclose a step. */
	readonly depth: number;
}

const deepest = 20;

export function importSpecKit(input: ForeignFileInput): readonly ImportDraft[] {
	const top = new ForeignFields(input.fields, "");
	const about = new ForeignFields(top.record("workflow") ?? {}, "workflow");
	const notes: ImportNote[] = [];
	const id = about.text("id");
	const title = about.text("name") ?? id;
	const description = about.text("description");
	const steps = readSteps(top.list("steps"), { target: input.target, notes, depth: 0 });
	const compiled = compileSteps(steps);
	top.ignore("schema_version");
	notes.push(...about.rest(), ...top.rest(), ...compiled.notes);
	const name = fileSlug(id ?? input.stem, "workflow");
	return [templateDraft({ ...input, ...compiled, from: input.file, name, title, description, notes })];
}

function readSteps(listed: readonly Plain[] | undefined, context: ImportContext): Step {
	if (context.depth > deepest) throw new ImportRefusal(`Steps are nested deeper than ${deepest} levels.`);
	const inner = { ...context, depth: context.depth + 1 };
	const steps = plainList(listed).map((step, index): Step => {
		if (!isRecord(step)) throw new ImportRefusal(`Step ${index + 1} is not an object.`);
		return readStep(step, inner);
	});
	return { kind: "sequence", steps };
}

function readStep(step: PlainRecord, context: ImportContext): Step {
	const name = typeof step.id === "string" ? step.id : "step";
	const fields = new ForeignFields(step, name);
	fields.ignore("id");
	const type = fields.text("type") ?? "command";
	const reader = readers[type] ?? readUnknown;
	const read = reader(name, fields, context);
	context.notes.push(...fields.rest());
	return read;
}

type StepReader = (name: string, fields: ForeignFields, context: ImportContext) => Step;

const readers: Readonly<Record<string, StepReader>> = {
	command(name, fields, context) {
		const command = fields.text("command") ?? "";
		const given = new ForeignFields(fields.record("input") ?? {}, name);
		const args = words(given.text("args") ?? "");
		const text = `Do what the Spec Kit command \`${command}\` describes${args === "" ? "." : `, with: ${args}`}`;
		context.notes.push(...given.rest(), importNote(name, `the text of the command \`${command}\` is not in this file`));
		return work(name, text, fields, context);
	},
	prompt: (name, fields, context) => work(name, words(fields.text("prompt") ?? ""), fields, context),
	shell(name, fields, context) {
		const run = words(fields.text("run") ?? "");
		const text = `Run this command in a shell, and report its exit code and the relevant output:\n\n${indented(run)}`;
		return work(name, text, fields, context);
	},
	gate: (name, fields) => ({
		kind: "gate",
		name,
		message: words(fields.text("message") ?? `Continue after ${name}?`),
	}),
	if(name, fields, context) {
		const condition = words(fields.text("condition") ?? "");
		const branches = [readSteps(fields.list("then"), context), readSteps(fields.list("else"), context)];
		return {
			kind: "choice",
			name,
			question: `If this holds, take the first, otherwise the other: ${condition}`,
			branches,
		};
	},
	switch(name, fields, context) {
		const expression = words(fields.text("expression") ?? "");
		const cases = Object.entries(fields.record("cases") ?? {});
		const fallback = readSteps(fields.list("default"), context);
		const branches = [...cases.map(([, steps]) => readSteps(plainList(steps), context)), fallback];
		const listed = cases.map(([value]) => `- ${value}`).join("\n");
		const question = `The value of ${expression} decides. In the order of the states that may follow:\n${listed}\n- anything else`;
		return { kind: "choice", name, question, branches };
	},
	while: (name, fields, context) => loop(name, "condition", fields, context),
	"do-while": (name, fields, context) => loop(name, "body", fields, context),
	"fan-out"(name, fields, context) {
		const items = words(fields.text("items") ?? "");
		const step = fields.record("step") ?? {};
		const text = `For each of ${items}, one after another, do this:\n\n${indented(words(JSON.stringify(step, undefined, 2)))}`;
		return work(name, text, fields, context);
	},
	"fan-in": (_name, fields) => {
		fields.ignore("wait_for");
		return { kind: "nothing" };
	},
};

const readUnknown: StepReader = (name, fields, context) => {
	const left = fields.rest().map(({ what }) => what);
	context.notes.push(importNote(name, "a step of an unknown type; its fields are in the instructions"));
	return work(name, `This step had these fields in another tool:\n\n${left.join("\n")}`, fields, context);
};

function loop(name: string, first: "condition" | "body", fields: ForeignFields, context: ImportContext): Step {
	const condition = words(fields.text("condition") ?? "");
	const max = fields.number("max_iterations");
	const bound = max === undefined ? "" : `, at most ${max} times`;
	const question = `Repeat while this holds${bound}: ${condition}`;
	return { kind: "loop", name, first, question, max, body: readSteps(fields.list("steps"), context) };
}

function work(name: string, text: string, fields: ForeignFields, { target, notes }: ImportContext): Step {
	const model = modelFields(fields, target, notes);
	return { kind: "work", name, fields: { persona: "Engineer", ...model, instructions: text } };
}

function words(text: string): string {
	return replaceVariables(text, /\{\{([^{}]*)\}\}/g, (expression) => {
		const [, input] = /^inputs\.([\w-]+)$/.exec(expression) ?? [];
		if (input !== undefined) return `[${input}, from the task of this run]`;
		const [, step, part] = /^steps\.([\w-]+)\.output(?:\.([\w.]+))?$/.exec(expression) ?? [];
		return step === undefined ? undefined : resultOf(step, part);
	});
}

function indented(text: string): string {
	return text.replaceAll(/^/gm, "    ");
}
