// Completions after `/chronicle `: commands and templates, then runs and states.
import type { AutocompleteItem } from "@earendil-works/pi-tui";
import type { LedgerEntry, Run } from "../../core/index.ts";
import { isLoaded } from "../../engine/index.ts";
import { namesRun, resolveRun, statesOf } from "../commands/index.ts";
import type { ChronicleSession } from "./session.ts";
import { sessionCommandNames, sessionCommands, sessionList } from "./session-commands.ts";
import { lookAt, type Whereabouts } from "./session-project.ts";

const mostRuns = 12;
const mostVisits = 20;

const takesTemplate = new Set(["start", "show", "check"]);

/** Completions for the line up to the cursor; `null` if nothing matches. */
export async function completeChronicle(
	session: ChronicleSession,
	prefix: string,
	where: Whereabouts,
): Promise<AutocompleteItem[] | null> {
	const project = lookAt(where);
	const words = prefix.split(/\s+/);
	const last = words.pop() ?? "";
	const before = prefix.slice(0, prefix.length - last.length);
	const offer = (items: readonly AutocompleteItem[]): AutocompleteItem[] | null => {
		const fitting = items.filter(({ label }) => label.startsWith(last));
		return fitting.length === 0 ? null : fitting.map((item) => ({ ...item, value: `${before}${item.value}` }));
	};
	const templates = (): AutocompleteItem[] =>
		[...project.templates().templates.values()]
			.filter(isLoaded)
			.map(({ key, read }) => item(key, read.template.description ?? read.template.name));
	const [name, named] = words;
	if (name === undefined) {
		const shown = templates().filter(({ label }) => !sessionCommandNames.has(label));
		return offer([...shown, ...sessionList.map(({ name, about }) => item(name, about))]);
	}
	if (takesTemplate.has(name)) return words.length === 1 ? offer(templates()) : null;
	const command = sessionCommands.find((one) => one.name === name);
	if (!command) return null;
	// Runs are completed without this option.
	const options = Object.keys(command.options ?? {}).filter((option) => option !== "run");
	if (last.startsWith("-")) return offer(options.map((option) => item(`--${option}`)));
	const entries = (await project.store.list()).filter((entry) => entry.kind === "run");
	// Arguments that come from the run itself, after the run's name or without it.
	const parts = async (): Promise<AutocompleteItem[]> => {
		const found = await resolveRun(project, words.length === 1 ? undefined : named, [...session.supervised.keys()]);
		const read = found.ok ? await project.store.read(found.value) : undefined;
		return read?.ok ? partsOf(name, read.value.run) : [];
	};
	if (words.length > 1) return words.length === 2 && namesRun(named ?? "", entries) ? offer(await parts()) : null;
	if (name === "list" || name === "help") return null;
	// Printed commands and scripts use these options, users do not.
	const own = options.filter((option) => option !== "visit" && option !== "answers");
	return offer([...runs(entries), ...(await parts()), ...own.map((option) => item(`--${option}`))]);
}

/** States or visits, for the commands that take one. */
function partsOf(name: string, run: Run): AutocompleteItem[] {
	if (name === "release" || name === "reopen") return statesOf(run).map((state) => item(state));
	if (name !== "rewind" && name !== "diff") return [];
	const left = run.history.map(({ visit, from }) => ({ visit, state: from }));
	const visits = [...left, { visit: run.visit, state: run.state }].slice(-mostVisits).reverse();
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

function runs(entries: readonly LedgerEntry[]): AutocompleteItem[] {
	const shown = entries
		.slice(0, mostRuns)
		.flatMap((entry) =>
			entry.kind === "run"
				? [
						item(
							entry.id.slice(0, 8),
							`${entry.summary.status.replaceAll("_", " ")}: ${entry.summary.task.slice(0, 50)}`,
						),
					]
				: [],
		);
	return shown.length === 0 ? [] : [item("last"), ...shown];
}

function item(label: string, description?: string): AutocompleteItem {
	return { value: label, label, ...(description === undefined ? {} : { description }) };
}
