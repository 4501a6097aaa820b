// The verbs that take runs away with everything that they keep.
import { exitCodes } from "../../../pi/index.ts";
import { daysOf, type Removed, removeRuns, runNamed, runsOlderThan } from "../../engine/index.ts";
import { removalLines, removedLines } from "../text/index.ts";
import type { Output } from "./output.ts";
import { failed, type Verb } from "./verb.ts";
import { commonOptions, commonUsage } from "./verb-list.ts";

const whatGoes = "Events, folded state, conversations, kept files and reports of a run: nothing brings them back.";

const remove: Verb = {
	name: "remove",
	usage: `pi-chronicle remove [options] <run>

${whatGoes} A run that a living process has is not removed.

${commonUsage}  --dry-run       only say what would go

Exit code: 0, 1 it could not be removed, 2 there is no such run.
`,
	grammar: { options: { ...commonOptions, "dry-run": "flag" }, most: 1 },
	needs: "nothing",
	async perform({ parsed, project, output }) {
		const [name] = parsed.names;
		if (name === undefined) return { code: "usage", message: "Name the run: pi-chronicle remove <run>." };
		const entry = await runNamed(project, name);
		if (!("kind" in entry)) return failed(entry);
		if (parsed.flags.has("dry-run")) {
			const lines = removalLines({ runs: [entry], staying: [] }, project.clock.now());
			output.result(["Would be removed:", ...lines], { dryRun: true, runs: [entry.id] });
			return exitCodes.done;
		}
		return tell(output, await removeRuns(project, [entry.id]));
	},
};

const prune: Verb = {
	name: "prune",
	usage: `pi-chronicle prune [options] --older-than <days>

Removes every run in which nothing has been recorded for so many days, also one that waits. ${whatGoes}
A run that a living process has stays.

${commonUsage}  --older-than <days>
  --dry-run       only say what would go

Exit code: 0, 1 a run could not be removed.
`,
	grammar: { options: { ...commonOptions, "older-than": "value", "dry-run": "flag" }, most: 0 },
	needs: "nothing",
	async perform({ parsed, project, output }) {
		const days = daysOf(parsed.values["older-than"]);
		if (days === undefined) return { code: "usage", message: "Say how old: pi-chronicle prune --older-than <days>." };
		const found = await runsOlderThan(project, days);
		if ("reason" in found) return failed(found);
		const ids = found.runs.map(({ id }) => id);
		const lines = removalLines(found, project.clock.now());
		if (parsed.flags.has("dry-run")) {
			const head = ids.length === 0 ? "Nothing would be removed." : "Would be removed:";
			output.result([head, ...lines], { dryRun: true, runs: ids, staying: found.staying });
			return exitCodes.done;
		}
		for (const line of removalLines({ runs: [], staying: found.staying }, project.clock.now())) output.progress(line);
		return tell(output, await removeRuns(project, ids));
	},
};

function tell(output: Output, removed: readonly Removed[]): number {
	output.result(removedLines(removed), { dryRun: false, removed });
	return removed.some(({ failure }) => failure) ? exitCodes.failed : exitCodes.done;
}

export const removingVerbs: readonly Verb[] = [remove, prune];
