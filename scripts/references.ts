// What writes the generated sections of the documents: one function per name, which takes its facts from the code that acts on
// them. A section stands between `<!-- generated:NAME -->` and `<!-- /generated -->`; `npm run docs` fills it.

import { rehearseCommand } from "../packages/pi-chronicle/src/tools/rehearsal/command-line.ts";
import { usageText } from "../packages/pi-chronicle/src/ui/cli/command-line.ts";
import {
	noticeKindsTable,
	scenarioTables,
	sequenceTable,
	templateTables,
	workflowTables,
} from "./definition-reference.ts";
import { shippedSections, waysTable } from "./gallery.ts";
import { guardTables } from "./guard-reference.ts";
import { ledgerTables } from "./ledger-reference.ts";
import { playedTable } from "./played.ts";
import { workerSettingsTable } from "./settings-reference.ts";

/** Makes the Markdown of one section. */
export type Generator = () => string | Promise<string>;

/** All generated sections, by name. Each name must be used by a document. */
export const references: Readonly<Record<string, Generator>> = {
	"chronicle-template": () => templateTables().template.join("\n"),
	"chronicle-state": () => templateTables().state.join("\n"),
	"chronicle-children": () => templateTables().children.join("\n"),
	"chronicle-limits": () => templateTables().limits.join("\n"),
	"chronicle-cleanup": () => templateTables().cleanup.join("\n"),
	"chronicle-ledger": () => ledgerTables().ledger.join("\n"),
	"chronicle-move": () => ledgerTables().move.join("\n"),
	"chronicle-metrics": () => ledgerTables().metrics.join("\n"),
	"chronicle-snapshot": () => ledgerTables().snapshot.join("\n"),
	"chronicle-totals": () => ledgerTables().totals.join("\n"),
	"chronicle-events": () => ledgerTables().events.join("\n"),
	"guard-keys": () => guardTables().keys.join("\n"),
	"guard-effects": () => guardTables().effects.join("\n"),
	"notice-kinds": () => noticeKindsTable().join("\n"),
	"worker-settings": () => workerSettingsTable().join("\n"),
	"rehearse-usage": () => fenced("bash run", "pi-chronicle rehearse --help", "text output", usageText(rehearseCommand)),
	played: playedTable,
	scenario: () => scenarioTables().scenario.join("\n"),
	cue: () => scenarioTables().cue.join("\n"),
	"sequence-fields": () => sequenceTable().join("\n"),
	"workflow-fields": () => workflowTables().workflow.join("\n"),
	"phase-fields": () => workflowTables().phase.join("\n"),
	which: waysTable,
	...shippedSections(),
	"workflow-variables": () => workflowTables().variables.join("\n"),
};

/** A command that the document's test runs, and below it what it must print. */
function fenced(kind: string, command: string, outputKind: string, output: string): string {
	return [`\`\`\`${kind}`, command, "```", "", `\`\`\`${outputKind}`, output.trim(), "```"].join("\n");
}
