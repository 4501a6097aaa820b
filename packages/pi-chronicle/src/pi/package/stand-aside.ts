// Disables this package in a session and says why: pi is too old, or another copy serves. It uses only APIs that every version of pi has.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { tooOldText } from "../rpc/supported-pi.ts";
import { packageRoot, packageVersion } from "./own-package.ts";

/** The package's commands. If nothing serves them, each one reports the reason; otherwise pi would send its text to the model. */
export const commandNames = [
	"workflow",
	"cancel-workflow",
	"chronicle",
	"sequence",
	"rehearse",
	"plan",
	"guard",
	"readonly",
	"notebook",
	"handoff",
	"spawn",
] as const;

/** Lets a pi that is too old start without this package's features. `version` is pi's. */
export function standAsideForOldPi(pi: ExtensionAPI, version: string): void {
	const reason = `${tooOldText(version, packageVersion())} Until then, none of its features work, including the rules of the guard.`;
	pi.on("session_start", (_event, ctx) => tellUser(ctx, reason));
	for (const name of commandNames) {
		pi.registerCommand(name, {
			description: "pi-chronicle: pi is too old",
			handler: async (_args, ctx) => {
				// Without a screen, the reason was printed when the session started.
				if (ctx.hasUI) tellUser(ctx, reason);
				else process.exitCode = 2;
			},
		});
	}
}

/** Leaves the session to the copy in the folder `other`. */
export function standAsideForCopy(pi: ExtensionAPI, other: string): void {
	const own = packageRoot();
	const copies = `${other} (${packageVersion(other)}) is used, ${own} (${packageVersion()}) is not`;
	pi.on("session_start", (_event, ctx) =>
		tellUser(ctx, `pi-chronicle is installed twice: ${copies}. Remove one of them: pi list, pi remove.`),
	);
}

function tellUser(ctx: { hasUI: boolean; ui: { notify(text: string, tone: "warning"): void } }, text: string): void {
	if (ctx.hasUI) ctx.ui.notify(text, "warning");
	else process.stderr.write(`${text}\n`);
}
