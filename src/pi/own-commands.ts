// This package's commands where another package has some of the same names: pi then renames all of them (`/workflow:1`, `/workflow:2`), and
// what is typed without a number is no command any more. O1 such a text never reaches the model; O2 it is said once a session which is ours.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { exitCodes, failWith } from "./exit-code.ts";
import { isOwnFile } from "./own-package.ts";
import { say } from "./say.ts";

/** Says which of the renamed commands are this package's, and catches them where they are typed bare. */
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

/** Our commands that pi calls otherwise than they are registered, by the registered name. */
function renamedCommands(pi: ExtensionAPI): ReadonlyMap<string, string> {
	return new Map(
		pi.getCommands().flatMap(({ name, source, sourceInfo }) => {
			const base = /^(.+):\d+$/.exec(name)?.[1];
			if (base === undefined || source !== "extension" || !isOwnFile(sourceInfo.path)) return [];
			return [[base, name] as const];
		}),
	);
}
