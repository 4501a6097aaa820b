// Recognizes the format of a file, and converts it.

import { basename, extname } from "node:path";
import {
	type Diagnostic,
	type ForeignFormat,
	foreignFormat,
	foreignMarkdown,
	parseFrontMatter,
	parseJson,
	parseYaml,
	readSource,
	type Source,
} from "../definition/index.ts";
import { readRules } from "../safety/index.ts";
import { readSnapshot, snapshotType } from "../sequence/index.ts";
import { importChains } from "./agent-chains.ts";
import { importAgent } from "./agents.ts";
import { type ImportDraft, ImportRefusal, importNote } from "./draft.ts";
import { isRecord, type Plain, plainList, plainValue } from "./foreign-fields.ts";
import type { ForeignFileInput } from "./foreign-file.ts";
import { copyRules, copyTeams, copyTemplate, copyWorkflow, templateOfRun, workflowsAbove } from "./native.ts";
import { importPermissions } from "./permissions.ts";
import { importCommandText, importSkillText, importSteps, phasesOf } from "./phases-of-text.ts";
import { importPiAgents } from "./pi-agents.ts";
import { type ImportSources, stemOf } from "./sources.ts";
import { importSpecKit } from "./spec-kit.ts";
import { importStepMachine } from "./step-machine.ts";
import { importTaskflow } from "./taskflow.ts";
import type { ImportTarget } from "./worker-fields.ts";

export type Recognition =
	/** `order`: agents are converted before the definitions that may name them. */
	| { readonly kind: "made"; readonly order: "agent" | "other"; make(target: ImportTarget): readonly ImportDraft[] }
	/** Another tool's file without a counterpart here. */
	| { readonly kind: "without counterpart"; readonly format: string }
	| { readonly kind: "broken"; readonly problem: Diagnostic }
	| { readonly kind: "unknown" };

type Importer = (input: ForeignFileInput) => readonly ImportDraft[];

const importers: Readonly<Record<string, Importer>> = {
	"agent-chain": importChains,
	"spec-kit": importSpecKit,
	"pi-agents": importPiAgents,
	"pi-workflows": importStepMachine,
	taskflow: importTaskflow,
	"claude-settings": importPermissions,
	permissions: importPermissions,
	command: importCommandText,
	skill: importSkillText,
};

const largestSession = 64_000_000;

/** Recognizes a file. Throws an `ImportRefusal` if it cannot be converted. */
export function recognise(file: string, sources: ImportSources): Recognition {
	const ending = extname(file).toLowerCase();
	const read = readSource(file, ending === ".jsonl" ? { maxBytes: largestSession } : {});
	if (read.kind === "absent") return { kind: "unknown" };
	if (read.kind === "problem") return { kind: "broken", problem: read.diagnostic };
	if (ending === ".jsonl") return recogniseSession(read.source);
	return ending === ".md" ? recogniseMarkdown(read.source, sources) : recogniseData(read.source, ending, sources);
}

function made(make: (target: ImportTarget) => readonly ImportDraft[], order: "agent" | "other" = "other"): Recognition {
	return { kind: "made", order, make };
}

function recogniseSession(source: Source): Recognition {
	const steps = recordedSteps(source.text);
	if (!steps) return { kind: "unknown" };
	const input = {
		file: source.file,
		format: "a session with a recorded sequence",
		stem: stemOf(source.file),
		notes: [],
	};
	return made(() => [importSteps(steps, { ...input, title: "Recorded sequence" })]);
}

function recogniseData(source: Source, ending: string, sources: ImportSources): Recognition {
	const { file } = source;
	const { root, diagnostics } = ending.startsWith(".json") ? parseJson(source) : parseYaml(source);
	const [problem] = diagnostics.filter(({ severity }) => severity === "error");
	if (problem) return { kind: "broken", problem };
	if (root?.kind !== "map") return { kind: "unknown" };
	const steps = [...(root.entries.get("steps")?.value.kind === "list" ? ["steps"] : [])];
	const isSequence =
		steps.length > 0 &&
		plainList((plainValue(root) as { steps?: Plain }).steps).every((step) => typeof step === "string");
	if (isSequence) return made(() => importSequence(source, plainValue(root)));
	const format = foreignFormat(root);
	if (format) return byFormat(format, source, () => plainValue(root), "");
	const definition = root.entries.get("workflowDef")?.value;
	if (definition?.kind === "map" && definition.entries.has("states"))
		return made((target) => [templateOfRun(source, plainValue(root), target)]);
	if (root.entries.has("states")) return made((target) => [copyTemplate(source, plainValue(root), target)]);
	if (basename(file) === "workflow.yaml" && root.entries.has("phases"))
		return made(() => [copyWorkflow(file, workflowsAbove(file, sources.folder))]);
	if (/^teams\.ya?ml$/i.test(basename(file))) return made(() => [copyTeams(source)]);
	const rules = readRules([{ file, tier: "project", base: sources.folder }], process.platform);
	const [{ dialect, count } = { dialect: "unknown", count: 0 }] = rules.files;
	return dialect !== "unknown" && count > 0 ? made(() => [copyRules(source)]) : { kind: "unknown" };
}

