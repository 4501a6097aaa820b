// What may follow `/chronicle `: verbs and templates, then runs and states.
import type { AutocompleteItem } from "@earendil-works/pi-tui";
import { isLoaded } from "../project/index.ts";
import { findRun, namesRun, statesOf, steerings } from "../steering/index.ts";
import type { LedgerEntry } from "../supervisor/index.ts";
import { lookAt, type Whereabouts } from "./house.ts";
import type { ChronicleSession } from "./session.ts";
import { type lookingVerbs, verbNames } from "./verbs.ts";

const mostRuns = 12;
/** Verbs that take a state behind the run. */
const withState = new Set(["release", "reopen"]);

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
		const shown = templates().filter(({ label }) => !verbNames.has(label));
		return offer([...shown, ...[...verbNames].map((name) => item(name))]);
	}
	if (verb === "start" || verb === "show" || verb === "check") return words.length === 1 ? offer(templates()) : null;
	if (!verbNames.has(verb)) return null;
	const entries = (await project.store.list()).filter((entry) => entry.kind === "run");
	const states = async (): Promise<AutocompleteItem[]> => {
		const found = await findRun(project, named, [...session.lives.keys()]);
		const read = found.ok ? await project.store.read(found.value) : undefined;
		return read?.ok ? statesOf(read.value.run).map((state) => item(state)) : [];
	};
	if (words.length === 1) {
		const options = Object.keys(steerings.find(({ name }) => name === verb)?.options ?? {});
		return offer([
			...runs(entries),
			...(withState.has(verb) ? await states() : []),
			...options.map((option) => item(`--${option}`)),
		]);
	}
	if (words.length === 2 && withState.has(verb) && namesRun(named ?? "", entries)) return offer(await states());
	if (words.length === 2 && verb === ("diff" satisfies (typeof lookingVerbs)[number])) return offer([item("all")]);
	return null;
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
