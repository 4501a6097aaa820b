// Output lines of `/workflow`, `/workflow list`, and `/workflow check`. Pure.
import { counted, type Diagnostic, formatDiagnostics, formatPath, singleLine } from "@pi-chronicle/core/definition";
import { columnsOf } from "../../pi/index.ts";
import type { Catalogue, Phase, Reference, ToolLimits, WorkflowDefinition } from "./definition.ts";

/**
 * How to start a workflow, and the visible workflows with command and name. Then the workflows that did not load, each with its first
 * diagnostic. Paths are shown relative to `base`.
 */
export function usageLines(catalogue: Catalogue, base?: string): string[] {
	const visible = visibleCommands(catalogue);
	const own = visible.filter(([, { tier }]) => tier !== "shipped");
	const lines = ["Usage: /workflow <name> <task>", ""];
	if (own.length === 0) lines.push(noneYet);
	else {
		lines.push("Workflows:");
		lines.push(...namedLines(own.map(([command, { name }]) => [command, singleLine(name)])));
	}
	return [...lines, ...rejectedSummary(catalogue, base), ...shippedLines(visible)];
}

/** What a list of the workflows says besides their names: that there are none, and which do not load. */
export function usageNotes(catalogue: Catalogue, base?: string): string[] {
	const own = visibleCommands(catalogue).some(([, { tier }]) => tier !== "shipped");
	return [...(own ? [] : [noneYet]), ...rejectedSummary(catalogue, base)];
}

const noneYet =
	"You have no workflows yet. Create one in .pi/workflows/<name>/workflow.yaml, or in workflows/<name>/ of pi's agent folder.";

/** The package's workflows that can be started, with their phases. */
function shippedLines(visible: readonly (readonly [string, WorkflowDefinition])[]): string[] {
	const rows = visible.flatMap(([command, { tier, name, entries }]) =>
		tier === "shipped" ? [[command, `${singleLine(name)}: ${entries.map(entryName).join(" → ")}`] as const] : [],
	);
	const lines = namedLines(rows);
	return lines.length === 0
		? []
		: ["", "Ready to use (/workflow init <name> copies one into the project so that you can change it):", ...lines];
}

/** Names with their texts in a second column. */
function namedLines(rows: readonly (readonly [name: string, text: string])[]): string[] {
	const width = Math.max(0, ...rows.map(([name]) => columnsOf(name)));
	return rows.map(([name, text]) => `  ${name}${" ".repeat(width - columnsOf(name))}  ${text}`);
}

function entryName(entry: Phase | Reference): string {
	return singleLine(entry.kind === "reference" ? entry.key : entry.name);
}

const tierLabels = { project: "project", global: "global", shipped: "ready to use" } as const;

/** Every workflow with its phases, the package's last, then the rejected ones with their diagnostics. Paths are shown relative to `base`. */
export function listLines(catalogue: Catalogue, base?: string): string[] {
	const lines: string[] = [];
	const started = new Map([...catalogue.commands].map(([command, definition]) => [definition, command]));
	const isShipped = ({ tier }: WorkflowDefinition): number => (tier === "shipped" ? 1 : 0);
	const ordered = [...catalogue.definitions.values()].sort((a, b) => isShipped(a) - isShipped(b));
	for (const definition of ordered) {
		const command = definition.show === "user" ? started.get(definition) : undefined;
		const how =
			command === undefined ? (definition.show === "user" ? "name taken" : "inside others") : `/workflow ${command}`;
		lines.push(`${definition.key} — ${singleLine(definition.name)} (${tierLabels[definition.tier]}, ${how})`);
		lines.push(`  ${definition.entries.map(entryLabel).join(" → ")}`);
	}
	if (lines.length === 0) lines.push("No workflow is loaded.");
	for (const { key, tier, file, diagnostics } of catalogue.rejected.values()) {
		lines.push(`✗ ${singleLine(key)} (${tierLabels[tier]}) does not load: ${singleLine(formatPath(file, base))}`);
		for (const line of formatDiagnostics(diagnostics, base).slice(0, 5)) lines.push(`    ${line}`);
		if (diagnostics.length > 5) lines.push(`    … and ${diagnostics.length - 5} more: /workflow check`);
	}
	return lines;
}

/** Every problem on its own line, then a summary line. `further`: problems found by comparison with the session. */
export function catalogueCheckLines(
	catalogue: Catalogue,
	further: readonly Diagnostic[] = [],
	base?: string,
): string[] {
	const all = [...catalogue.diagnostics, ...further];
	const errors = all.filter(({ severity }) => severity === "error").length;
	const own = [...catalogue.definitions.values()].filter(({ tier }) => tier !== "shipped");
	const loaded = counted(own.length, "workflow");
	const rejected = catalogue.rejected.size === 0 ? "" : `, ${catalogue.rejected.size} did not load`;
	const found =
		all.length === 0 ? "no problems" : `${counted(errors, "error")}, ${counted(all.length - errors, "warning")}`;
	return [...formatDiagnostics(all, base), `${loaded} loaded${rejected}: ${found}.`];
}

/** The commands that the user can start, sorted by name. */
export function visibleCommands(catalogue: Catalogue): [string, WorkflowDefinition][] {
	return [...catalogue.commands].filter(([, { show }]) => show === "user");
}

/** A short description of a phase's limits; empty if it has none. */
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

/** A short description of a phase: its limits, its model, its context, and whether the user ends it. */
export function phaseLabel({ tools, model, context, advance }: Phase): string {
	const named = model === undefined ? "" : `model ${model}`;
	const parts = [limitsLabel(tools), named, context === undefined ? "" : "fresh context"];
	return [...parts, advance === "person" ? "you end it" : ""].filter((part) => part !== "").join("; ");
}

function entryLabel(entry: Phase | Reference): string {
	if (entry.kind === "reference") return `@${singleLine(entry.key)}`;
	const label = phaseLabel(entry);
	return singleLine(`${entry.emoji} ${entry.name}${label === "" ? "" : ` (${label})`}`);
}

/** Maximum number of rejected workflows that are listed individually. */
const maxRejected = 5;

function rejectedSummary({ rejected }: Catalogue, base: string | undefined): string[] {
	if (rejected.size === 0) return [];
	const lines = [...rejected.values()].slice(0, maxRejected).map(({ key, file, diagnostics }) => {
		const [why = singleLine(formatPath(file, base))] = formatDiagnostics(diagnostics, base);
		return `  ✗ ${singleLine(key)} — ${why}`;
	});
	const more = rejected.size > maxRejected ? [`  … and ${rejected.size - maxRejected} more`] : [];
	return [
		"",
		`${counted(rejected.size, "workflow")} did not load (/workflow check lists all problems):`,
		...lines,
		...more,
	];
}
