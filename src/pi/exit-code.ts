// The package's exit codes, and the one way to set them in a pi without a screen. pi sets a code of its own, 1, where the model's last answer was an
// error; a command that knows better what became of its work has the last word.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { failStep, stepOf } from "./step.ts";

/**
 * The exit codes of this package, on the command line and in a pi without a screen. `usage`: nothing was started. `waits`: what was started has
 * not finished and waits for a user; `budget` and `intervention` say why a chronicle's run waits. `interrupted`: stopped from outside.
 */
export const exitCodes = {
	done: 0,
	failed: 1,
	usage: 2,
	waits: 3,
	budget: 4,
	intervention: 5,
	interrupted: 130,
} as const;

/**
 * Sets the exit code where nobody watches, unless pi ends in an error later. In a session with a screen nothing is set; in a step it is the
 * step that fails.
 */
export function failWith(ctx: Pick<ExtensionContext, "hasUI">, code: number): void {
	const step = stepOf(ctx);
	if (step !== undefined) failStep(ctx, step.warned ?? "The command was refused.", code);
	else if (!ctx.hasUI) process.exitCode = code;
}

export interface ExitCode {
	/** The code of what was last concluded: it stands, whatever pi says itself. `undefined`: pi's own. */
	set(code: number | undefined): void;
}

/** Opens an exit code that can be set and taken back. It outlives the session that sets it, which ends before its process does. */
export function openExitCode(): ExitCode {
	let wanted: number | undefined;
	const insist = () => {
		process.exitCode = wanted;
	};
	return {
		set(code) {
			if (process.exitCode === wanted) process.exitCode = code;
			process.off("exit", insist);
			wanted = code;
			if (code !== undefined) process.once("exit", insist);
		},
	};
}
