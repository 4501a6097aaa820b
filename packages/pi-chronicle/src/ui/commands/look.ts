// Read-only commands: list, status, show, view, diff, report.
import { resolve } from "node:path";
import { thereAre } from "@pi-chronicle/core/definition";
import { readHistory } from "@pi-chronicle/core/history";
import type { LedgerEntry, ReadLedger } from "@pi-chronicle/core/ports";
import {
	diffRun,
	isLoaded,
	keptFolders,
	notFound,
	type RunDiff,
	type SupervisedRun,
	waitingChildren,
	withWorkspace,
} from "../../local/index.ts";
import { exitCodes } from "../../pi/index.ts";
import {
	differenceLines,
	foreignData,
	foreignLines,
	foreignStoryLines,
	keptFolderLines,
	runData,
	runLines,
	runStatusText,
	statusLines,
	storyLines,
	takingTitle,
	templateDiagram,
	templateLines,
	templateNotes,
	undeliveredLines,
	undoneOf,
	waitingFirst,
} from "../phrases/index.ts";
import { type Command, type CommandCall, type CommandResponse, failed, misuse, refused } from "./command.ts";
import { namesRun, resolveLedger, resolveRun } from "./run-name.ts";

const unknownRun = "0, 2 no such run";

/** The names of the tiers in `list --json`. */
const templateOrigins = { project: "project", personal: "person", shipped: "package" } as const;

const list: Command = {
	name: "list",
	takes: "",
	details: "Lists templates with their errors, and runs with their state, age, cost and what they wait for.",
	exits: "0, 2 no such status",
	options:
		"  --status <status>  only the runs with this status\n  --limit <n>        only so many runs (default: 20)\n",
	maxNames: 0,
	needs: "nothing",
	async perform({ project, parsed: { values }, host: { prefix, reserved } }) {
		const catalogue = project.templates();
		const limit = values.limit === undefined ? undefined : Number(values.limit);
		if (limit !== undefined && !(Number.isSafeInteger(limit) && limit > 0))
			return misuse(`--limit takes a number of runs, not "${values.limit}".`);
		const entries = withStatus(await project.store.list(), values.status);
		if (typeof entries === "string") return misuse(entries);
		const shadowed = (name: string): string | undefined =>
			reserved?.has(name) ? `${prefix}start ${name} <task>` : undefined;
		const lines = [
			...(await runLines(project, prefix, entries, limit)),
			"",
			...templateLines(catalogue, project, prefix, shadowed),
			...(reserved === undefined
				? []
				: [
						"",
						`Start a run: ${prefix}<template> <task>. Other commands: ${prefix}<command> [run] [text], with ${[...reserved].join(", ")}.`,
					]),
		];
		const data = {
			templates: [...catalogue.templates.values()].map(({ key, tier, file, read, diagnostics }) => ({
				name: key,
				from: templateOrigins[tier],
				file,
				loads: read !== undefined,
				...(read?.template.description ? { description: read.template.description } : {}),
				states: read ? [...read.template.states.keys()] : [],
				diagnostics,
			})),
			diagnostics: catalogue.diagnostics,
			runs: waitingFirst(entries).slice(0, limit).map(entryData),
			trust: project.place.trust,
		};
		return { kind: "done", lines, data, view: { kind: "page", title: "Chronicles" } };
	},
};

const runStatuses: readonly string[] =
	"running interrupted queued asks awaiting_approval awaiting_provider paused budget_exceeded human_intervention done failed aborted".split(
		" ",
	);

/** The entries with a status, given as `--json` or as the list writes it; a string is what is wrong with it. */
function withStatus(entries: readonly LedgerEntry[], wanted: string | undefined): readonly LedgerEntry[] | string {
	if (wanted === undefined) return entries;
	const status = runStatuses.find((one) => one === wanted || runStatusText(one) === wanted.toLowerCase());
	if (status === undefined) return `There is no status "${wanted}". ${thereAre(runStatuses, "")}`;
	return entries.filter((entry) => entry.kind !== "unreadable" && entry.summary.status === status);
}

function entryData(entry: LedgerEntry): object {
	const { id, kind } = entry;
	if (entry.kind === "unreadable") return { id, kind, failure: entry.failure };
	return { id, kind, ...(entry.kind === "foreign" ? { foreign: entry.format } : {}), ...entry.summary };
}

