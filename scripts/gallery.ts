// Sections about the definitions that ship: the diagram of each, and a table of its parts with who does them, their tools and their limits.
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readTemplates } from "../packages/pi-chronicle/src/local/project/template-catalogue.ts";
import { templateFolders } from "../packages/pi-chronicle/src/local/project/template-files.ts";
import { shippedNames } from "../packages/pi-chronicle/src/tools/shipped/index.ts";
import { templateDiagram, ways } from "../packages/pi-chronicle/src/ui/phrases/index.ts";
import {
	loadCatalogue,
	workflowDiagram,
	workflowRoots,
} from "../packages/pi-chronicle/src/workflow/definitions/index.ts";

/** Nothing of it exists, so only what ships is found. */
const nowhere = join(tmpdir(), "no-such-folder-of-pi-chronicle");
const minute = 60_000;

/** A generator for each shipped definition, by `shipped-<name>`. */
export function shippedSections(): Record<string, () => string> {
	return Object.fromEntries(shippedNames().map((name) => [`shipped-${name}`, () => sectionOf(name)]));
}

/** The ways to work, as a table. */
export function waysTable(): string {
	const rows = ways.map(({ name, suits, costs }) => `| ${name} | ${suits} | ${costs} |`);
	return ["| use | for | cost |", "|---|---|---|", ...rows].join("\n");
}

function sectionOf(name: string): string {
	const { templates } = readTemplates(templateFolders({ cwd: nowhere, agentFolder: nowhere, trusted: true }));
	const template = templates.get(name)?.read?.template;
	const [diagram, table] = template
		? [templateDiagram(template), templateTable(template)]
		: [workflowDiagram(workflows(), name), workflowTable(name)];
	return ["```mermaid", ...diagram, "```", "", ...table].join("\n");
}

type Template = Parameters<typeof templateDiagram>[0];

function templateTable({ states, limits }: Template): string[] {
	const rows = [...states.values()].flatMap(({ name, persona, tools, approval, limits: own, children }) => {
		if (!persona && !children) return [];
		const branches = children?.branches.map((branch) => branch.name).join(", ");
		const may = tools?.join(", ") ?? (children ? "read, grep, find, ls" : "read, bash, edit, write, grep, find, ls");
		const cost = own.costUsd === undefined ? "—" : `$${own.costUsd}`;
		return [`| ${name} | ${persona?.name ?? branches ?? ""} | ${may} | ${cost} | ${approval.exit ? "yes" : "—"} |`];
	});
	return [
		`A run costs at most $${limits.costUsd} and ${(limits.activeMs ?? 0) / minute} minutes of work; then it waits for you.`,
		"",
		"| state | agent | tools | at most | asks you at its end |",
		"|---|---|---|---|---|",
		...rows,
	];
}

function workflows() {
	return loadCatalogue(workflowRoots({ cwd: nowhere, agentDir: nowhere, trusted: true }));
}

const limitWords = {
	free: "—",
	capabilities: "may only read",
	blacklist: "may not change files",
	whitelist: "some tools",
} as const;

function workflowTable(name: string): string[] {
	const found = workflows().definitions.get(name);
	const rows = (found?.entries ?? []).flatMap((entry) =>
		entry.kind === "phase"
			? [
					`| ${entry.emoji} ${entry.name} | ${limitWords[entry.tools.kind]} | ${entry.advance === "person" ? "you" : "the agent"} |`,
				]
			: [],
	);
	return [
		`One visit of a phase has at most ${found?.limits?.requests} requests and ${found?.limits?.calls} calls; then the workflow pauses.`,
		"",
		"| phase | limit | ended by |",
		"|---|---|---|",
		...rows,
	];
}
