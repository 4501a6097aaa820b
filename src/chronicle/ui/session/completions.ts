// Completions after `/chronicle ` in pi's editor.
import type { AutocompleteItem } from "@earendil-works/pi-tui";
import { engineSetting } from "../../engine/index.ts";
import { completeLine } from "../commands/index.ts";
import type { ChronicleSession } from "./chronicle-session.ts";
import { allListed, findCommand } from "./session-commands.ts";
import { lookAt, type Whereabouts } from "./session-project.ts";

const takesTemplate = new Set(["start", "show", "check"]);

/** Completions for the line up to the cursor; `null` if nothing matches, or the last word is complete. */
export async function completeChronicle(
	session: ChronicleSession,
	prefix: string,
	where: Whereabouts,
): Promise<AutocompleteItem[] | null> {
	const [, name = ""] = /^\s*(\S+)\s/.exec(prefix) ?? [];
	const command = await findCommand(session, name === "start" ? "run" : name);
	const local = lookAt(where);
	// Nothing is connected to for a completion.
	const project = engineSetting({}, local.place) ? (session.engines.last ?? local) : local;
	return completeLine(project, prefix, {
		listed: allListed(session),
		commands: command ? [command] : [],
		takesTemplate,
		startsByName: true,
		supervised: [...session.supervised.keys()],
	});
}
