// Checks states of which one child is taken: somebody must be there to choose it.
import { quoted, type ReadContext } from "../../../definition/index.ts";
import type { StatePaths } from "./check-references.ts";
import type { StateEntry } from "./fields.ts";
import type { StatePlan } from "./template.ts";

/** Reports `take: one` without a next state whose worker can hand over the choice, and where there is nothing to choose. */
export function checkTake(
	states: ReadonlyMap<string, StatePlan>,
	entries: ReadonlyMap<string, StateEntry>,
	reading: ReadContext & StatePaths,
): void {
	for (const [name, plan] of states) {
		const node = entries.get(name)?.node;
		if (plan.children?.take !== "one" || node?.kind !== "map") continue;
		const start = node.entries.get("take")?.keyStart ?? node.start;
		const path = `${reading.pathOf(name)}.take`;
		const { children, next } = plan;
		const problem = explainJudge(next[0], states);
		if (problem)
			reading.report.error(reading.source.place(start), {
				code: "no-choice",
				message: `\`${path}\` is \`one\`, but ${problem.message}`,
				remedy: problem.remedy,
			});
		else if (
			(children.forEach === undefined && children.branches.length === 1) ||
			children.join === "any" ||
			children.join === 1
		)
			reading.report.warn(reading.source.place(start), {
				code: "no-effect",
				message: `\`${path}\` is \`one\`, but at most one child is done.`,
				remedy: "Remove it, or let more children be done.",
			});
	}
}

function explainJudge(
	name: string | undefined,
	states: ReadonlyMap<string, StatePlan>,
): { readonly message: string; readonly remedy: string } | undefined {
	const judge = name === undefined ? undefined : states.get(name);
	if (!judge?.persona) {
		const message =
			name === undefined ? "no state follows that chooses." : `no worker does the next state, ${quoted(name)}.`;
		return { message, remedy: "Name a state first in `next` whose worker chooses." };
	}
	const { properties = {}, additionalProperties } = judge.output ?? {};
	if (additionalProperties !== false || Object.hasOwn(properties as object, "winner")) return undefined;
	return {
		message: `the \`output\` of the next state, ${quoted(judge.name)}, allows no \`winner\`.`,
		remedy: 'Add `"winner": { "type": "string" }` to its `properties`.',
	};
}
