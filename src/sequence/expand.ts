// Reads a template or a skill from disk and expands it as pi does when it is typed, but from the file as it is now: pi's own text is
// the one it read at load.
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { stripFrontmatter } from "@earendil-works/pi-coding-agent";
import { splitArguments, substituteArguments } from "./arguments.ts";
import type { ResolvedStep } from "./step.ts";

export type FileStep = Extract<ResolvedStep, { kind: "template" | "skill" }>;

/**
 * Text that the model gets for a template or skill step, whose arguments have been filled in.
 * @throws what reading the file throws: the caller ends the run with it.
 */
export function expandFileStep(step: FileStep): string {
	const { args } = step;
	const body = stripFrontmatter(readFileSync(step.sourcePath, "utf8"));
	if (step.kind === "template") return substituteArguments(body, splitArguments(args));
	// The block that pi writes for `/skill:name` and its screen recognises (pi documentation, "skills").
	const block = `<skill name="${step.name}" location="${step.sourcePath}">\nReferences are relative to ${dirname(step.sourcePath)}.\n\n${body.trim()}\n</skill>`;
	return args.trim() === "" ? block : `${block}\n\n${args.trim()}`;
}
