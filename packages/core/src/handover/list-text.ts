// What a worker is told about the list that a following state needs: where to save it, and what an entry is. Pure.
import { quoted } from "../definition/index.ts";
import { type AwaitedList, MAX_CHILDREN } from "../machine/index.ts";

/** One paragraph for each list. `edits`: whether the worker may write files. */
export function listTexts(lists: readonly AwaitedList[], edits: boolean): readonly string[] {
	return lists.map((list) => [leavingRule(list, edits), entryRule(list), orderRule(list)].filter(Boolean).join(" "));
}

/** Descriptions of the lists that are saved under a name, by name. */
export function savedLists(lists: readonly AwaitedList[]): Readonly<Record<string, string>> {
	return Object.fromEntries(
		lists.flatMap(({ source, state }) =>
			source.kind === "saved" ? [[source.name, `The list of ${quoted(state)}, whole: replaces what was saved`]] : [],
		),
	);
}

function leavingRule({ state, source }: AwaitedList, edits: boolean): string {
	const each = `${quoted(state)} starts an agent for each entry of`;
	switch (source.kind) {
		case "saved":
			return `${each} the list \`${source.name}\`. Save it before you end, in one call of \`workflow_update_snapshot\`: \`${JSON.stringify({ [source.name]: [] }).replace("[]", "[…]")}\`.`;
		case "pendingTasks":
			return `${each} the pending tasks. Save them before you end: \`pending_tasks\` of \`workflow_update_snapshot\`.`;
		case "findings":
			return `${each} the findings. Save them before you end: \`findings\` of \`workflow_update_snapshot\`.`;
		case "data":
			return `${each} the list \`${["data", ...source.path].join(".")}\` of your \`workflow_transition\`.`;
		case "file":
			return `${each} the task list in the file ${source.path}${edits ? ", as you leave it" : ""}.`;
	}
}

function entryRule({ source, fields }: AwaitedList): string {
	if (source.kind === "file") return "";
	if (fields.length === 0)
		return `An entry is its agent's task: a text, or an object with a \`text\`. At most ${MAX_CHILDREN} entries.`;
	const names = fields.map((name) => `\`${name}\``).join(", ");
	return `An entry has ${names}, of which the agent's task is made. At most ${MAX_CHILDREN} entries.`;
}

function orderRule({ source, order }: AwaitedList): string {
	if (order === "chain") return "Each begins with what the one before it has changed.";
	if (source.kind === "file") return "";
	return "If one builds on others, each has an `id`, and `needs`, a list of ids: it begins with what those have changed.";
}
