// A pi session as the host of a command: questions on its screen, runs supervised in the background.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Project } from "../../local/index.ts";
import { answerKeys, askForLine, chooseOption, printable, say } from "../../pi/index.ts";
import { testsQuestion } from "../../tools/shipped/index.ts";
import type { CommandHost, Confirmation } from "../commands/index.ts";
import { cleanupAnswers, cleanupTitle } from "../phrases/index.ts";
import { ownVia } from "./answered-elsewhere.ts";
import type { ChronicleSession } from "./chronicle-session.ts";
import { allListed } from "./session-list.ts";
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
		via: ownVia,
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
					askTests: () => whileOpen(scope, (signal) => askForLine(ctx, { ...testsQuestion, signal })),
					chooseFolder: (name, neighbours) => askFolder(session, ctx, name, neighbours),
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
	{ scope }: ChronicleSession,
	ctx: ExtensionContext,
	{ title, lines, no, yes, leave }: Confirmation,
): Promise<boolean> {
	const message = printable(lines.join("\n"));
	const question = {
		title: printable(title),
		message,
		options: [no, yes],
		keys: { [no]: answerKeys.no, [yes]: answerKeys.yes },
		leave,
	};
	return (await whileOpen(scope, (signal) => chooseOption(ctx, { ...question, signal, uncalled: true }))) === yes;
}

async function askCleanup(
	{ scope }: ChronicleSession,
	ctx: ExtensionContext,
	name: string,
	lines: readonly string[],
): Promise<"approved" | "none" | undefined> {
	const { none, approved, nothing } = cleanupAnswers;
	const question = {
		title: printable(`${cleanupTitle(name)}:`),
		message: printable(lines.join("\n")),
		// A stray Enter takes the first answer, so that answer runs no cleanup command.
		options: [none, approved, nothing],
		keys: { [none]: answerKeys.start, [approved]: answerKeys.yes, [nothing]: answerKeys.no },
		leave: "Esc cancels",
	};
	const chosen = await whileOpen(scope, (signal) => chooseOption(ctx, { ...question, signal, uncalled: true }));
	return chosen === approved ? "approved" : chosen === none ? "none" : undefined;
}

const apart = "In a copy of the project (apart)";
const here = "In the project's folder as well";

async function askFolder(
	{ scope }: ChronicleSession,
	ctx: ExtensionContext,
	name: string,
	neighbours: readonly string[],
): Promise<"apart" | "here" | "nowhere"> {
	const others = neighbours.map((id) => id.slice(0, 8)).join(", ");
	const question = {
		title: printable(`Where does "${name}" work?`),
		message: printable(
			`${neighbours.length === 1 ? `The run ${others} is` : `The runs ${others} are`} at work in this folder. In a copy, the new one disturbs nothing, and you take its files when it has ended. In the same folder, nobody can tell whose changes are whose.`,
		),
		options: [apart, here, cleanupAnswers.nothing],
		keys: { [apart]: answerKeys.inCopy, [here]: answerKeys.inFolder, [cleanupAnswers.nothing]: answerKeys.no },
		leave: "Esc cancels",
	};
	const chosen = await whileOpen(scope, (signal) => chooseOption(ctx, { ...question, signal, uncalled: true }));
	return chosen === apart ? "apart" : chosen === here ? "here" : "nowhere";
}

/** Closes a question with the session. */
async function whileOpen<T>(scope: ChronicleSession["scope"], ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
	const stop = new AbortController();
	const release = scope.own(() => stop.abort());
	const answer = await ask(stop.signal);
	await release();
	return answer;
}
