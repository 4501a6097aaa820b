// The verbs by which a person steers a run: the word goes to whoever has the run; one that nobody has is taken up here and carried on
// where that is what the word is for.
import { exitCodes } from "../../../pi/index.ts";
import type { Run } from "../../core/index.ts";
import { nobody, type Project, resolveModel, templateChange } from "../../engine/index.ts";
import {
	askingElsewhere,
	type DispatchResult,
	dispatch,
	explainRedaction,
	holdsSecret,
	mayNameRun,
	namesRun,
	onlyNumber,
	parseArguments,
	resolveRun,
	type Steering,
	steerings,
	type VerbGrammar,
} from "../commands/index.ts";
import { runData, statusLines } from "../text/index.ts";
import { carryOn } from "./carry-on.ts";
import { failed, type Outcome, type Verb, type VerbCall } from "./verb.ts";
import { chronicleVerbs, commonOptions, commonUsage } from "./verb-list.ts";

export const steeringVerbs: readonly Verb[] = steerings.map((steering) => ({
	name: steering.name,
	usage: `pi-chronicle ${steering.name} [options] ${steering.takes}

${aboutVerb(steering.name)} ${steering.explained}
A run is named by its id, the beginning of it, or \`last\`; left out, it is the one at work, else the last.

${commonUsage}  --run <run>     the run, where its name could be taken for words
${steering.optionsUsage ?? ""}
Exit code: as of run, where the run goes on here; else 0 it was said, 1 it could not be recorded, 2 it does not apply.
`,
	grammar: grammarOf(steering),
	needs: "pi",
	perform: (call) => steer(steering, call),
}));

/** Which word is a run is known only once the runs are; until then every word counts as one that may be. */
function grammarOf({ options }: Steering): VerbGrammar {
	return { options: { ...commonOptions, run: "value", ...options }, textAfter: 0, isName: mayNameRun };
}

function aboutVerb(name: string): string {
	const about = chronicleVerbs.find((verb) => verb.name === name)?.about ?? "";
	return `${about.charAt(0).toUpperCase()}${about.slice(1)}.`;
}

async function steer(steering: Steering, call: VerbCall): Promise<Outcome> {
	const { project, output, signal } = call;
	const entries = await project.store.list();
	const parsed = parseArguments(call.args, { ...grammarOf(steering), isName: (word) => namesRun(word, entries) });
	if ("error" in parsed) return { code: "usage", message: parsed.error };
	const { names, text, values } = onlyNumber(steering, parsed);
	const model = values.model === undefined ? undefined : await resolveModel(project, values.model);
	if (typeof model === "object") return model;
	const made = steering.make({ ...parsed, text }, model);
	if ("code" in made) return made;
	const named = values.run ?? names[0];
	const found = await resolveRun(project, named);
	if (!found.ok) return failed(found.failure);
	const words = text.join(" ").trim();
	if (holdsSecret(words)) output.progress(`! ${explainRedaction("words")}`);
	const result = await dispatch(project, found.value, (ledger) => made(ledger, words), {
		approver: nobody,
		notice: (text) => output.progress(`! ${text}`),
		afterwards: steering.afterwards,
	});
	const unnamed = named === undefined && (steering.name === "approve" || steering.name === "reject");
	if (result.kind === "refused" && unnamed)
		return { code: "refused", message: `${result.message}${await askingElsewhere(project, found.value)}` };
	return conclude(steering, project, found.value, result, { output, signal });
}

/** Whether a rewind has brought everything back. */
function isBack(before: Run, { kept }: Run): boolean {
	const last = kept.at(-1);
	return last?.rewound?.left === 0 && last.seq > before.seq;
}

async function conclude(
	{ name }: Steering,
	project: Project,
	id: string,
	result: DispatchResult,
	{ output, signal }: Pick<VerbCall, "output" | "signal">,
): Promise<Outcome> {
	switch (result.kind) {
		case "refused":
			return { code: "refused", message: result.message };
		case "failed":
			return failed(result.failure);
		case "attended": {
			const change = templateChange(project, result.before);
			if (change !== undefined) output.progress(`! ${change}`);
			for (const repair of result.live.ledger.repairs) output.progress(`! ${repair}`);
			const { exitCode, how } = await carryOn(project, result.live, output, signal);
			// What was asked for has been done, whatever the run waits for now.
			if (name === "rewind" && how === "parked")
				return isBack(result.before, result.live.supervision.run) ? exitCodes.done : exitCodes.failed;
			const asked = name === "pause" || name === "abort";
			return asked && how === "parked" ? exitCodes.done : exitCode;
		}
		case "said":
		case "recorded":
		case "taken":
		case "left": {
			const read = await project.store.read(id);
			if (!read.ok) return failed(read.failure);
			const how =
				result.kind === "taken"
					? `Process ${result.holder.pid}, which has the run, has heard it.`
					: result.kind === "left"
						? `It is left for process ${result.holder.pid}, which has the run and has not heard it yet.`
						: "It is recorded.";
			const now = new Date(project.clock.now()).toISOString();
			const lines = statusLines(read.value, { now, prefix: "pi-chronicle " });
			output.result([how, ...lines], { exitCode: exitCodes.done, heard: result.kind, ...runData(read.value) });
			return exitCodes.done;
		}
	}
}
