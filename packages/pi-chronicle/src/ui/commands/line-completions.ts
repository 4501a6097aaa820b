// Completes a command line with what the runs say: runs, states, visits and options. Shared by pi's editor and the shell.

import type { Run } from "@pi-chronicle/core/machine";
import type { LedgerEntry } from "@pi-chronicle/core/ports";
import type { Project } from "../../local/index.ts";
import { optionsIn } from "../option-usage.ts";
import { runStatusText, shortTime, waitingFirst } from "../phrases/index.ts";
import { answerChoices } from "./answer-choices.ts";
import { askingChildren } from "./child-dispatch.ts";
import type { Command } from "./command.ts";
import { item, type LineItem, type LineNames, nameItems, offer, type SplitLine, splitLine } from "./line-names.ts";
import { statesOf } from "./run-command.ts";
import { mayNameRun, namesRun, resolveRun } from "./run-name.ts";

export interface LineCommands {
	readonly commands: readonly Command[];
	readonly supervised: readonly string[];
}

const maxRuns = 12;
const maxVisits = 20;

/** Completions for the line up to the cursor; `null` if nothing matches, or the last word is complete. */
export async function completeLine(
	project: Project,
	line: string,
	{ commands, supervised, ...names }: LineCommands & LineNames,
): Promise<LineItem[] | null> {
	const split = splitLine(line);
	const named = nameItems(split.words, names);
	return offer(split, named ?? (await runItems(project, split, { commands, supervised })));
}

/** The items for the last word of a line after a command on runs. Which runs are among them depends on the word. */
export async function runItems(
	project: Project,
	{ words, last }: SplitLine,
	{ commands, supervised }: LineCommands,
): Promise<readonly LineItem[]> {
	const [name] = words;
	const choices = await choiceItems(project, words, last, supervised);
	if (choices) return choices;
	const command = commands.find((one) => one.name === name);
	if (!command || name === undefined) return [];
	// Runs are completed without this option.
	const options = Object.keys(optionsIn(command.options)).filter((option) => option !== "run");
	if (last.startsWith("-")) return options.map((option) => item(`--${option}`));
	return runArguments(project, { name, words, options, last, supervised });
}

/** The values of `--choice`, if one is being written: `--choice <value>` or `--choice=<value>`. */
async function choiceItems(
	project: Project,
	[name, ...words]: readonly string[],
	last: string,
	supervised: readonly string[],
): Promise<LineItem[] | undefined> {
	const [option = ""] = /^--choice=/.exec(last) ?? [];
	// bash splits words at `=`.
	const before = words.at(-1) === "=" ? words.at(-2) : words.at(-1);
	if (name !== "approve" || (option === "" && before !== "--choice")) return undefined;
	const named = words.find((word) => mayNameRun(word));
	const found = await resolveRun(project, named, supervised);
	const read = found.ok ? await project.store.read(found.value) : undefined;
	const asking = read?.ok ? await askingChildren(project, read.value.run) : [];
	return asking.flatMap((run) => answerChoices(run).map(({ word, about }) => item(`${option}${word}`, about)));
}

/** Runs, then arguments derived from the run, with or without its name before them. */
async function runArguments(
	project: Project,
	{
		name,
		words: [, named = "", ...more],
		words,
		options,
		last,
		supervised,
	}: {
		readonly name: string;
		readonly words: readonly string[];
		readonly options: readonly string[];
		readonly last: string;
		readonly supervised: readonly string[];
	},
): Promise<LineItem[]> {
	const parts = async (): Promise<LineItem[]> => {
		if (!["release", "reopen", "rewind", "diff"].includes(name)) return [];
		const found = await resolveRun(project, words.length === 1 ? undefined : named, supervised);
		const read = found.ok ? await project.store.read(found.value) : undefined;
		return read?.ok ? itemsAfter(name, read.value.run) : [];
	};
	if (words.length > 1) return more.length === 0 && namesRun(named, await project.store.ids()) ? parts() : [];
	if (name === "list" || name === "help") return [];
	const entries = (await fittingEntries(project, last)).filter((entry) => entry.kind === "run");
	// Printed commands and scripts use these options, users do not.
	const own = options.filter((option) => option !== "visit" && option !== "answers" && option !== "tree");
	return [...runs(entries, project.clock.now()), ...(await parts()), ...own.map((option) => item(`--${option}`))];
}

/** The runs whose ids begin with `prefix`, otherwise those that changed last. */
async function fittingEntries({ store }: Project, prefix: string): Promise<readonly LedgerEntry[]> {
	if (prefix === "" || !/^[0-9a-f-]+$/.test(prefix)) return store.recent(maxRuns);
	const ids = (await store.ids()).filter((id) => id.startsWith(prefix)).slice(0, maxRuns);
	const entries = await Promise.all(ids.map((id) => store.entry(id)));
	return entries.filter((entry) => entry !== undefined);
}

function itemsAfter(name: string, run: Run): LineItem[] {
	if (name === "release" || name === "reopen") return statesOf(run).map((state) => item(state));
	const left = run.history.map(({ visit, from }) => ({ visit, state: from }));
	const visits = [...left, { visit: run.visit, state: run.state }].slice(-maxVisits).reverse();
	return [
		...(name === "diff" ? [item("all", "the whole run")] : []),
		...visits.map(({ visit, state }) => item(String(visit), state)),
		...(name === "rewind"
			? [...run.kept]
					.reverse()
					.map(({ seq, state, visit }) => item(`kept-${seq}`, `${state}, visit ${visit}, before a rewind`))
			: []),
	];
}

/** Runs with their state and age: `awaiting approval in planning, 3m12s ago: Add it`. */
function runs(entries: readonly LedgerEntry[], now: number): LineItem[] {
	const shown = waitingFirst(entries)
		.slice(0, maxRuns)
		.flatMap((entry) => {
			if (entry.kind !== "run") return [];
			const { status, state, updatedAt, task } = entry.summary;
			const age = updatedAt === "" ? "" : `, ${shortTime(now - Date.parse(updatedAt))} ago`;
			return [item(entry.id.slice(0, 8), `${runStatusText(status)} in ${state}${age}: ${task.slice(0, 50)}`)];
		});
	return shown.length === 0 ? [] : [item("last"), ...shown];
}
