// The package's exit codes, and the only way to set them in a pi without a screen. pi sets its own code, 1, if the model's last answer was
// an error; a command that knows its outcome better overrides it.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { failStep, stepOf } from "../session/step.ts";

/**
 * The exit codes of this package, on the command line and in a pi without a screen. `usage`: nothing was started. `waits`: the started work
 * has not finished and waits for the user; `budget` and `intervention` say why a chronicle's run waits. `interrupted`: stopped from
 * outside.
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
 * Sets the exit code in a session without a screen; an error of pi overrides it later. Sets nothing in a session with a screen; in a step,
 * the step fails instead.
 */
export function failWith(ctx: Pick<ExtensionContext, "hasUI">, code: number): void {
	const step = stepOf(ctx);
	if (step !== undefined) failStep(ctx, step.warned ?? "The command was refused.", code);
	else if (!ctx.hasUI) process.exitCode = code;
}

export interface ExitCode {
	/** Sets the code of the last outcome; it overrides pi's own. `undefined`: pi's own code applies. */
	set(code: number | undefined): void;
}

/** Opens an exit code that can be set and withdrawn. It outlives the session that sets it, because a session ends before its process. */
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