const status: Command = {
	name: "status",
	takes: "[run]",
	details: "",
	exits: unknownRun,
	maxNames: 1,
	needs: "nothing",
	perform: (call) =>
		describeRun(call, false, ({ lines, data }) => ({
			kind: "done",
			lines,
			data,
			view: { kind: "page", title: "Status" },
		})),
};

const show: Command = {
	name: "show",
	takes: "<template>",
	details: "Draws the template as a diagram; --json prints it as Mermaid text.",
	exits: "0, 2 no such template, or it does not load",
	maxNames: 1,
	needs: "nothing",
	runs: "none",
	async perform({ parsed, project, host }) {
		const [name] = parsed.names;
		const catalogue = project.templates();
		if (name === undefined) {
			const known = thereAre([...catalogue.templates.keys()], "There are no templates.");
			return misuse(`Name a template: ${host.prefix}show <template>. ${known}`);
		}
		const found = catalogue.templates.get(name);
		if (!found || !isLoaded(found)) return refused({ code: "invalid", ...notFound(name, catalogue, project) });
		const { template } = found.read;
		const lines = templateDiagram(template);
		const data = { name, mermaid: lines.join("\n") };
		return {
			kind: "done",
			lines,
			data,
			view: { kind: "diagram", title: template.name, notes: templateNotes(template) },
		};
	},
};

const view: Command = {
	name: "view",
	takes: "[run]",
	details:
		"Shows the status, every move with its summary, findings and pending tasks, and the files that the run changed.",
	exits: unknownRun,
	shellOptions:
		"  --follow        show the pages of pi's run view in this terminal and follow the run: history, transcript, diff, knowledge, events\n",
	maxNames: 1,
	needs: "nothing",
	perform: (call) =>
		describeRun(call, true, ({ lines, data, read, supervised }) => ({
			kind: "done",
			lines,
			data,
			view: read ? { kind: "run", read, supervised } : { kind: "page", title: "Run" },
		})),
};

const diff: Command = {
	name: "diff",
	takes: "[run] [visit | all]",
	details:
		"Without a visit, shows the current one; if the run asks which child to take, what approving would change; of a run apart that has ended, what join would change; for another finished run, the whole run.",
	exits: "0, 1 the files cannot be compared, 2 no such run or visit",
	shellOptions: "  --stat          print only the list of files\n",
	needs: "nothing",
	async perform(call) {
		const { parsed, project } = call;
		const ids = await project.store.ids();
		const named = readRunAndVisit(parsed.names, (name) => namesRun(name, ids));
		if (typeof named === "string") return misuse(named);
		return withRun(call, named.run, async (read, supervised) => {
			const found = await diffRun(project, read, named.visit, supervised);
			if (!found.ok)
				return failed(found.failure, found.failure.reason === "unknown_visit" ? exitCodes.usage : exitCodes.failed);
			const { patch } = found.value;
			const { title, about } = differenceTitle(found.value);
			const head = `${about}: ${differenceLines(found.value).join("\n")}`;
			return {
				kind: "done",
				lines: parsed.flags.has("stat") || patch === "" ? [head] : [head, "", patch.trimEnd()],
				data: { id: read.run.id, ...found.value },
				view: { kind: "patch", title, diff: found.value },
			};
		});
	},
};

/** What a difference shows: as a title, and as the beginning of a line. */
function differenceTitle({ visit, state, taking }: RunDiff): { readonly title: string; readonly about: string } {
	if (taking && visit === "all")
		return { title: `If you join: the files of ${taking.name}`, about: `joining ${taking.name} changes` };
	if (taking) return { title: takingTitle(taking), about: `if you approve, "${taking.name}" is taken` };
	if (visit === "all") return { title: "Changes of the run", about: "the run" };
	return { title: `Changes in ${state}, visit ${visit}`, about: `visit ${visit} (${state})` };
}

/** Parses `[run] [visit | all]`; a string is an error message. `isRun`: whether a number is the prefix of an id. */
function readRunAndVisit(
	names: readonly string[],
	isRun: (name: string) => boolean,
): { readonly run?: string; readonly visit?: number | "all" } | string {
	const [first, second, surplus] = names;
	if (surplus !== undefined || (second !== undefined && visitIn(second) === undefined))
		return "diff takes a run and a visit: diff [run] [visit | all].";
	if (first === undefined) return {};
	const visit = visitIn(second ?? first);
	if (second !== undefined && visit !== undefined) return { run: first, visit };
	return visit === undefined || isRun(first) ? { run: first } : { visit };
}

