// What `/workflow`, `/workflow list` and `/workflow check` tell people, as lines of text. Pure.
import { type Diagnostic, formatDiagnostic, formatPath, singleLine } from "../../definition/index.ts";
import type { Catalogue, Phase, Reference, ToolLimits, WorkflowDefinition } from "./definition.ts";

/**
 * How to start a workflow, and which there are: command and name. Hidden workflows are not among them. Then what did not load, each with
 * the first reason. Paths are shown relative to `base`.
 */
export function usageLines(catalogue: Catalogue, base?: string): string[] {
	const visible = visibleCommands(catalogue);
	const lines = ["Usage: /workflow <name> <task>", ""];
	if (visible.length === 0)
		lines.push(
			"There is no workflow to start. Put one into .pi/workflows/<name>/workflow.yaml, or into the same folder of pi's agent directory.",
		);
	else {
		lines.push("Workflows:");
		for (const [command, { name }] of visible) lines.push(`  ${command} — ${singleLine(name)}`);
	}
	return [...lines, ...rejectedSummary(catalogue, base)];
}

/** Every workflow with its phases, then what did not load and why. Paths are shown relative to `base`. */
export function listLines(catalogue: Catalogue, base?: string): string[] {
	const lines: string[] = [];
	const started = new Map([...catalogue.commands].map(([command, definition]) => [definition, command]));
	for (const definition of catalogue.definitions.values()) {
		const command = definition.show === "user" ? started.get(definition) : undefined;
		const how =
			command === undefined ? (definition.show === "user" ? "name taken" : "inside others") : `/workflow ${command}`;
		lines.push(`${definition.key} — ${singleLine(definition.name)} (${definition.tier}, ${how})`);
		lines.push(`  ${definition.entries.map(entryLabel).join(" → ")}`);
	}
	if (lines.length === 0) lines.push("No workflow is loaded.");
	for (const { key, tier, file, diagnostics } of catalogue.rejected.values()) {
		lines.push(`✗ ${singleLine(key)} (${tier}) does not load: ${singleLine(formatPath(file, base))}`);
		for (const diagnostic of diagnostics.slice(0, 5)) lines.push(`    ${formatDiagnostic(diagnostic, base)}`);
		if (diagnostics.length > 5) lines.push(`    … and ${diagnostics.length - 5} more: /workflow check`);
	}
	return lines;
}

/** Every problem, one a line, and a last line that counts. `further` are problems that were found with knowledge of the session. */
export function catalogueCheckLines(
	catalogue: Catalogue,
	further: readonly Diagnostic[] = [],
	base?: string,
): string[] {
	const all = [...catalogue.diagnostics, ...further];
	const errors = all.filter(({ severity }) => severity === "error").length;
	const loaded = count(catalogue.definitions.size, "workflow");
	const rejected = catalogue.rejected.size === 0 ? "" : `, ${catalogue.rejected.size} did not load`;
	const found =
		all.length === 0 ? "no problems" : `${count(errors, "error")}, ${count(all.length - errors, "warning")}`;
	return [...all.map((diagnostic) => formatDiagnostic(diagnostic, base)), `${loaded} loaded${rejected}: ${found}.`];
}

/** Commands that a person can start, in the order of their names. */
export function visibleCommands(catalogue: Catalogue): [string, WorkflowDefinition][] {
	return [...catalogue.commands].filter(([, { show }]) => show === "user");
}

/** What a phase may use, in a few words; empty where it may use everything. */
function limitsLabel(limits: ToolLimits): string {
	switch (limits.kind) {
		case "free":
			return "";
		case "blacklist":
			return limits.names.length === 0 ? "" : `no ${limits.names.join(", ")}`;
		case "whitelist":
			return limits.names.length === 0 ? "no tools" : `only ${limits.names.join(", ")}`;
		case "capabilities":
			return limits.may.length === 0 ? "no tools" : `may ${limits.may.join(", ")}`;
	}
}

/** What is special about a phase, in a few words: its limits, and that a person ends it. */
export function phaseLabel({ tools, advance }: Phase): string {
	return [limitsLabel(tools), advance === "person" ? "you end it" : ""].filter((part) => part !== "").join("; ");
}

function entryLabel(entry: Phase | Reference): string {
	if (entry.kind === "reference") return `@${singleLine(entry.key)}`;
	const label = phaseLabel(entry);
	return singleLine(`${entry.emoji} ${entry.name}${label === "" ? "" : ` (${label})`}`);
}

/** Workflows that did not load and are told one by one. */
const mostRejected = 5;

function rejectedSummary({ rejected }: Catalogue, base: string | undefined): string[] {
	if (rejected.size === 0) return [];
	const told = [...rejected.values()].slice(0, mostRejected).map(({ key, file, diagnostics: [first] }) => {
		const why = first ? formatDiagnostic(first, base) : singleLine(formatPath(file, base));
		return `  ✗ ${singleLine(key)} — ${why}`;
	});
	const more = rejected.size > mostRejected ? [`  … and ${rejected.size - mostRejected} more`] : [];
	return ["", `${count(rejected.size, "workflow")} did not load (/workflow check shows everything):`, ...told, ...more];
}

function count(number: number, noun: string): string {
	return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
