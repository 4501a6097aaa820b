// The verbs by which a person steers a run: the word goes to whoever has the run; one that nobody has is taken up here and carried on
// where that is what the word is for.
import type { Run } from "../../core/index.ts";
import { exitCodes, nobody, type Project, resolveModel, templateChange } from "../../engine/index.ts";
import {
	askingElsewhere,
	explainRedaction,
	findRun,
	holdsSecret,
	mayNameRun,
	namesRun,
	onlyNumber,
	parseArguments,
	type Spoken,
	type Steering,
	speak,
	steerings,
	type VerbGrammar,
} from "../steering/index.ts";
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
	const found = await findRun(project, named);
	if (!found.ok) return failed(found.failure);
	const words = text.join(" ").trim();
	if (holdsSecret(words)) output.progress(`! ${explainRedaction("words")}`);
	const spoken = await speak(project, found.value, (ledger) => made(ledger, words), {
		approver: nobody,
		notice: (text) => output.progress(`! ${text}`),
		afterwards: steering.afterwards,
	});
	const unnamed = named === undefined && (steering.name === "approve" || steering.name === "reject");
	if (spoken.kind === "refused" && unnamed)
		return { code: "refused", message: `${spoken.message}${await askingElsewhere(project, found.value)}` };
	return conclude(steering, project, found.value, spoken, { output, signal });
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
	spoken: Spoken,
	{ output, signal }: Pick<VerbCall, "output" | "signal">,
): Promise<Outcome> {
	switch (spoken.kind) {
		case "refused":
			return { code: "refused", message: spoken.message };
		case "failed":
			return failed(spoken.failure);
		case "attended": {
			const change = templateChange(project, spoken.before);
			if (change !== undefined) output.progress(`! ${change}`);
			for (const repair of spoken.live.ledger.repairs) output.progress(`! ${repair}`);
			const { exitCode, how } = await carryOn(project, spoken.live, output, signal);
			// What was asked for has been done, whatever the run waits for now.
			if (name === "rewind" && how === "parked")
				return isBack(spoken.before, spoken.live.supervision.run) ? exitCodes.done : exitCodes.failed;
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
				spoken.kind === "taken"
					? `Process ${spoken.holder.pid}, which has the run, has heard it.`
					: spoken.kind === "left"
						? `It is left for process ${spoken.holder.pid}, which has the run and has not heard it yet.`
						: "It is recorded.";
			const now = new Date(project.clock.now()).toISOString();
			const lines = statusLines(read.value, { now, prefix: "pi-chronicle " });
			output.result([how, ...lines], { exitCode: exitCodes.done, heard: spoken.kind, ...runData(read.value) });
			return exitCodes.done;
		}
	}
}
