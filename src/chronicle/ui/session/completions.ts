// What may follow `/chronicle `: verbs and templates, then runs and states.
import type { AutocompleteItem } from "@earendil-works/pi-tui";
import type { LedgerEntry, Run } from "../../core/index.ts";
import { isLoaded } from "../../engine/index.ts";
import { namesRun, resolveRun, statesOf } from "../commands/index.ts";
import type { ChronicleSession } from "./session.ts";
import { commandNames, sessionCommands, sessionList } from "./session-commands.ts";
import { lookAt, type Whereabouts } from "./session-project.ts";

const mostRuns = 12;
const mostVisits = 20;

/** Completions for the words before the cursor; `null` where nothing fits. */
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
	const [verb, named] = words;
	if (verb === undefined) {
		const shown = templates().filter(({ label }) => !commandNames.has(label));
		return offer([...shown, ...sessionList.map(({ name, about }) => item(name, about))]);
	}
	if (verb === "start" || verb === "show" || verb === "check") return words.length === 1 ? offer(templates()) : null;
	if (!commandNames.has(verb)) return null;
	const entries = (await project.store.list()).filter((entry) => entry.kind === "run");
	const taken = sessionCommands.find(({ name }) => name === verb)?.options ?? {};
	// Runs are completed without it.
	const options = Object.keys(taken).filter((option) => option !== "run");
	if (last.startsWith("-")) return offer(options.map((option) => item(`--${option}`)));
	// What a verb takes of the run itself, behind its name or without it.
	const parts = async (): Promise<AutocompleteItem[]> => {
		const found = await resolveRun(project, words.length === 1 ? undefined : named, [...session.supervised.keys()]);
		const read = found.ok ? await project.store.read(found.value) : undefined;
		return read?.ok ? partsOf(verb, read.value.run) : [];
	};
	if (words.length === 1) {
		if (verb === "list" || verb === "help") return null;
		// What a person saw is named by commands that were printed, and by scripts.
		const own = options.filter((option) => option !== "visit" && option !== "answers");
		return offer([...runs(entries), ...(await parts()), ...own.map((option) => item(`--${option}`))]);
	}
	return words.length === 2 && namesRun(named ?? "", entries) ? offer(await parts()) : null;
}

/** States or visits, for the verbs that take one. */
function partsOf(verb: string, run: Run): AutocompleteItem[] {
	if (verb === "release" || verb === "reopen") return statesOf(run).map((state) => item(state));
	if (verb !== "rewind" && verb !== "diff") return [];
	const left = run.history.map(({ visit, from }) => ({ visit, state: from }));
	const visits = [...left, { visit: run.visit, state: run.state }].slice(-mostVisits).reverse();
	return [
		...(verb === "diff" ? [item("all", "the whole run")] : []),
		...visits.map(({ visit, state }) => item(String(visit), state)),
		...(verb === "rewind"
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
