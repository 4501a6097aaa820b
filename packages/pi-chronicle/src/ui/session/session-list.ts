// The commands of `/chronicle`, as lists and completions show them. Does not load the commands' code.
import { type ListedCommand, listedCommands } from "../command-list.ts";
import type { ChronicleSession } from "./chronicle-session.ts";

const aboutView = "a run in a full-screen view: history, conversation, changes, findings, events";

/** In the order in which they are listed: those of the shell, and those that only a session has. */
const sessionList: readonly ListedCommand[] = [
	{ name: "start", about: "starts a template with a task, even if a command has its name" },
	...listedCommands.map(({ name, about }) => ({ name, about: name === "view" ? aboutView : about })),
	{ name: "use", about: "puts the result of a run into the conversation, so that the model can continue from it" },
	{ name: "check", about: "checks templates; pi-chronicle check in a shell checks the whole project" },
	{ name: "tool", about: "lets the model propose runs when you ask in a prompt: on or off" },
	{ name: "help", about: "shows which kind of work suits a task, and explains each command" },
];

/** All commands of a session, including those of other features. */
export function allListed({ more }: Pick<ChronicleSession, "more">): readonly ListedCommand[] {
	return [...sessionList, ...more.map(({ name, about }) => ({ name, about }))];
}
