// Handles name conflicts between this package's commands and another package's. pi then renames all of them (`/workflow:1`, `/workflow:2`),
// so the name without a number is no longer a command.
// O1 such a text never reaches the model; O2 the user is notified once per session which commands belong to this package.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { exitCodes, failWith } from "./exit-code.ts";
import { isOwnFile } from "./own-package.ts";
import { say } from "./say.ts";

/** Reports this package's renamed commands, and catches their bare names when typed. */
export function catchBareCommands(pi: ExtensionAPI): void {
	pi.on("session_start", (_event, ctx) => {
		const renamed = renamedCommands(pi);
		if (renamed.size === 0 || !ctx.hasUI) return;
		const list = [...renamed.values()].map((name) => `/${name}`).join(", ");
		say(ctx, `Another package has commands of the same names. Ours: ${list}.`, "warning");
	});
	pi.on("input", (event, ctx) => {
		const [, typed = ""] = /^\s*\/([^\s:]+)(?=\s|$)/.exec(event.text) ?? [];
		if (typed === "" || event.source === "extension") return undefined;
		const ours = renamedCommands(pi).get(typed);
		if (ours === undefined || pi.getCommands().some(({ name }) => name === typed)) return undefined;
		say(
			ctx,
			`/${typed} is the name of commands of several packages, so pi has renamed them. Ours is /${ours}. Nothing was sent.`,
			"warning",
		);
		failWith(ctx, exitCodes.usage);
		return { action: "handled" as const };
	});
}

/** This package's commands that pi has renamed, by registered name. */
function renamedCommands(pi: ExtensionAPI): ReadonlyMap<string, string> {
	return new Map(
		pi.getCommands().flatMap(({ name, source, sourceInfo }) => {
			const base = /^(.+):\d+$/.exec(name)?.[1];
			if (base === undefined || source !== "extension" || !isOwnFile(sourceInfo.path)) return [];
			return [[base, name] as const];
		}),
	);
}
