// Opens the scenario for a definition: the requested one, otherwise the project's, otherwise the package's, otherwise none. Checks that it
// fits the definition.
import { resolve } from "node:path";
import { type Diagnostic, didYouMean } from "@pi-chronicle/core/definition";
import type { Expected, ProjectPaths, RehearsalRequest, Unplayable } from "./rehearse.ts";
import { automaticScenario, type Scenario } from "./scenario.ts";
import { findScenario, findShippedScenario, readScenarioFile } from "./scenario-file.ts";

export interface OpenedScenario {
	readonly kind: "opened";
	readonly scenario: Scenario;
	/** `undefined`: without a scenario, the understudy improvises. */
	readonly file: string | undefined;
	readonly diagnostics: readonly Diagnostic[];
}

/** Opens the scenario for the definition with this key, of the project or of the package. */
export function openScenario(
	{ name, scenario: named }: RehearsalRequest,
	{ cwd }: ProjectPaths,
	kind: "workflow" | "chronicle",
	{ key, tier }: { readonly key: string; readonly tier: string },
): OpenedScenario | Unplayable {
	if (named === false) return { kind: "opened", scenario: automaticScenario, file: undefined, diagnostics: [] };
	const own = named === undefined ? findScenario(cwd, kind, key) : resolve(cwd, named);
	const file = own ?? (tier === "shipped" ? findShippedScenario(kind, key) : undefined);
	if (file === undefined) return { kind: "opened", scenario: automaticScenario, file, diagnostics: [] };
	const { scenario, diagnostics } = readScenarioFile(file);
	if (scenario) return { kind: "opened", scenario, file, diagnostics };
	return { kind: "unplayable", message: `The scenario of ${name} cannot be used.`, diagnostics };
}

/** The number, and the item, of a child of a list. */
const numbered = / [1-9]\d*(?:: .*)?\/(?=[^/]*$)/s;

/** Warnings about scripts for phases or states that the definition does not have; they would otherwise be ignored silently. */
export function unknownScripts(
	{ scenario, file }: OpenedScenario,
	noun: "phase" | "state",
	expected: readonly Expected[],
): Diagnostic[] {
	const known = expected.flatMap(({ scope, id, children = [] }) => [
		id,
		...[...(scope === undefined ? [] : [scope]), ...children].map((name) => `${name}/${id}`),
	]);
	const named = [...(noun === "phase" ? scenario.phases : scenario.states).keys()];
	return [...new Set(named.map((name) => name.replace(/#\d+$/, "")))]
		.filter((name) => !known.includes(name) && !known.includes(name.replace(numbered, " 1/")))
		.map((name) => ({
			severity: "warning",
			file: file ?? "",
			code: `unknown-${noun}`,
			message: `The scenario has a script for \`${name}\`, but there is no such ${noun} here.${didYouMean(name, known)}`,
			remedy: `Name it like the ${noun}, or remove it.`,
		}));
}
