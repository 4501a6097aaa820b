// Substitutes a run's arguments in its steps before the first step runs, so that a bad combination is refused before anything happens.
// Pure.
import { substituteArguments, substituteWords } from "./arguments.ts";
import { checkOwnCommand, refuseStep } from "./refusal.ts";
import type { ResolvedStep, StepRefusal } from "./step.ts";

/**
 * Fills one step. A placeholder without an argument becomes empty, and none is left in the text. A prompt that becomes empty, or starts
 * like a command or a shell line, is refused, because it would not be the recorded text.
 */
export function fillStep(step: ResolvedStep, args: readonly string[]): ResolvedStep | StepRefusal {
	const filled = (text: string) => substituteArguments(text, args);
	switch (step.kind) {
		case "prompt": {
			const text = filled(step.text).trim();
			if (text === "") return refuseStep(step.raw, "is empty with these arguments.", "A prompt needs some text.");
			if (text.startsWith("/") || text.startsWith("!")) {
				const remedy = "Put a word before the placeholder to send it as text.";
				return refuseStep(step.raw, `would start with "${text.charAt(0)}" with these arguments.`, remedy);
			}
			return { ...step, text };
		}
		case "command":
			return checkOwnCommand({ ...step, args: filled(step.args).trim() });
		case "template":
			return { ...step, args: filled(step.args), words: substituteWords(step.args, args) };
		case "skill":
			return { ...step, args: filled(step.args) };
		case "compact":
			return { ...step, instructions: filled(step.instructions ?? "").trim() || undefined };
	}
}
