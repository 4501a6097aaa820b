// `export`: a run for other programs, as a trace, as JSON or as CSV.
import { resolve } from "node:path";
import { readHistory } from "@pi-chronicle/core/history";
import { encodeRun, type LedgerEvent } from "@pi-chronicle/core/machine";
import { exitCodes } from "../../pi/index.ts";
import { type Command, failed, misuse, resolveRun } from "../commands/index.ts";
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
	async perform({ project, parsed, host }) {
		const { otlp, json } = { otlp: parsed.values.otlp, json: parsed.flags.has("json") };
		const isCsv = parsed.flags.has("csv");
		if (otlp === undefined && !isCsv && !json)
			return misuse("Say how: export [run] --otlp <file|url>, --csv or --json.");
		const found = await resolveRun(project, parsed.names[0], [...host.supervised.keys()]);
		if (!found.ok) return failed(found.failure);
		const read = await project.store.read(found.value);
		if (!read.ok) return failed(read.failure);
		const ledger = read.value;
		if (otlp !== undefined) {
			const spans = await spansOf(ledger.events());
			const target = /^https?:/.test(otlp) ? otlp : resolve(project.place.cwd, otlp);
			const sent = await sendTrace(spans, ledger.run.id, target, project.place.cwd);
			if (!sent.ok) return failed(sent.failure, exitCodes.failed);
			return {
				kind: "done",
				lines: [`Exported ${spans.length} spans to ${target}.`],
				data: { spans: spans.length, target },
			};
		}
		const { visits } = await readHistory(ledger);
		if (isCsv) return { kind: "done", lines: visitsCsv(visits), data: { visits } };
		const events: LedgerEvent[] = [];
		for await (const event of ledger.events()) events.push(event);
		return { kind: "done", lines: [], data: { run: encodeRun(ledger.run), visits, events } };
	},
};
