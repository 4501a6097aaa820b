// The only resolver: turns text into a typed step, or returns the reason why it is not one. Recording and running both use it, so accepted
// text runs unchanged. Pure: the list of commands is an argument.
import { hasPlaceholder, substituteArguments, substituteWords } from "./arguments.ts";
import { checkOwnCommand, firstLine, refuseStep } from "./refusal.ts";
import type { KnownCommand, OwnCommand, ResolvedStep, StepRefusal } from "./step.ts";

const ownCommands: readonly string[] = [
	"readonly",
	"handoff",
	"notebook",
	"workflow",
	"chronicle",
] satisfies OwnCommand[];

/**
 * Commands that pi itself handles in its editor, including hidden ones; no public API lists them (pi 1.6.0). They take precedence over a
 * template of the same name.
 */
const builtIns = new Set(
	(
		"settings model thinking scoped-models tree fork clone export import share bug copy name session changelog hotkeys trust login " +
		"logout resume reload quit debug arminsayshi dementedelves mcp llama"
	).split(" "),
);

/** Resolves one step. `raw` is kept as typed; classification uses the trimmed text. */
export function resolveStep(raw: string, commands: readonly KnownCommand[]): ResolvedStep | StepRefusal {
	const text = raw.trim();
	const refuse = (reason: string): StepRefusal => ({ kind: "refused", raw, reason });
	if (text === "") return refuse("The step is empty.");
	if (text.startsWith("!")) {
		return refuse(
			`Unsupported step: ${firstLine(text)} is a shell line.\nA sequence contains prompts and commands; ask for the shell command in a prompt instead.`,
		);
	}
	if (!text.startsWith("/")) return { kind: "prompt", raw, text };

	const [, name = "", args = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
	if (name === "" || name === "skill:") {
		return refuse(
			`Unsupported step: ${firstLine(text)} does not name a command.\nPut a word before the slash to send it as text.`,
		);
	}
	if (name === "new") {
		return refuse("Unsupported step: /new is not needed.\nEvery iteration after the first starts in a new session.");
	}
	if (name === "compact") return { kind: "compact", raw, instructions: args === "" ? undefined : args };
	if (builtIns.has(name)) {
		return refuse(`Unsupported step: /${name} is an interactive command of pi.\nA sequence cannot answer its dialogs.`);
	}

	// A recording may contain `/handoff` although pi has renamed it since, because another package has a command of that name.
	const command =
		commands.find((known) => known.name === name) ??
		commands.find((known) => known.own && ownCommands.includes(name) && known.name.replace(/:\d+$/, "") === name);
	if (command === undefined) return refuse(unknownCommand(name, text));
	switch (command.source) {
		case "extension":
			return resolveExtensionCommand(raw, command, name, args);
		case "prompt":
			return { kind: "template", raw, name, args, sourcePath: command.path };
		case "skill":
			return { kind: "skill", raw, name: name.replace(/^skill:/, ""), args, sourcePath: command.path };
	}
}

function resolveExtensionCommand(
	raw: string,
	command: KnownCommand,
	name: string,
	args: string,
): ResolvedStep | StepRefusal {
	const refuse = (reason: string): StepRefusal => ({ kind: "refused", raw, reason });
	// pi renames commands that two extensions register: `readonly:1`, `readonly:2`.
	const base = name.replace(/:\d+$/, "");
	if (!command.own) {
		return refuse(
			`Unsupported step: /${name} is an external extension command.\npi-chronicle cannot execute third-party extension command handlers.`,
		);
	}
	if (!ownCommands.includes(base)) {
		return refuse(
			`Unsupported step: /${name} cannot be a step.\nOf this package's commands, a sequence may use /readonly, /handoff, /notebook, /workflow and /chronicle.`,
		);
	}
	const step = { kind: "command", raw, name: base as OwnCommand, args } as const;
	// A placeholder's value is known only when a run starts.
	return hasPlaceholder(args) ? step : checkOwnCommand(step);
}

function unknownCommand(name: string, text: string): string {
	if (name.startsWith("skill:")) return `Unsupported step: there is no skill named ${name.slice("skill:".length)}.`;
	const rewrite = name.includes("/")
		? " If it is a path, put a word before it."
		: " Put a word before the slash to send it as text.";
	return `Unsupported step: ${firstLine(text)} is an unknown command.\nCheck the spelling with /.${rewrite}`;
}

/** Resolves every step and fills in the run's arguments. If any text is not a step, returns all refusals in order. */
export function resolveSteps(
	steps: readonly string[],
	commands: readonly KnownCommand[],
	args: readonly string[] = [],
):
	| { kind: "resolved"; steps: readonly ResolvedStep[] }
	| { kind: "refused"; refusals: readonly (StepRefusal & { index: number })[] } {
	const resolved = steps.map((raw) => {
		const step = resolveStep(raw, commands);
		return step.kind === "refused" ? step : fillStep(step, args);
	});
	const refusals = resolved.flatMap((step, index) => (step.kind === "refused" ? [{ ...step, index }] : []));
	if (refusals.length > 0) return { kind: "refused", refusals };
	return { kind: "resolved", steps: resolved.filter((step) => step.kind !== "refused") };
}

/**
 * Fills one step. A placeholder without an argument becomes empty, and none is left in the text. A prompt that becomes empty, or starts
 * like a command or a shell line, is refused, because it would not be the recorded text.
 */
function fillStep(step: ResolvedStep, args: readonly string[]): ResolvedStep | StepRefusal {
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
