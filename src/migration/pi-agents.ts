// Workflows of pi-agents: a tree `flow` of nodes with a `kind`. Each becomes a chronicle.
import { fileSlug, type ImportDraft, type ImportNote, ImportRefusal, importNote } from "./draft.ts";
import { ForeignFields, isRecord, type Plain, plainList } from "./foreign-fields.ts";
import type { ForeignFileInput } from "./foreign-file.ts";
import { replaceVariables, resultOf, theResult } from "./replace-variables.ts";
import { compileSteps, type Step } from "./step-tree.ts";
import { templateDraft } from "./template-draft.ts";
import { type ImportTarget, modelFields, toolFields, workerOf } from "./worker-fields.ts";

interface ImportContext {
	readonly target: ImportTarget;
	readonly notes: ImportNote[];
	/** The parameters of the workflow. */
	readonly params: ReadonlySet<string>;
}

export function importPiAgents(input: ForeignFileInput): readonly ImportDraft[] {
	const top = new ForeignFields(input.fields, "");
	const title = top.text("name") ?? top.text("label");
	const parts = [top.text("description"), top.text("doc"), input.body].map((part) => part?.trim());
	const trigger = top.text("trigger");
	const params = plainList(top.list("params")).flatMap((param) => (isRecord(param) ? [param] : []));
	const flow = top.record("flow");
	if (flow === undefined) throw new ImportRefusal("The workflow has no `flow`.");
	const notes: ImportNote[] = params.map((param) =>
		importNote("params", `${JSON.stringify(param)}: state it in the task`),
	);
	const names = new Set(params.map(({ name }) => String(name)));
	const step = readNode(flow, "flow", { target: input.target, notes, params: names });
	const compiled = compileSteps(step);
	top.ignore("display");
	if (trigger !== undefined) parts.push(`Use it ${trigger}.`);
	notes.push(...top.rest(), ...compiled.notes);
	const description = parts.filter((part) => part).join("\n\n");
	const name = fileSlug(title ?? input.stem, "workflow");
	return [templateDraft({ ...input, ...compiled, from: input.file, name, title, description, notes })];
}

function readNode(node: Plain | undefined, name: string, context: ImportContext): Step {
	if (!isRecord(node)) return { kind: "nothing" };
	const kind = typeof node.kind === "string" ? node.kind : "agent";
	const label = [node.as, node.id, node.name].find((each) => typeof each === "string" && each !== "");
	const fields = new ForeignFields(node, String(label ?? name));
	fields.ignore("kind", "as", "id");
	const reader = readers[kind] ?? readUnknown;
	const step = reader(fields.where, fields, context);
	context.notes.push(...fields.rest());
	return step;
}

type NodeReader = (name: string, fields: ForeignFields, context: ImportContext) => Step;

const readers: Readonly<Record<string, NodeReader>> = {
	agent: readAgent,
	spawn: readAgent,
	sequence(name, fields, context) {
		const steps = plainList(fields.list("steps")).map((step, index) => readNode(step, `${name}-${index + 1}`, context));
		return { kind: "sequence", steps };
	},
	parallel: readParallel,
	fork: readParallel,
	join(name, fields, context) {
		context.notes.push(...fields.rest().map(({ what }) => importNote(name, `join: ${what}`)));
		for (const key of ["from", "mode", "reducer", "onFailure"]) fields.ignore(key);
		return { kind: "nothing" };
	},
	loop: readLoop,
	while: readLoop,
	switch(name, fields, context) {
		const cases = plainList(fields.list("cases")).flatMap((each) => (isRecord(each) ? [each] : []));
		const branches = cases.map((each, index) => readNode(each.then, `${name}-${index + 1}`, context));
		const other = readNode(fields.any("else"), `${name}-else`, context);
		const on = words(fields.text("on") ?? "", context);
		const when = cases.map((each) => `- ${JSON.stringify(each.when ?? null)}`).join("\n");
		const question = `The first of these conditions that is true for ${on} decides. They are in the order of the states that may follow:\n${when}\n- none of them`;
		return { kind: "choice", name, question, branches: [...branches, other] };
	},
	workflow(name, fields, context) {
		const called = fields.text("name") ?? name;
		const params = fields.any("params");
		const given = params === undefined ? "" : `\n\nWith: ${words(JSON.stringify(params), context)}`;
		context.notes.push(
			importNote(name, `it ran the workflow \`${called}\`: use \`run: ${fileSlug(called)}\` if you import that too`),
		);
		const text = `Do what the workflow \`${called}\` does.${given}`;
		return { kind: "work", name: called, fields: { persona: "Engineer", instructions: text } };
	},
	value(name, fields, context) {
		context.notes.push(importNote(name, `a fixed value: ${JSON.stringify(fields.any("value") ?? null)}`));
		return { kind: "nothing" };
	},
};

