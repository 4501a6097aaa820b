// Reads the templates and skills of one run before its first step, and expands them as pi does when they are typed. It uses the current
// files, because pi's own text dates from its start. After that, the run needs no files.
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { type ExtensionContext, stripFrontmatter } from "@earendil-works/pi-coding-agent";
import { errorMessage } from "@pi-chronicle/core/definition";
import { splitArguments, substituteArguments } from "./arguments.ts";
import { firstLine, refuseStep } from "./refusal.ts";
import type { StepCommands } from "./session.ts";
import type { DirectStep, FileStep, ResolvedStep, StepRefusal } from "./step.ts";

/** A step that needs only the session. */
export type ReadyStep =
	| DirectStep
	| {
			readonly kind: "expanded";
			readonly raw: string;
			/** The text that the model gets. */
			readonly text: string;
			/** Applies the request in the file's front matter. */
			readonly followFrontMatter: (ctx: ExtensionContext) => Promise<void>;
	  };

/** Reads every file that the steps name. Files that cannot be read or expand to nothing are refused together, with their positions. */
export async function readySteps(
	steps: readonly ResolvedStep[],
	{ readFrontMatter }: Pick<StepCommands, "readFrontMatter">,
): Promise<
	| { kind: "ready"; steps: readonly ReadyStep[] }
	| { kind: "refused"; refusals: readonly (StepRefusal & { index: number })[] }
> {
	const read = await Promise.all(
		steps.map(async (step): Promise<ReadyStep | StepRefusal> => {
			if (!isFileStep(step)) return step;
			const text = expandRead(step);
			if (typeof text !== "string") return text;
			return { kind: "expanded", raw: step.raw, text, followFrontMatter: await readFrontMatter(step.sourcePath) };
		}),
	);
	const refusals = read.flatMap((step, index) => (step.kind === "refused" ? [{ ...step, index }] : []));
	if (refusals.length > 0) return { kind: "refused", refusals };
	return { kind: "ready", steps: read.filter((step) => step.kind !== "refused") };
}

function isFileStep(step: ResolvedStep): step is FileStep {
	return step.kind === "template" || step.kind === "skill";
}

function expandRead(step: FileStep): string | StepRefusal {
	let text: string;
	try {
		text = expandFileStep(step, readFileSync(step.sourcePath, "utf8"));
	} catch (error) {
		const reason = errorMessage(error);
		return refuseStep(step.raw, "cannot be read.", firstLine(reason));
	}
	if (text !== "") return text;
	return refuseStep(step.raw, "expands to nothing.", `With these arguments, ${step.sourcePath} produces no text.`);
}

/** The text that the model gets for a template or skill step whose arguments are filled in; empty if there is none. */
function expandFileStep(step: FileStep, file: string): string {
	const { args, words } = step;
	const body = stripFrontmatter(file);
	if (step.kind === "template") return blankless(substituteArguments(body, words ?? splitArguments(args)));
	if (body.trim() === "") return "";
	// The block that pi writes for `/skill:name` and that its screen recognizes (pi documentation, "skills").
	const block = `<skill name="${step.name}" location="${step.sourcePath}">\nReferences are relative to ${dirname(step.sourcePath)}.\n\n${body.trim()}\n</skill>`;
	return args.trim() === "" ? block : `${block}\n\n${args.trim()}`;
}

function blankless(text: string): string {
	return text.trim() === "" ? "" : text;
}
