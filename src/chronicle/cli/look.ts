// The verbs that only look: what there is, where a run stands, what it changed, its report, and whether templates are sound.
import { statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { type Diagnostic, formatDiagnostic, formatPath } from "../../definition/index.ts";
import { differenceOf, exitCodes, isLoaded, looking, type Project, readTemplateFile } from "../project/index.ts";
import { findRun } from "../steering/index.ts";
import type { LedgerEntry, ReadLedger } from "../supervisor/index.ts";
import {
	changeLines,
	runData,
	runLines,
	statusLines,
	storyLines,
	templateLines,
	templatePlace,
} from "../telling/index.ts";
import type { Complaint } from "./output.ts";
import { commonOptions, commonUsage, isRunWord, type Verb } from "./verb.ts";

const prefix = "pi-chronicle ";

const list: Verb = {
	name: "list",
	usage: `pi-chronicle list [options]

Templates with what is wrong with them, and runs with their state, age, cost and what they wait for.

${commonUsage}
Exit code: 0.
`,
	grammar: { options: commonOptions },
	needs: "nothing",
	async perform({ project, output }) {
		const shelf = project.templates();
		const entries = await project.store.list();
		const lines = [...templateLines(shelf, project), "", ...(await runLines(project, prefix, entries))];
		if (shelf.templates.size === 0) lines.splice(1, 0, `  Write one: ${templatePlace(project)}`);
		output.result(lines, {
			templates: [...shelf.templates.values()].map(({ key, tier, file, read, diagnostics }) => ({
				name: key,
				from: tier === "personal" ? "person" : "project",
				file,
				loads: read !== undefined,
				...(read?.template.description ? { description: read.template.description } : {}),
				states: read ? [...read.template.states.keys()] : [],
				diagnostics,
			})),
			runs: entries.map(entryData),
			trust: project.place.trust,
		});
		return exitCodes.done;
	},
};

function entryData(entry: LedgerEntry): object {
	const { id, kind } = entry;
	return entry.kind === "unreadable" ? { id, kind, failure: entry.failure } : { id, kind, ...entry.summary };
}

const status: Verb = {
	name: "status",
	usage: `pi-chronicle status [options] [run]

${commonUsage}
Exit code: 0, 2 there is no such run.
`,
	grammar: { options: commonOptions },
	needs: "nothing",
	perform: ({ parsed, project, output }) =>
		withRun(project, parsed.names[0], async (read) => {
			const lines = statusLines(read, { now: new Date(project.clock.now()).toISOString(), prefix });
			output.result(lines, runData(read));
			return exitCodes.done;
		}),
};

const view: Verb = {
	name: "view",
	usage: `pi-chronicle view [options] [run]

The status, every move with its summary, what the run knows, and the files that it has changed.

${commonUsage}
Exit code: 0, 2 there is no such run.
`,
	grammar: { options: commonOptions },
	needs: "nothing",
	perform: ({ parsed, project, output }) =>
		withRun(project, parsed.names[0], async (read) => {
			const now = new Date(project.clock.now()).toISOString();
			output.result([...statusLines(read, { now, prefix }), ...storyLines(read.run)], runData(read));
			return exitCodes.done;
		}),
};

const diff: Verb = {
	name: "diff",
	usage: `pi-chronicle diff [options] [run] [visit | all]

Without a visit it is the present one; of a run that is over, the whole run.

${commonUsage}  --stat          the list of files alone

Exit code: 0, 1 the files cannot be compared, 2 there is no such run.
`,
	grammar: { options: { ...commonOptions, stat: "flag" } },
	needs: "nothing",
	perform({ parsed, project, output }) {
		const { named, visit, error } = visitWords(parsed.names);
		if (error) return Promise.resolve(error);
		return withRun(project, named, async (read) => {
			const found = await differenceOf(project, read, visit);
			if (!found.ok) return { code: found.failure.reason, ...found.failure, exitCode: exitCodes.failed };
			const { changes, more, patch, state } = found.value;
			const what = found.value.visit === "all" ? "the run" : `visit ${found.value.visit} (${state})`;
			const lines = [`${what}: ${changeLines(changes, more).join("\n")}`];
			output.result(parsed.flags.has("stat") || patch === "" ? lines : [...lines, "", patch.trimEnd()], {
				id: read.run.id,
				...found.value,
			});
			return exitCodes.done;
		});
	},
};

function visitWords(names: readonly string[]): {
	readonly named?: string;
	readonly visit?: number | "all";
	readonly error?: Complaint;
} {
	const isVisit = (word: string | undefined): boolean => word === "all" || /^\d{1,6}$/.test(word ?? "");
	const [first, second] = names;
	const read = (word: string): number | "all" => (word === "all" ? "all" : Number(word));
	if (names.length > 2 || (second !== undefined && !isVisit(second)))
		return { error: { code: "usage", message: "diff takes a run and a visit: diff [run] [visit | all]." } };
	if (first === undefined) return {};
	if (second !== undefined) return { named: first, visit: read(second) };
	return isVisit(first) && !isRunWord(first) ? { visit: read(first) } : { named: first };
}

const report: Verb = {
	name: "report",
	usage: `pi-chronicle report [options] [run]

Writes a file that needs no network: the path taken, times, money, changes, decisions.

${commonUsage}  --out <file>    where to write it (default: report.html in the run's folder)

Exit code: 0, 1 it cannot be written, 2 there is no such run.
`,
	grammar: { options: { ...commonOptions, out: "value" } },
	needs: "nothing",
	perform: ({ parsed, project, output }) =>
		withRun(project, parsed.names[0], async (read) => {
			const { saveReport } = await import("../report/index.ts");
			const { out } = parsed.values;
			const saved = await looking(project, read, undefined, (workspace) =>
				saveReport(read, { workspace, prefix, ...(out === undefined ? {} : { path: resolve(out) }) }),
			);
			if (!saved.ok) return { code: saved.failure.reason, ...saved.failure, exitCode: exitCodes.failed };
			output.result([saved.value.path], { id: read.run.id, ...saved.value });
			return exitCodes.done;
		}),
};

const check: Verb = {
	name: "check",
	usage: `pi-chronicle check [options] [file…]

Files, or names of templates; without any, every template that the project offers, and whether its agents, models and rules are there.

${commonUsage}
Exit code: 0 sound, 2 something does not load.
`,
	grammar: { options: commonOptions },
	needs: "nothing",
	async perform({ parsed, project, output }) {
		const checked =
			parsed.names.length === 0 ? await checkAll(project) : parsed.names.map((name) => checkFile(project, name));
		const sound = checked.every(({ loads }) => loads);
		const { cwd } = project.place;
		const lines = checked.flatMap(({ file, loads, diagnostics, problems }) => [
			`${loads ? "✓" : "✗"} ${formatPath(file, cwd)}`,
			...diagnostics.map((diagnostic) => `  ${formatDiagnostic(diagnostic, cwd)}`),
			...problems.map((problem) => `  ${problem}`),
		]);
		output.result(checked.length === 0 ? ["There are no templates."] : lines, { sound, files: checked });
		return sound ? exitCodes.done : exitCodes.usage;
	},
};

interface Checked {
	readonly file: string;
	readonly loads: boolean;
	readonly diagnostics: readonly Diagnostic[];
	readonly problems: readonly string[];
}

async function checkAll(project: Project): Promise<Checked[]> {
	const launcher = project.launcher();
	const checked: Checked[] = [];
	for (const found of project.templates().templates.values()) {
		const { file, diagnostics, read } = found;
		const problems = isLoaded(found) ? await launcher.check([...found.read.template.states.values()]) : [];
		checked.push({
			file,
			loads: read !== undefined && !problems.some(({ severity }) => severity === "error"),
			diagnostics,
			problems: problems.map(({ state, message, remedy }) => `${state}: ${message} ${remedy}`),
		});
	}
	return checked;
}

/** A file by its path, else the template of that name. */
function checkFile(project: Project, name: string): Checked {
	const path = resolve(project.place.cwd, name);
	const there = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
	const named = there ? undefined : project.templates().templates.get(name);
	const found = named ?? readTemplateFile(path, "project");
	if (!found) {
		const message = `There is neither a file nor a template called ${basename(name)}.`;
		const missing = { severity: "error", code: "absent", file: path, message, remedy: "Check its name." } as const;
		return { file: path, loads: false, diagnostics: [missing], problems: [] };
	}
	return { file: found.file, loads: found.read !== undefined, diagnostics: found.diagnostics, problems: [] };
}

async function withRun(
	project: Project,
	named: string | undefined,
	look: (read: ReadLedger) => Promise<number | (Complaint & { readonly exitCode?: number })>,
): Promise<number | (Complaint & { readonly exitCode?: number })> {
	const found = await findRun(project, named);
	if (!found.ok) return { code: found.failure.reason, ...found.failure };
	const read = await project.store.read(found.value);
	return read.ok ? look(read.value) : { code: read.failure.reason, ...read.failure };
}

export const lookingVerbs: readonly Verb[] = [list, status, view, diff, report, check];
