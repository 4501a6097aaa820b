// The commands of `/chronicle`, as lists and completions show them. Does not load the commands' code.
import { type ListedCommand, listedCommands } from "../command-list.ts";
import type { ChronicleSession } from "./chronicle-session.ts";

const sessionAbout: Readonly<Record<string, string>> = {
	start: "starts a template with a task, even if a command has its name",
	view: "a run in a full-screen view: history, conversation, changes, findings, events",
	use: "puts the result of a run into the conversation, so that the model can continue from it",
	check: "checks templates; pi-chronicle check in a shell checks the whole project",
	tool: "lets the model propose runs when you ask in a prompt: on or off",
	help: "shows which kind of work suits a task, and explains each command",
};

/** In the order in which they are listed. */
const names = [
	"start",
	"run",
	"list",
	"status",
	"show",
	"diff",
	"view",
	"report",
	"init",
	"remove",
	"prune",
	"repair",
	"use",
	"check",
	"tool",
	"help",
	"resume",
	"approve",
	"reject",
	"answer",
	"tell",
	"pause",
	"drop",
	"abort",
	"release",
	"reopen",
	"rewind",
];

const sessionList: readonly ListedCommand[] = names.map((name) => ({
	name,
	about: sessionAbout[name] ?? listedCommands.find((listed) => listed.name === name)?.about ?? "",
}));

/** All commands of a session, including those of other features. */
export function allListed({ more }: Pick<ChronicleSession, "more">): readonly ListedCommand[] {
	return [...sessionList, ...more.map(({ name, about }) => ({ name, about }))];
}
