// The verbs that only look: what there is, where a run stands, what it changed, and its report.
import { resolve } from "node:path";
import { thereAre } from "../../../definition/index.ts";
import { drawDiagram, exitCodes } from "../../../pi/index.ts";
import type { LedgerEntry, ReadLedger } from "../../core/index.ts";
import { diffRun, isLoaded, notFound, type Project, withWorkspace } from "../../engine/index.ts";
import { namesRun, readVisitWords, resolveLedger, resolveRun } from "../commands/index.ts";
import {
	differenceLines,
	foreignData,
	foreignLines,
	foreignStoryLines,
	runData,
	runLines,
	statusLines,
	storyLines,
	templateDiagram,
	templateLines,
	templatePlace,
} from "../text/index.ts";
import { failed, type Outcome, type Verb, type VerbCall } from "./verb.ts";
import { commonOptions, commonUsage } from "./verb-list.ts";

const prefix = "pi-chronicle ";

const list: Verb = {
	name: "list",
	usage: `pi-chronicle list [options]

Templates with what is wrong with them, and runs with their state, age, cost and what they wait for.

${commonUsage}
Exit code: 0.
`,
	grammar: { options: commonOptions, most: 0 },
	needs: "nothing",
	async perform({ project, output }) {
		const catalogue = project.templates();
		const entries = await project.store.list();
		const lines = [...templateLines(catalogue, project), "", ...(await runLines(project, prefix, entries))];
		if (catalogue.templates.size === 0) lines.splice(1, 0, `  Write one: ${templatePlace(project)}`);
		output.result(lines, {
			templates: [...catalogue.templates.values()].map(({ key, tier, file, read, diagnostics }) => ({
				name: key,
				from: tier === "personal" ? "person" : "project",
				file,
				loads: read !== undefined,
				...(read?.template.description ? { description: read.template.description } : {}),
				states: read ? [...read.template.states.keys()] : [],
				diagnostics,
			})),
			diagnostics: catalogue.diagnostics,
			runs: entries.map(entryData),
			trust: project.place.trust,
		});
		return exitCodes.done;
	},
};

function entryData(entry: LedgerEntry): object {
	const { id, kind } = entry;
	if (entry.kind === "unreadable") return { id, kind, failure: entry.failure };
	return { id, kind, ...(entry.kind === "foreign" ? { foreign: entry.format } : {}), ...entry.summary };
}

const status: Verb = {
	name: "status",
	usage: `pi-chronicle status [options] [run]

${commonUsage}
Exit code: 0, 2 there is no such run.
`,
	grammar: { options: commonOptions, most: 1 },
	needs: "nothing",
	perform: (call) => tell(call, "status"),
};

const show: Verb = {
	name: "show",
	usage: `pi-chronicle show [options] <template>

The template as a diagram; --json gives it as Mermaid text.

${commonUsage}
Exit code: 0, 2 there is no such template, or it does not load.
`,
	grammar: { options: commonOptions, most: 1 },
	needs: "nothing",
	async perform({ parsed, project, output }) {
		const [name] = parsed.names;
		const catalogue = project.templates();
		if (name === undefined) {
			const known = thereAre([...catalogue.templates.keys()], "There are no templates.");
			return { code: "usage", message: `Say which template: pi-chronicle show <template>. ${known}` };
		}
		const found = catalogue.templates.get(name);
		if (!found || !isLoaded(found)) return { code: "invalid", ...notFound(name, catalogue, project) };
		const lines = templateDiagram(found.read.template);
		output.result(await drawDiagram(lines), { name, mermaid: lines.join("\n") });
		return exitCodes.done;
	},
};

const view: Verb = {
	name: "view",
	usage: `pi-chronicle view [options] [run]

The status, every move with its summary, what the run knows, and the files that it has changed.

${commonUsage}
Exit code: 0, 2 there is no such run.
`,
	grammar: { options: commonOptions, most: 1 },
	needs: "nothing",
	perform: (call) => tell(call, "story"),
};

const diff: Verb = {
	name: "diff",
	usage: `pi-chronicle diff [options] [run] [visit | all]

Without a visit it is the present one; of a run that is over, the whole run.

${commonUsage}  --stat          the list of files alone

Exit code: 0, 1 the files cannot be compared, 2 there is no such run or visit.
`,
	grammar: { options: { ...commonOptions, stat: "flag" } },
	needs: "nothing",
	async perform({ parsed, project, output }) {
		const entries = await project.store.list();
		const words = readVisitWords(parsed.names, (word) => namesRun(word, entries));
		if (typeof words === "string") return { code: "usage", message: words };
		return withRun(project, words.named, async (read) => {
			const found = await diffRun(project, read, words.visit);
			if (!found.ok) {
				const exitCode = found.failure.reason === "unknown_visit" ? exitCodes.usage : exitCodes.failed;
				return { code: found.failure.reason, ...found.failure, exitCode };
			}
			const { patch, state } = found.value;
			const what = found.value.visit === "all" ? "the run" : `visit ${found.value.visit} (${state})`;
			const lines = [`${what}: ${differenceLines(found.value).join("\n")}`];
			output.result(parsed.flags.has("stat") || patch === "" ? lines : [...lines, "", patch.trimEnd()], {
				id: read.run.id,
				...found.value,
			});
			return exitCodes.done;
		});
	},
};

const report: Verb = {
	name: "report",
	usage: `pi-chronicle report [options] [run]

Writes a file that needs no network: the path taken, times, money, changes, decisions.

${commonUsage}  --out <file>    where to write it (default: report.html in the run's folder)

Exit code: 0, 1 it cannot be written, 2 there is no such run.
`,
	grammar: { options: { ...commonOptions, out: "value" }, most: 1 },
	needs: "nothing",
	perform: ({ parsed, project, output }) =>
		withRun(project, parsed.names[0], async (read) => {
			const { saveReport } = await import("../report/index.ts");
			const { out } = parsed.values;
			const saved = await withWorkspace(project, read, undefined, (workspace) =>
				saveReport(read, { workspace, prefix, ...(out === undefined ? {} : { path: resolve(out) }) }),
			);
			if (!saved.ok) return { code: saved.failure.reason, ...saved.failure, exitCode: exitCodes.failed };
			output.result([saved.value.path], { id: read.run.id, ...saved.value });
			return exitCodes.done;
		}),
};

async function withRun(
	project: Project,
	named: string | undefined,
	look: (read: ReadLedger) => Promise<Outcome>,
): Promise<Outcome> {
	const found = await resolveRun(project, named);
	if (!found.ok) return failed(found.failure);
	const read = await project.store.read(found.value);
	return read.ok ? look(read.value) : failed(read.failure);
}

/** Where a run stands, and its story where that is asked for; also of a ledger of another program. */
async function tell({ parsed, project, output }: VerbCall, what: "status" | "story"): Promise<Outcome> {
	const found = await resolveLedger(project, parsed.names[0]);
	if (!found.ok) return failed(found.failure);
	const entry = found.value;
	if (entry.kind !== "run") {
		const story = what === "story" ? foreignStoryLines(entry) : [];
		output.result([...foreignLines(entry), ...story], foreignData(entry));
		return exitCodes.done;
	}
	return withRun(project, entry.id, async (read) => {
		const now = new Date(project.clock.now()).toISOString();
		const story = what === "story" ? storyLines(read.run) : [];
		output.result([...statusLines(read, { now, prefix }), ...story], runData(read));
		return exitCodes.done;
	});
}

export const lookingVerbs: readonly Verb[] = [list, status, show, view, diff, report];
