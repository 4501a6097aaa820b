// Files of agent chains: `<name>: { description, steps: [{ agent, prompt }] }`. Each chain becomes a chronicle: one state for each step.
import { fileSlug, type ImportDraft, type ImportNote, ImportRefusal, UniqueNames } from "./draft.ts";
import { ForeignFields, isRecord, type PlainRecord, plainList } from "./foreign-fields.ts";
import type { ForeignFileInput } from "./foreign-file.ts";
import { replaceVariables, theResult, theTask } from "./replace-variables.ts";
import { compileSteps, type Step } from "./step-tree.ts";
import { templateDraft } from "./template-draft.ts";
import { workerOf } from "./worker-fields.ts";

export function importChains(input: ForeignFileInput): readonly ImportDraft[] {
	const { chains } = input.fields;
	const named = Object.entries(isRecord(chains) ? chains : input.fields);
	const names = new UniqueNames();
	return named.map(([name, chain]) => {
		if (!isRecord(chain)) throw new ImportRefusal(`The chain ${name} is not an object.`);
		return importChain(name, names.take(fileSlug(name, "chain")), chain, input);
	});
}

function importChain(title: string, name: string, chain: PlainRecord, input: ForeignFileInput): ImportDraft {
	const fields = new ForeignFields(chain, title);
	const description = fields.text("description");
	const notes: ImportNote[] = [];
	const steps = plainList(fields.list("steps")).map((step, index): Step => {
		if (!isRecord(step)) throw new ImportRefusal(`Step ${index + 1} of the chain ${title} is not an object.`);
		return importStep(step, `${title}, step ${index + 1}`, index, input, notes);
	});
	const compiled = compileSteps({ kind: "sequence", steps });
	notes.push(...fields.rest(), ...compiled.notes);
	return templateDraft({ ...input, ...compiled, from: input.file, name, title, description, notes });
}

function importStep(
	step: PlainRecord,
	where: string,
	index: number,
	{ target }: ForeignFileInput,
	notes: ImportNote[],
): Step {
	const fields = new ForeignFields(step, where);
	const agent = fields.text("agent");
	const prompt = replaceVariables(fields.text("prompt") ?? "$INPUT", /\$(INPUT|ORIGINAL)\b/g, (name) =>
		name === "ORIGINAL" || index === 0 ? theTask : theResult,
	).replaceAll("\\n", "\n");
	const who = workerOf(agent, where, target, notes);
	notes.push(...fields.rest());
	return { kind: "work", name: agent ?? "step", fields: { ...who, instructions: prompt } };
}
