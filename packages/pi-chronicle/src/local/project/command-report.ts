// What a command that has ended reports: how, the end of its output, and its data.

import { resultDigest } from "@pi-chronicle/core/bounds";
import type { CommandReport } from "@pi-chronicle/core/ports";
import type { StatePlan } from "@pi-chronicle/core/template";
import { attempt } from "../../disk/index.ts";
import { checkOutputData } from "../supervisor/index.ts";
import type { CommandOutput } from "./command-output.ts";

/** The report of the command of `state`. Closes `output`. */
export async function reportOf(
	state: StatePlan,
	output: CommandOutput,
	{ result, ms }: Pick<CommandReport, "result" | "ms">,
): Promise<CommandReport> {
	output.close();
	const tail = output.tail();
	const data = result.kind === "exited" && state.command?.parse ? await parsedData(state, output) : {};
	return {
		...{ result, ms, bytes: output.bytes },
		...(tail === "" ? {} : { output: tail, print: resultDigest(tail) }),
		...data,
	};
}

/** The data that a command printed: all of stdout, or its last line. */
async function parsedData(
	{ output: schema }: StatePlan,
	output: CommandOutput,
): Promise<Pick<CommandReport, "data" | "problems">> {
	const { whole, lastLine } = output.stdout();
	const parse = (text: string): { readonly data: unknown } | undefined => attempt(() => ({ data: JSON.parse(text) }));
	const parsed = (whole === undefined ? undefined : parse(whole)) ?? parse(lastLine);
	if (!parsed) return { problems: ["Neither its stdout nor the last line of it is JSON."] };
	const checked = await checkOutputData(schema ?? {}, parsed.data);
	return checked.kind === "fits" ? { data: checked.data } : { problems: checked.problems };
}
