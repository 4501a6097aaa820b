// `view --follow`: the pages of the run view in the terminal of the command line, drawn with pi's terminal library.

import { join } from "node:path";
import { jsonObject } from "../../disk/index.ts";
import type { Project } from "../../local/index.ts";
import { supplyPiPackages } from "../../pi/index.ts";
import type { CommandResponse, Complaint } from "../commands/index.ts";

/** Shows the run that `view` has found until the user closes it; `undefined` once it is closed. */
export async function followView(
	project: Project,
	response: CommandResponse,
	signal: AbortSignal,
): Promise<Complaint | undefined> {
	const view = response.kind === "done" ? response.view : undefined;
	if (view?.kind !== "run")
		return response.kind === "refused"
			? response
			: {
					code: "usage",
					message: "This ledger was written by another program, which alone can continue it: nothing to follow.",
				};
	if (!process.stdin.isTTY || !process.stdout.isTTY || process.env.TERM === "dumb")
		return {
			code: "no-terminal",
			message: "--follow needs a terminal.",
			remedy: "Leave it out to print the same once, or add --json for programs.",
		};
	if (!supplyPiPackages(project.place.pi))
		return {
			code: "pi-not-found",
			message: "--follow draws with pi's packages, and there are none: pi was not found, or it is a single binary.",
			remedy: "Install pi as a package, name it with --pi, or leave --follow out.",
		};
	const { followInTerminal, runSource } = await import("../screen/index.ts");
	await followInTerminal(runSource(project, view.read, undefined), {
		keys: ownKeys(project.place.agentFolder),
		signal,
	});
	return undefined;
}

/** The user's key bindings in pi; omits unreadable ones. */
function ownKeys(agentFolder: string): Record<string, string | string[]> {
	// A file that pi could not read either has none.
	const read = jsonObject(join(agentFolder, "keybindings.json")) ?? {};
	const isKey = (value: unknown) => typeof value === "string";
	const isBound = (entry: [string, unknown]): entry is [string, string | string[]] =>
		isKey(entry[1]) || (Array.isArray(entry[1]) && entry[1].every(isKey));
	return Object.fromEntries(Object.entries(read).filter(isBound));
}
