// Taskflows: `phases` with `dependsOn`. Each becomes a chronicle: phases that wait for the same ones run at the same time.
import { fileSlug, type ImportDraft, type ImportNote, ImportRefusal, importNote } from "./draft.ts";
import { ForeignFields, isRecord, type PlainRecord, plainList } from "./foreign-fields.ts";
import type { ForeignFileInput } from "./foreign-file.ts";
import { replaceVariables, resultOf, theResult, theTask } from "./replace-variables.ts";
import { compileSteps, type Step } from "./step-tree.ts";
import { templateDraft } from "./template-draft.ts";
import { type ImportTarget, modelFields, toolFields, workerOf } from "./worker-fields.ts";

interface TaskPhase {
	readonly id: string;
	readonly needs: readonly string[];
	readonly type: string;
	readonly step: Step;
}

export function importTaskflow(input: ForeignFileInput): readonly ImportDraft[] {
	const top = new ForeignFields(input.fields, "");
	const title = top.text("name");
	const description = top.text("description");
	const max = top.number("concurrency");
	const notes: ImportNote[] = [];
	const phases = plainList(top.list("phases")).map((phase, index) => {
		if (!isRecord(phase)) throw new ImportRefusal(`Phase ${index + 1} is not an object.`);
		return readPhase(phase, index, input.target, notes);
	});
	const steps = layersOf(phases).map((layer, index) => layerStep(layer, `together-${index + 1}`, max));
	const compiled = compileSteps({ kind: "sequence", steps });
	const budget = new ForeignFields(top.record("budget") ?? {}, "budget");
	const cost = budget.number("maxUSD");
	top.ignore("version");
	notes.push(...budget.rest(), ...top.rest(), ...compiled.notes);
	const limits = { ...(cost === undefined ? {} : { cost_usd: cost }), ...compiled.limits };
	const name = fileSlug(title ?? input.stem, "taskflow");
	return [
		templateDraft({ ...input, from: input.file, name, title, description, states: compiled.states, limits, notes }),
	];
}

/** The phases in layers: each needs only phases of earlier layers. Throws an `ImportRefusal` if phases wait for each other. */
function layersOf(phases: readonly TaskPhase[]): readonly (readonly TaskPhase[])[] {
	const known = new Set(phases.map(({ id }) => id));
	const done = new Set<string>();
	const layers: TaskPhase[][] = [];
	let left = [...phases];
	while (left.length > 0) {
		const ready = left.filter(({ needs }) => needs.every((need) => done.has(need) || !known.has(need)));
		if (ready.length === 0)
			throw new ImportRefusal(`These phases wait for each other: ${left.map(({ id }) => id).join(", ")}.`);
		for (const { id } of ready) done.add(id);
		left = left.filter((phase) => !ready.includes(phase));
		layers.push(ready);
	}
	return layers;
}

function layerStep(layer: readonly TaskPhase[], name: string, max: number | undefined): Step {
	const gates = layer.filter(({ type }) => type === "approval").map(({ step }) => step);
	const work = layer.filter(({ type }) => type !== "approval");
	const [only, more] = work;
	const branches = work.map(({ id, step }) => [id, branchOf(step)] as const);
	const together: Step =
		only === undefined
			? { kind: "nothing" }
			: more === undefined
				? only.step
				: { kind: "parallel", name, branches, max };
	return { kind: "sequence", steps: [...gates, together] };
}

/** A verdict in a branch cannot end the run: the branch's work is done without it. */
function branchOf(step: Step): Step {
	if (step.kind !== "sequence") return step;
	return { ...step, steps: step.steps.filter(({ kind }) => kind === "work") };
}

function readPhase(phase: PlainRecord, index: number, target: ImportTarget, notes: ImportNote[]): TaskPhase {
	const id = typeof phase.id === "string" && phase.id !== "" ? phase.id : `phase-${index + 1}`;
	const fields = new ForeignFields(phase, id);
	fields.ignore("id", "final");
	const type = fields.text("type") ?? "agent";
	const needs = [...(fields.names("dependsOn") ?? []), ...(fields.names("from") ?? [])];
	const step = readWork(id, type, fields, target, notes);
	notes.push(...fields.rest());
	return { id, needs, type, step };
}

function readWork(id: string, type: string, fields: ForeignFields, target: ImportTarget, notes: ImportNote[]): Step {
	const task = words(fields.text("task") ?? fields.text("run") ?? fields.text("message") ?? "");
	if (type === "approval") return { kind: "gate", name: id, message: task === "" ? `Continue after ${id}?` : task };
	const over = fields.text("over");
	const branches = plainList(fields.list("branches")).map((branch) => JSON.stringify(branch));
	const until = fields.text("until");
	const max = fields.number("maxIterations");
	const instructions = [
		...(over === undefined ? [] : [`Do this for each of ${words(over)}:`]),
		...(type === "script" ? ["Run this in a shell, and report the relevant output:"] : []),
		task,
		...branches.map((branch) => `- ${words(branch)}`),
	].filter((text) => text !== "");
	const work: Step = {
		kind: "work",
		name: id,
		fields: {
			...workerOf(fields.text("agent"), id, target, notes),
			...toolFields(fields.names("tools"), id, notes),
			...modelFields(fields, target, notes),
			...(instructions.length === 0 ? {} : { instructions: instructions.join("\n\n") }),
		},
	};
	switch (type) {
		case "gate": {
			const question = `The previous state gave a verdict. Move to the next state if it passes, and to \`failed\` if it blocks.`;
			const branches: Step[] = [{ kind: "nothing" }, { kind: "fail" }];
			return { kind: "sequence", steps: [work, { kind: "choice", name: `${id}-verdict`, question, branches }] };
		}
		case "loop": {
			const bound = max === undefined ? "" : `, at most ${max} times`;
			const question = `Repeat until this holds${bound}: ${words(until ?? "the work is done")}`;
			return { kind: "loop", max, name: `${id}-again`, first: "body", question, body: work };
		}
		case "agent":
		case "reduce":
		case "map":
		case "parallel":
		case "script":
			return work;
		default:
			notes.push(importNote(id, `a phase of the type \`${type}\`, done by one worker`));
			return work;
	}
}

function words(text: string): string {
	return replaceVariables(text, /\{([\w.-]+)\}/g, (name) => {
		if (name === "previous.output" || name === "previous") return theResult;
		if (name === "args" || name === "task") return theTask;
		const [, arg] = /^args\.([\w-]+)$/.exec(name) ?? [];
		if (arg !== undefined) return `[${arg}, from the task of this run]`;
		const [, step, part] = /^steps\.([\w-]+)(?:\.(?:output|json))?(?:\.([\w.]+))?$/.exec(name) ?? [];
		return step === undefined ? undefined : resultOf(step, part);
	});
}
