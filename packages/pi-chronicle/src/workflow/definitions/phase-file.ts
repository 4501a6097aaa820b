// Reads one phase file: front matter with the fields of `phaseFields`, and the instructions as the body.
import {
	type Diagnostic,
	openReport,
	openSource,
	parseFrontMatter,
	quoted,
	type ReadContext,
	readObject,
	readSource,
	type Source,
} from "@pi-chronicle/core/definition";
import type { Mention, Phase } from "./definition.ts";
import { builtInTools, phaseFields, unknownPhaseKeys } from "./fields.ts";
import { checkVariables } from "./variables.ts";

interface PhaseRead {
	/** `undefined` if an error prevents the phase from loading. */
	readonly phase: Phase | undefined;
	readonly mentions: readonly Mention[];
	readonly diagnostics: readonly Diagnostic[];
}

type PhaseFileRead =
	| { readonly kind: "read"; readonly read: PhaseRead }
	| { readonly kind: "absent" }
	| { readonly kind: "problem"; readonly diagnostic: Diagnostic };

/** Reads the phase file `file`. `real` is its checked real path, which must not be a link. */
export type PhaseReader = (file: string, real: string) => PhaseFileRead;

/** Opens a reader for one catalogue load. A phase file that several workflows share is read, and its problems reported, once. */
export function openPhaseReader(): PhaseReader {
	const known = new Map<string, PhaseFileRead>();
	const readNow = (file: string, real: string): PhaseFileRead => {
		const found = readSource(real, { links: "refuse" });
		if (found.kind === "absent") return found;
		if (found.kind === "problem") return { ...found, diagnostic: { ...found.diagnostic, file } };
		return { kind: "read", read: readPhase(openSource(file, found.source.text)) };
	};
	return (file, real) => {
		const read = known.get(file) ?? readNow(file, real);
		known.set(file, read);
		return read;
	};
}

/** Reads a phase from the text of its file. */
function readPhase(source: Source): PhaseRead {
	const report = openReport();
	const reading: ReadContext = { source, report, path: "" };
	const { fields, body, bodyStart, diagnostics } = parseFrontMatter(source);
	report.add(diagnostics);
	if (!fields) return { phase: undefined, mentions: [], diagnostics: report.diagnostics };

	const read = readObject(fields, phaseFields, reading, unknownPhaseKeys);
	if (body === "")
		report.error(source.place(source.text.length), {
			code: "no-instructions",
			message: "The phase has no instructions: the text below the front matter is empty.",
			remedy: "Write the agent's instructions below the second `---`.",
		});
	checkVariables(body, bodyStart, "prose", source, report);
	const { id = "", tools: written } = read.kind === "read" ? read.values : read.partial;
	const mentions = (written?.names ?? []).map((word): Mention => {
		const place = source.place(word.start);
		const lower = word.text.toLowerCase();
		if (lower !== word.text && builtInTools.has(lower))
			report.warn(place, {
				code: "tool-case",
				message: `Tool names are case-sensitive, and no tool is called ${quoted(word.text)}.`,
				remedy: `Write \`${lower}\`.`,
			});
		return { of: "tool", name: word.text, phaseId: id, place };
	});
	const model = fields.entries.get("model")?.value;
	if (model?.kind === "scalar")
		mentions.push({ of: "model", name: model.written, phaseId: id, place: source.place(model.start) });
	if (read.kind === "failed" || report.failed) return { phase: undefined, mentions, diagnostics: report.diagnostics };

	const {
		name,
		emoji,
		tools,
		availableProfiles,
		autoContinue,
		advance,
		gate,
		limits,
		polling,
		model: named,
		context,
	} = read.values;
	const phase: Phase = {
		kind: "phase",
		id,
		name,
		emoji,
		instructions: body,
		tools: tools.limits,
		profiles: availableProfiles,
		autoContinue,
		advance,
		...(gate ? { gate: Object.freeze(gate) } : {}),
		limits,
		polling,
		model: named,
		...(context === "fresh" ? { context } : {}),
		file: source.file,
	};
	freeze(phase);
	return { phase, mentions, diagnostics: report.diagnostics };
}

function freeze(phase: Phase): void {
	const { tools } = phase;
	if (tools.kind === "capabilities") Object.freeze(tools.may);
	else if (tools.kind !== "free") Object.freeze(tools.names);
	Object.freeze(tools);
	Object.freeze(phase.profiles);
	Object.freeze(phase);
}
