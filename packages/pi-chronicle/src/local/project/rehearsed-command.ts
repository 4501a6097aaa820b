// The command of a state in a rehearsal: it does not run. The rehearsal has planned how it ends.
import { readFileSync } from "node:fs";
import { isNumber, isText, object, propertiesOf } from "@pi-chronicle/core/definition";
import type { CommandReport, StateCommandOrder } from "@pi-chronicle/core/ports";
import { withTestCommand } from "../../disk/index.ts";
import { CommandOutput } from "./command-output.ts";
import { reportOf } from "./command-report.ts";

/** Holds the path of a rehearsal's configuration. */
export const REHEARSAL_VARIABLE = "PI_CHRONICLE_REHEARSAL";

/** How a command ends in a rehearsal: its exit code, and what it prints. */
export interface PlannedEnd {
	readonly exit: number;
	readonly prints: string;
}

/** By visit: `state`, `state#2` from the second visit on, `state#2.3` for the third try of that visit; in a child also after `<name>/`. */
export type PlannedEnds = Readonly<Record<string, PlannedEnd>>;

const isEnd = object<PlannedEnd>({ exit: isNumber, prints: isText });
const success: PlannedEnd = { exit: 0, prints: "Not run: the rehearsal takes it for a success.\n" };

/** Ends a command as the field `commands` of the configuration at `path` (absolute) says; a command that it does not name succeeds. */
export async function endAsPlanned(path: string, order: StateCommandOrder): Promise<CommandReport> {
	const command = withTestCommand(order.line, order.cwd);
	if (!(await order.starts(command))) return { result: { kind: "stopped" }, ms: 0, bytes: 0 };
	const { exit, prints } = plannedEnd(readEnds(path), order) ?? success;
	const output = new CommandOutput(order.file, order.state.command?.tailBytes ?? 0);
	output.add(Buffer.from(prints), "stdout");
	return { ...(await reportOf(order.state, output, { result: { kind: "exited", code: exit }, ms: 0 })), command };
}

/** Reads the plan. Throws if the file is missing or no JSON: a rehearsal must not run without it. */
function readEnds(path: string): PlannedEnds {
	const data: unknown = JSON.parse(readFileSync(path, "utf8"));
	const entries = Object.entries(propertiesOf(propertiesOf(data).commands));
	return Object.fromEntries(entries.filter((entry): entry is [string, PlannedEnd] => isEnd(entry[1])));
}

function plannedEnd(ends: PlannedEnds, { state, visits, attempt, names }: StateCommandOrder): PlannedEnd | undefined {
	for (const place of [...names.map((name) => `${name}/${state.name}`), state.name]) {
		const exact = ends[`${place}#${visits}.${attempt}`];
		if (exact) return exact;
		for (let visit = visits; visit >= 1; visit -= 1) {
			const end = ends[`${place}#${visit}`] ?? (visit === 1 ? ends[place] : undefined);
			if (end) return end;
		}
	}
	return undefined;
}
