// A pi session as the host of a command: questions on its screen, runs supervised in the background.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { printable, say } from "../../../pi/index.ts";
import { type SheetOption, showSheet } from "../../../tui/index.ts";
import type { Project } from "../../engine/index.ts";
import type { CommandHost, Confirmation } from "../commands/index.ts";
import { questionBody } from "../screen/index.ts";
import type { ChronicleSession } from "./chronicle-session.ts";
import { allListed } from "./session-commands.ts";
import { commandPrefix } from "./session-project.ts";
import { userApprover } from "./user-approver.ts";

export function sessionHost(session: ChronicleSession, ctx: ExtensionContext, project: Project): CommandHost {
	const { scope } = session;
	const prefix = commandPrefix(project);
	const listed = allListed(session);
	const tell = (text: string, tone: "info" | "warning"): void => {
		if (!scope.closed) say(ctx, text, tone);
	};
	return {
		prefix,
		hasScreen: ctx.mode === "tui",
		startLine: (template) => `${prefix}${template}`,
		listed,
		reserved: new Set(listed.map(({ name }) => name)),
		// Those of this process are not on an engine.
		supervised: project.engine ? new Map() : session.supervised,
		model: ctx.model ? `${ctx.model.provider}/${ctx.model.id}` : undefined,
		approver: (asked, coming) => userApprover(session, ctx, asked, coming),
		...(ctx.hasUI
			? {
					confirm: (question) => confirm(session, ctx, question),
					approveCleanup: (name, lines) => askCleanup(session, ctx, name, lines),
				}
			: {}),
		proposals: { on: session.proposals.on, turn: (on) => session.proposals.turn(ctx, on) },
		quote: (text) => session.quote(text),
		warn: (text) => tell(text, "warning"),
		report: (text) => tell(text, "info"),
		started: ({ template, id }) =>
			tell(`Started ${template.name} (${id.slice(0, 8)}). Follow it with ${prefix}view.`, "info"),
		contained({ contained, line }) {
			if (!contained) tell(line, "warning");
		},
		async attend(attended, run) {
			await session.attend(ctx, attended, run);
			return undefined;
		},
	};
}

async function confirm(
	session: ChronicleSession,
	ctx: ExtensionContext,
	{ title, lines, no, yes, leave }: Confirmation,
): Promise<boolean> {
	const choices = [
		{ value: false, words: no, key: "n" },
		{ value: true, words: yes, key: "y" },
	] as const;
	return (await chooseOnPage(session, ctx, { title, lines, choices, leave })) ?? false;
}

/** Shows the cleanup commands and asks for approval. */
async function askCleanup(
	session: ChronicleSession,
	ctx: ExtensionContext,
	name: string,
	lines: readonly string[],
): Promise<"approved" | "none" | undefined> {
	// A stray Enter takes the first answer, so that answer runs no cleanup command.
	const choices = [
		{ value: "none", words: "Start without them", key: "w" },
		{ value: "approved", words: "Allow them, exactly as shown", key: "r" },
		{ value: "nothing", words: "Don't start", key: "n" },
	] as const;
	const title = `"${name}" has cleanup commands that run after its workers:`;
	const chosen = await chooseOnPage(session, ctx, { title, lines, choices, leave: "Esc cancels" });
	return chosen === "nothing" ? undefined : chosen;
}

interface PageQuestion<T> {
	readonly title: string;
	readonly lines: readonly string[];
	readonly choices: readonly SheetOption<T>[];
	readonly leave: string;
}

/** Asks on a separate page in the terminal, with long lists scrolling above the answers, and with a dialog elsewhere. */
async function chooseOnPage<T>(
	{ scope }: ChronicleSession,
	ctx: ExtensionContext,
	{ title, lines, choices, leave }: PageQuestion<T>,
): Promise<T | undefined> {
	if (ctx.mode === "tui") {
		const stop = new AbortController();
		const release = scope.own(() => stop.abort());
		const chosen = await showSheet(ctx, { title, body: questionBody(lines), choices, leave }, stop.signal);
		await release();
		return chosen;
	}
	const words = choices.map((choice) => choice.words);
	const chosen = await ctx.ui.select(printable([title, ...lines].join("\n")), words);
	return choices.find((choice) => choice.words === chosen)?.value;
}
