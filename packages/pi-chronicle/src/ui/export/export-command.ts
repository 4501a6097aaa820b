// `export`: a run for other programs, as a trace, as JSON or as CSV.
import { resolve } from "node:path";
import { readHistory } from "@pi-chronicle/core/history";
import { encodeRun, type LedgerEvent } from "@pi-chronicle/core/machine";
import type { ReadLedger } from "@pi-chronicle/core/ports";
import { exitCodes } from "../../pi/index.ts";
import { type Command, type CommandResponse, failed, misuse, withRun } from "../commands/index.ts";
import { visitsCsv } from "./csv.ts";
import { sendTrace } from "./otlp.ts";
import { spansOf } from "./trace.ts";

export const exportCommand: Command = {
	name: "export",
	takes: "[run]",
	details: `Exports a run for other programs: --otlp as an OpenTelemetry trace, --csv as a table of its visits, --json as a whole.`,
	exits: "0, 1 the trace was not taken, 2 no such run, or nothing to do",
	options: `  --otlp <file|url>   one trace, with the names of the GenAI conventions, to a receiver of OTLP over HTTP, or as OTLP JSON to a file
  --csv               one line for each visit
`,
	maxNames: 1,
	needs: "nothing",
	async perform(call) {
		const { cwd } = call.project.place;
		const { values, flags, names } = call.parsed;
		const { otlp } = values;
		if (otlp === undefined && !flags.has("csv") && !flags.has("json"))
			return misuse("Say how: export [run] --otlp <file|url>, --csv or --json.");
		return withRun(call, names[0], async (ledger) => {
			if (otlp !== undefined) return exportTrace(ledger, /^https?:/.test(otlp) ? otlp : resolve(cwd, otlp), cwd);
			const { visits } = await readHistory(ledger);
			if (flags.has("csv")) return { kind: "done", lines: visitsCsv(visits), data: { visits } };
			const events: LedgerEvent[] = [];
			for await (const event of ledger.events()) events.push(event);
			return { kind: "done", lines: [], data: { run: encodeRun(ledger.run), visits, events } };
		});
	},
};

async function exportTrace(ledger: ReadLedger, target: string, cwd: string): Promise<CommandResponse> {
	const spans = await spansOf(ledger.events());
	const sent = await sendTrace(spans, ledger.run.id, target, cwd);
	if (!sent.ok) return failed(sent.failure, exitCodes.failed);
	const lines = [`Exported ${spans.length} spans to ${target}.`];
	return { kind: "done", lines, data: { spans: spans.length, target } };
}
