// `view --follow`: the pages of the run view in the terminal of the command line, drawn with pi's terminal library.
import { readFileSync } from "node:fs";
import { join } from "node:path";
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
	let read: unknown;
	try {
		read = JSON.parse(readFileSync(join(agentFolder, "keybindings.json"), "utf8"));
	} catch {
		// The file does not exist, or pi could not read it either.
		return {};
	}
	if (typeof read !== "object" || read === null) return {};
	const isKey = (value: unknown) => typeof value === "string";
	return Object.fromEntries(
		Object.entries(read).filter(([, value]) => isKey(value) || (Array.isArray(value) && value.every(isKey))),
	);
}
