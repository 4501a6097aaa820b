// Checks the task lists in files for which states start children, before a run starts.
import { basename, dirname, join } from "node:path";
import { didYouMean } from "@pi-chronicle/core/definition";
import { problemsOfItems } from "@pi-chronicle/core/machine";
import type { LaunchProblem } from "@pi-chronicle/core/ports";
import type { ChildrenPlan, Template } from "@pi-chronicle/core/template";
import { folderNames } from "../../disk/index.ts";
import { readListFile } from "../supervisor/index.ts";

type ListProblem = Pick<LaunchProblem, "state" | "message" | "remedy" | "severity">;

/**
 * What is wrong with the lists in files that `template` names, in the folder `cwd` (absolute). An error: neither a worker nor a command runs before the
 * children, so the list is fixed. Otherwise it may still be written: a missing file is a problem only if its name is nearly that of another.
 */
export async function listFileProblems(template: Template, cwd: string): Promise<readonly ListProblem[]> {
	const fixed = statesBeforeWork(template);
	const problems: ListProblem[] = [];
	for (const { name, children } of template.states.values()) {
		if (!children?.fromFile || children.forEach === undefined) continue;
		const path = children.forEach;
		const severity = fixed.has(name) ? "error" : "warning";
		const list = await readListFile(join(cwd, path));
		const wrong = "problem" in list ? [`The list "${path}" ${list.problem}.`] : entryProblems(children, list.items);
		const near = "missing" in list ? didYouMean(basename(path), folderNames(join(cwd, dirname(path)))) : "";
		if ("missing" in list && near === "" && severity === "warning") continue;
		const remedy = "missing" in list ? "Write it, or correct the path." : "Correct the list.";
		problems.push(
			...wrong.map((message) => ({ state: name, message: `${message}${near}`, remedy, severity }) as const),
		);
	}
	return problems;
}

function entryProblems(children: ChildrenPlan, entries: readonly unknown[]): readonly string[] {
	return problemsOfItems(
		children,
		entries.map((value) => ({ value })),
	);
}

/** The states that a run reaches before its first worker or command. */
function statesBeforeWork({ initial, states }: Template): ReadonlySet<string> {
	const reached = new Set([initial]);
	for (const name of reached) {
		const state = states.get(name);
		if (!state || state.persona || state.children || state.command) continue;
		for (const next of state.next) reached.add(next);
	}
	return reached;
}
