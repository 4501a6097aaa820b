// What a command that has ended reports: how, the end of its output, and its data.

import { resultDigest } from "@pi-chronicle/core/bounds";
import { isRecord, propertiesOf } from "@pi-chronicle/core/definition";
import type { CommandReport } from "@pi-chronicle/core/ports";
import { OUTPUT_BYTES, outputBytes } from "@pi-chronicle/core/snapshot";
import type { StatePlan } from "@pi-chronicle/core/template";
import { attempt } from "../../disk/index.ts";
import { checkOutputData } from "../supervisor/index.ts";
import { type CommandOutput, dataBytes } from "./command-output.ts";

/** The report of the command of `state`. Closes `output`. */
export async function reportOf(
	state: StatePlan,
	output: CommandOutput,
	{ result, ms }: Pick<CommandReport, "result" | "ms">,
): Promise<CommandReport> {
	output.close();
	const { text: tail, isCut } = output.tail();
	const data = result.kind === "exited" && state.command?.parse ? await parsedData(state, output) : {};
	return {
		...{ result, ms, bytes: output.bytes },
		...(tail === "" ? {} : { output: tail, print: resultDigest(tail) }),
		...(isCut ? { isCut } : {}),
		...data,
	};
}

/** The data that a command printed: all of stdout, or its last line; of much, what the schema names. */
async function parsedData(
	{ output: schema = {} }: StatePlan,
	output: CommandOutput,
): Promise<Pick<CommandReport, "data" | "problems">> {
	const { whole, lastLine } = output.stdout();
	const parse = (text: string): { readonly data: unknown } | undefined => attempt(() => ({ data: JSON.parse(text) }));
	const parsed = (whole === undefined ? undefined : parse(whole)) ?? parse(lastLine);
	if (!parsed && whole === undefined)
		return { problems: [`Its stdout is longer than ${dataBytes} bytes, and the last line of it is not JSON.`] };
	if (!parsed) return { problems: ["Neither its stdout nor the last line of it is JSON."] };
	const { data } = parsed;
	const checked = await checkOutputData(schema, outputBytes(data) > OUTPUT_BYTES ? onlyNamed(schema, data) : data);
	return checked.kind === "fits" ? { data: checked.data } : { problems: checked.problems };
}

/** The part of the data whose fields a JSON Schema names. Without `properties`, an object is kept whole. */
function onlyNamed(schema: unknown, data: unknown): unknown {
	const { properties, items } = propertiesOf(schema);
	if (Array.isArray(data)) return data.map((item) => onlyNamed(items, item));
	if (!isRecord(data) || !isRecord(properties)) return data;
	const named = Object.entries(properties).filter(([name]) => Object.hasOwn(data, name));
	return Object.fromEntries(named.map(([name, inner]) => [name, onlyNamed(inner, data[name])]));
}
