// The items of a completion that depend on the runs of the session's project.
import { engineSetting } from "../../local/index.ts";
import { type LineItem, runItems, type splitLine } from "../commands/index.ts";
import type { ChronicleSession } from "./chronicle-session.ts";
import { findCommand } from "./session-commands.ts";
import { lookAt, type Whereabouts } from "./session-project.ts";

/** The items for the last word of a line whose first word is a command. Nothing is connected to. */
export async function readRunItems(
	session: ChronicleSession,
	split: ReturnType<typeof splitLine>,
	where: Whereabouts,
): Promise<readonly LineItem[]> {
	const [name = ""] = split.words;
	const command = await findCommand(session, name === "start" ? "run" : name);
	const local = lookAt(where);
	const project = engineSetting({}, local.place) ? (session.engines.last ?? local) : local;
	return runItems(project, split, { commands: command ? [command] : [], supervised: [...session.supervised.keys()] });
}
