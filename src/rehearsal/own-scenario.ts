// The scenario for one definition: the one that is named, else the project's own, else none; and whether it fits the definition.
import { resolve } from "node:path";
import { type Diagnostic, didYouMean } from "../definition/index.ts";
import type { Expected, Place, Unplayable, Wish } from "./program.ts";
import { automaticScenario, type Scenario } from "./scenario.ts";
import { readScenarioFile } from "./scenario-file.ts";
import { findScenario } from "./scenario-place.ts";

export interface OpenedScenario {
	readonly kind: "opened";
	readonly scenario: Scenario;
	/** `undefined`: there is none, the understudy improvises. */
	readonly file: string | undefined;
	readonly diagnostics: readonly Diagnostic[];
}

/** Opens the scenario for the definition with this key. */
export function openScenario(
	{ name, scenario: named }: Wish,
	{ cwd }: Place,
	kind: "workflow" | "chronicle",
	key: string,
): OpenedScenario | Unplayable {
	const file = named === undefined ? findScenario(cwd, kind, key) : resolve(cwd, named);
	if (file === undefined) return { kind: "opened", scenario: automaticScenario, file, diagnostics: [] };
	const { scenario, diagnostics } = readScenarioFile(file);
	if (scenario) return { kind: "opened", scenario, file, diagnostics };
	return { kind: "unplayable", message: `The scenario of ${name} cannot be used.`, diagnostics };
}

/** Scripts for phases or states that the definition does not have: a slip that would otherwise pass in silence. */
export function strangers(
	{ scenario, file }: OpenedScenario,
	noun: "phase" | "state",
	expected: readonly Expected[],
): Diagnostic[] {
	const known = expected.flatMap(({ scope, id }) => (scope === undefined ? [id] : [id, `${scope}/${id}`]));
	const named = [...(noun === "phase" ? scenario.phases : scenario.states).keys()];
	return [...new Set(named.map((name) => name.replace(/#\d+$/, "")))]
		.filter((name) => !known.includes(name))
		.map((name) => ({
			severity: "warning",
			file: file ?? "",
			code: `unknown-${noun}`,
			message: `The scenario has a script for \`${name}\`, which is no ${noun} that is played here.${didYouMean(name, known)}`,
			remedy: `Name it like the ${noun}, or remove it.`,
		}));
}