function visitIn(name: string): number | "all" | undefined {
	return name === "all" ? "all" : /^\d{1,6}$/.test(name) ? Number(name) : undefined;
}

const report: Command = {
	name: "report",
	takes: "[run]",
	details: "Writes a self-contained HTML file: path, times, cost, changes, decisions.",
	exits: "0, 1 it cannot be written, 2 no such run",
	shellOptions: "  --out <file>    the file to write (default: report.html in the run's folder)\n",
	maxNames: 1,
	needs: "nothing",
	perform: (call) =>
		withRun(call, call.parsed.names[0], async (found, supervised) => {
			const read = await withConversations(call, found);
			const { saveReport } = await import("../report/index.ts");
			const { out } = call.parsed.values;
			const { prefix } = call.host;
			const saved = await withWorkspace(call.project, read, supervised, (workspace) =>
				saveReport(read, { workspace, prefix, ...(out === undefined ? {} : { path: resolve(out) }) }),
			);
			if (!saved.ok) return failed(saved.failure, exitCodes.failed);
			const { path } = saved.value;
			return {
				kind: "done",
				lines: [path],
				data: { id: read.run.id, ...saved.value },
				notice: { text: `Wrote the report: ${path}`, tone: "info" },
			};
		}),
};

type Look = (read: ReadLedger, supervised: SupervisedRun | undefined) => Promise<CommandResponse>;

/** Reads the run that `named` refers to: from the supervision of this process, otherwise from its ledger. */
export async function withRun(
	{ project, host }: CommandCall,
	named: string | undefined,
	look: Look,
): Promise<CommandResponse> {
	const found = await resolveRun(project, named, [...host.supervised.keys()]);
	if (!found.ok) return failed(found.failure);
	const supervised = host.supervised.get(found.value);
	if (supervised) return look({ ...supervised.ledger, run: supervised.supervision.run }, supervised);
	const read = await project.store.read(found.value);
	return read.ok ? look(read.value, undefined) : failed(read.failure);
}

/** The same run once its conversations are here, which on an engine are fetched. */
async function withConversations({ project, host }: CommandCall, read: ReadLedger): Promise<ReadLedger> {
	if (!read.fetched || !project.engine) return read;
	const { id } = read.run;
	const fetched = await project.engine.fetchConversations(id, read.folder);
	if (!fetched.ok) host.warn(`The conversations are not here. ${fetched.failure.message}`);
	const now = await project.store.read(id);
	return now.ok ? now.value : read;
}

interface RunDescription {
	readonly lines: readonly string[];
	readonly data: object;
	/** Absent for a ledger of another program. */
	readonly read?: ReadLedger;
	readonly supervised?: SupervisedRun | undefined;
}

/** The status of a run, or of another program's ledger; `whole`: with its history. */
async function describeRun(
	call: CommandCall,
	whole: boolean,
	present: (description: RunDescription) => CommandResponse,
): Promise<CommandResponse> {
	const { project, host, parsed } = call;
	const found = await resolveLedger(project, parsed.names[0], [...host.supervised.keys()]);
	if (!found.ok) return failed(found.failure);
	const entry = found.value;
	if (entry.kind !== "run") {
		const lines = [...foreignLines(entry), ...(whole ? foreignStoryLines(entry) : [])];
		return present({ lines, data: foreignData(entry) });
	}
	return withRun(call, entry.id, async (named, supervised) => {
		const read = whole ? await withConversations(call, named) : named;
		const now = new Date(project.clock.now()).toISOString();
		const story = whole ? storyLines(read.run, undoneOf((await readHistory(read)).visits)) : [];
		const kept = await keptFolders(read);
		const below = await waitingChildren(project.store, read.run);
		const { cwd } = project.place;
		const lines = [
			...statusLines(read, { now, prefix: host.prefix, cwd, below, listsFollow: whole }),
			...undeliveredLines((await project.engine?.undelivered(read.run.id)) ?? new Map()),
			...keptFolderLines(kept),
			...story,
		];
		return present({ lines, data: { ...runData(read, below), childFolders: kept ?? null }, read, supervised });
	});
}

export const lookingCommands: readonly Command[] = [list, status, show, diff, view, report];