const readUnknown: NodeReader = (name, fields, context) => {
	const left = fields.rest().map(({ what }) => what);
	context.notes.push(importNote(name, "a node of an unknown kind; its fields are in the instructions"));
	const text = `This step had these fields in another tool:\n\n${left.join("\n")}`;
	return { kind: "work", name, fields: { persona: "Engineer", instructions: text } };
};

function readAgent(name: string, fields: ForeignFields, context: ImportContext): Step {
	const { target, notes } = context;
	const agent = fields.text("agent") ?? fields.text("name");
	const persona = fields.text("system") ?? fields.text("prompt");
	const task = words(fields.text("task") ?? "", context);
	const shape = fields.any("schema") ?? fields.any("output");
	const wanted = shape === undefined ? "" : `\n\nGive the result in this form: ${JSON.stringify(shape)}`;
	const instructions = [persona ?? "", task].filter((text) => text !== "").join("\n\n") + wanted;
	return {
		kind: "work",
		name,
		fields: {
			...workerOf(agent, name, target, notes),
			...toolFields(fields.names("tools"), name, notes),
			...modelFields(fields, target, notes),
			...(instructions === "" ? {} : { instructions }),
		},
	};
}

function readParallel(name: string, fields: ForeignFields, context: ImportContext): Step {
	const branches = Object.entries(fields.record("branches") ?? {}).map(
		([branch, node]) => [branch, readNode(node, branch, context)] as const,
	);
	const max = fields.number("concurrency");
	const reduce = readNode(fields.record("reduce"), `${name}-reduce`, context);
	const parallel: Step = branches.length === 0 ? { kind: "nothing" } : { kind: "parallel", name, branches, max };
	return { kind: "sequence", steps: [parallel, reduce] };
}

function readLoop(name: string, fields: ForeignFields, context: ImportContext): Step {
	const condition = fields.any("condition") ?? fields.any("continueWhen") ?? fields.any("until");
	const max = fields.number("max") ?? fields.number("maxIterations");
	const on = fields.text("on");
	const what = `${on === undefined ? "" : `for ${words(on, context)}: `}${JSON.stringify(condition ?? null)}`;
	const question = `Repeat while this is true${max === undefined ? "" : `, at most ${max} times`}: ${what}`;
	return {
		kind: "loop",
		name,
		max,
		first: "body",
		question,
		body: readNode(fields.record("body"), `${name}-body`, context),
	};
}

function words(text: string, { params }: ImportContext): string {
	return replaceVariables(text, /\{([\w.]+)\}/g, (name) => {
		const [, param] = /^params\.(\w+)$/.exec(name) ?? [];
		if (param !== undefined && params.has(param)) return `[${param}, from the task of this run]`;
		if (name === "branches" || name === "previous") return theResult;
		return /^[a-z_]\w*(?:\.\w+)*$/.test(name) && !name.startsWith("params") ? resultOf(name) : undefined;
	});
}
