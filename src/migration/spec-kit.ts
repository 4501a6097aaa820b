// Workflows of spec-kit: `workflow: {…}`, `inputs`, and a list of steps of several types. Each becomes a chronicle.
import { fileSlug, type ImportDraft, type ImportNote, ImportRefusal, importNote } from "./draft.ts";
import { ForeignFields, isRecord, type Plain, type PlainRecord, plainList } from "./foreign-fields.ts";
import type { ForeignFileInput } from "./foreign-file.ts";
import { compileSteps, type Step } from "./step-tree.ts";
import { templateDraft } from "./template-draft.ts";
import { resultOf, withWords } from "./words.ts";
import { type ImportTarget, modelFields } from "./worker-fields.ts";

interface Reading {
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

function readSteps(listed: readonly Plain[] | undefined, reading: Reading): Step {
	if (reading.depth > deepest) throw new ImportRefusal(`Steps are nested deeper than ${deepest} levels.`);
	const inner = { ...reading, depth: reading.depth + 1 };
	const steps = plainList(listed).map((step, index): Step => {
		if (!isRecord(step)) throw new ImportRefusal(`Step ${index + 1} is not an object.`);
		return readStep(step, inner);
	});
	return { kind: "sequence", steps };
}

function readStep(step: PlainRecord, reading: Reading): Step {
	const name = typeof step.id === "string" ? step.id : "step";
	const fields = new ForeignFields(step, name);
	fields.ignore("id");
	const type = fields.text("type") ?? "command";
	const reader = readers[type] ?? readUnknown;
	const read = reader(name, fields, reading);
	reading.notes.push(...fields.rest());
	return read;
}

type StepReader = (name: string, fields: ForeignFields, reading: Reading) => Step;

const readers: Readonly<Record<string, StepReader>> = {
	command(name, fields, reading) {
		const command = fields.text("command") ?? "";
		const given = new ForeignFields(fields.record("input") ?? {}, name);
		const args = words(given.text("args") ?? "");
		const text = `Do what the Spec Kit command \`${command}\` describes${args === "" ? "." : `, with: ${args}`}`;
		reading.notes.push(...given.rest(), importNote(name, `the text of the command \`${command}\` is not in this file`));
		return work(name, text, fields, reading);
	},
	prompt: (name, fields, reading) => work(name, words(fields.text("prompt") ?? ""), fields, reading),
	shell(name, fields, reading) {
		const run = words(fields.text("run") ?? "");
		const text = `Run this command in a shell, and report its exit code and the relevant output:\n\n${indented(run)}`;
		return work(name, text, fields, reading);
	},
	gate: (name, fields) => ({
		kind: "gate",
		name,
		message: words(fields.text("message") ?? `Continue after ${name}?`),
	}),
	if(name, fields, reading) {
		const condition = words(fields.text("condition") ?? "");
		const branches = [readSteps(fields.list("then"), reading), readSteps(fields.list("else"), reading)];
		return {
			kind: "choice",
			name,
			question: `If this holds, take the first, otherwise the other: ${condition}`,
			branches,
		};
	},
	switch(name, fields, reading) {
		const expression = words(fields.text("expression") ?? "");
		const cases = Object.entries(fields.record("cases") ?? {});
		const fallback = readSteps(fields.list("default"), reading);
		const branches = [...cases.map(([, steps]) => readSteps(plainList(steps), reading)), fallback];
		const listed = cases.map(([value]) => `- ${value}`).join("\n");
		const question = `The value of ${expression} decides. In the order of the states that may follow:\n${listed}\n- anything else`;
		return { kind: "choice", name, question, branches };
	},
	while: (name, fields, reading) => loop(name, "condition", fields, reading),
	"do-while": (name, fields, reading) => loop(name, "body", fields, reading),
	"fan-out"(name, fields, reading) {
		const items = words(fields.text("items") ?? "");
		const step = fields.record("step") ?? {};
		const text = `For each of ${items}, one after another, do this:\n\n${indented(words(JSON.stringify(step, undefined, 2)))}`;
		return work(name, text, fields, reading);
	},
	"fan-in": (_name, fields) => {
		fields.ignore("wait_for");
		return { kind: "nothing" };
	},
};

const readUnknown: StepReader = (name, fields, reading) => {
	const left = fields.rest().map(({ what }) => what);
	reading.notes.push(importNote(name, "a step of an unknown type; its fields are in the instructions"));
	return work(name, `This step had these fields in another tool:\n\n${left.join("\n")}`, fields, reading);
};

function loop(name: string, first: "condition" | "body", fields: ForeignFields, reading: Reading): Step {
	const condition = words(fields.text("condition") ?? "");
	const most = fields.number("max_iterations");
	const bound = most === undefined ? "" : `, at most ${most} times`;
	const question = `Repeat while this holds${bound}: ${condition}`;
	return { kind: "loop", name, first, question, most, body: readSteps(fields.list("steps"), reading) };
}

function work(name: string, text: string, fields: ForeignFields, { target, notes }: Reading): Step {
	const model = modelFields(fields, target, notes);
	return { kind: "work", name, fields: { persona: "Engineer", ...model, instructions: text } };
}

function words(text: string): string {
	return withWords(text, /\{\{([^{}]*)\}\}/g, (expression) => {
		const [, input] = /^inputs\.([\w-]+)$/.exec(expression) ?? [];
		if (input !== undefined) return `[${input}, from the task of this run]`;
		const [, step, part] = /^steps\.([\w-]+)\.output(?:\.([\w.]+))?$/.exec(expression) ?? [];
		return step === undefined ? undefined : resultOf(step, part);
	});
}

function indented(text: string): string {
	return text.replaceAll(/^/gm, "    ");
}