function importSequence({ file }: Source, plain: Plain): readonly ImportDraft[] {
	if (!isRecord(plain)) throw new ImportRefusal("The sequence is not an object.");
	const { steps, description, ...rest } = plain;
	const notes = Object.entries(rest).map(([key, value]) => importNote("", `\`${key}\` ${JSON.stringify(value)}`));
	const title = typeof description === "string" ? description : stemOf(file);
	const input = { file, format: "a saved sequence", stem: stemOf(file), title, notes };
	return [importSteps(plainList(steps).map(String), input)];
}

function byFormat(format: ForeignFormat, { file }: Source, fields: () => Plain, body: string): Recognition {
	const importer = importers[format.id];
	if (!importer) return { kind: "without counterpart", format: format.name };
	return made((target) => {
		const plain = fields();
		if (!isRecord(plain)) throw new ImportRefusal("The file is not an object.");
		return importer({ file, format: format.name, stem: stemOf(file), fields: plain, body, target });
	});
}

const isCommandPath = /[\\/](?:commands|prompts)[\\/]/;

function recogniseMarkdown(source: Source, sources: ImportSources): Recognition {
	const { file, text } = source;
	const { fields, body, diagnostics } = parseFrontMatter(source, "optional");
	const [problem] = diagnostics.filter(({ severity }) => severity === "error");
	if (problem) return { kind: "broken", problem };
	const plain = (): Plain => (fields ? plainValue(fields) : {});
	const format = basename(file).toLowerCase() === "skill.md" ? skill : foreignMarkdown(fields, body);
	// Only skills that describe steps are converted; pi reads the others unchanged.
	if (format?.id === "skill" && sources.kind === "folder" && phasesOf(body, "").length < 2)
		return { kind: "without counterpart", format: "a skill without steps" };
	if (format) return byFormat(format, source, plain, body);
	if (isCommandPath.test(file)) return byFormat(command, source, plain, body);
	if (fields && ["id", "name", "emoji"].every((key) => fields.entries.has(key))) return phaseAlone(sources);
	if (fields?.entries.has("name") !== true || fields.entries.has("emoji")) return { kind: "unknown" };
	const input = { file, format: "an agent file", stem: stemOf(file), body, text };
	return made((target) => importAgent({ ...input, fields: recordOf(plain()), target }), "agent");
}

/** A phase is imported with a workflow that lists it. */
function phaseAlone({ kind }: ImportSources): Recognition {
	if (kind === "folder") return { kind: "without counterpart", format: "a phase that none of these workflows lists" };
	throw new ImportRefusal(
		"This is one phase of a workflow. Name the `workflow.yaml` that lists it, or the folder that has both.",
	);
}

function recordOf(plain: Plain) {
	return isRecord(plain) ? plain : {};
}

const skill: ForeignFormat = { id: "skill", name: "a skill", remedy: "" };
const command: ForeignFormat = { id: "command", name: "a Claude Code command, or a prompt template", remedy: "" };

/** The steps as typed; `undefined` if the session has no recording. */
function recordedSteps(session: string): readonly string[] | undefined {
	for (const line of session.split("\n").toReversed()) {
		if (!line.includes(snapshotType)) continue;
		try {
			const entry = JSON.parse(line) as { type?: unknown; customType?: unknown; data?: unknown };
			const found = entry.customType === snapshotType ? readSnapshot(entry.data) : undefined;
			if (found) return found.steps;
		} catch {
			// A torn line: an earlier recording counts.
		}
	}
	return undefined;
}
