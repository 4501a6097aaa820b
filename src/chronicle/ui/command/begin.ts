// Starting a run from pi: everything that stands in its way is told at once, and cleanup commands are shown before they may ever run.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { formatDiagnostic } from "../../../definition/index.ts";
import { exitCodes, printable, say } from "../../../pi/index.ts";
import { showSheet } from "../../../tui/index.ts";
import { type CleanupTexts, createRun, type Project, prepareStart, startSupervision } from "../../engine/index.ts";
import { explainRedaction } from "../commands/index.ts";
import { questionBody } from "../screen/index.ts";
import { cleanupLines } from "../text/index.ts";
import { personOf } from "./person.ts";
import type { ChronicleSession } from "./session.ts";
import { refuseCommand } from "./session-project.ts";

/** Starts the template called `name`. Without a screen it resolves when the run rests. */
export async function startChronicle(
	session: ChronicleSession,
	ctx: ExtensionContext,
	project: Project,
	name: string,
	task: string,
): Promise<void> {
	if (task === "") return refuseCommand(ctx, `Say what is to be done: /chronicle ${name} <task>`);
	const prepared = await prepareStart(project, name);
	if (session.scope.closed) return;
	if (prepared.kind === "refused") {
		const { message, diagnostics, problems } = prepared;
		const lines = [
			message,
			...diagnostics.map((diagnostic) => formatDiagnostic(diagnostic, project.place.cwd)),
			...problems.map(({ state, message: problem, remedy }) => `${state}: ${problem} ${remedy}`),
		];
		return refuseCommand(ctx, lines.join("\n"));
	}
	const { cleanup, notes, launcher } = prepared;
	const word = await cleanupWord(session, ctx, name, cleanup);
	if (word === undefined || session.scope.closed) return;
	if (notes.length > 0) say(ctx, notes.join("\n"), "warning");
	const model = ctx.model ? `${ctx.model.provider}/${ctx.model.id}` : undefined;
	const created = await createRun(project, prepared, { task, model, cleanup: word });
	if (!created.ok) return refuseCommand(ctx, `${created.failure.message} ${created.failure.remedy}`, exitCodes.failed);
	const ledger = created.value;
	if (session.scope.closed) return ledger.releaseLease();
	if (ledger.run.task !== task) say(ctx, explainRedaction("task"), "warning");
	say(ctx, `${name} ${ledger.run.id.slice(0, 8)} has begun. /chronicle status tells where it stands.`);
	await session.attend(
		ctx,
		project,
		startSupervision(project, ledger, personOf(session, ctx, project), "fresh", launcher),
	);
}

/** The person's word on the template's cleanup commands; `undefined`: nothing is started. */
async function cleanupWord(
	session: ChronicleSession,
	ctx: ExtensionContext,
	name: string,
	cleanup: CleanupTexts | undefined,
): Promise<"approved" | "own" | "none" | undefined> {
	if (!cleanup) return "none";
	const { standing, commands } = cleanup;
	if (standing !== "unknown") return standing;
	const list = cleanupLines(commands);
	if (!ctx.hasUI) {
		refuseCommand(
			ctx,
			`"${name}" has cleanup commands that you have not approved in this wording, so nothing was started:\n${list.join("\n")}\nApprove them in pi's screen, or start it once with pi-chronicle run --approve-cleanup.`,
			exitCodes.waits,
		);
		return undefined;
	}
	const word = await askCleanup(session, ctx, `"${name}" brings commands that would run after its workers:`, list);
	if (word === "approved" || word === "none") return word;
	if (!session.scope.closed) say(ctx, "Nothing was started.");
	return undefined;
}

/** Shows the commands and asks. In the terminal a list that is longer than the screen is scrolled above the answers. */
async function askCleanup(
	session: ChronicleSession,
	ctx: ExtensionContext,
	title: string,
	list: readonly string[],
): Promise<"approved" | "none" | "nothing" | undefined> {
	// The first one is the one that a stray Enter takes: nothing of the template's runs.
	const choices = [
		{ value: "none", words: "Start without them", key: "w" },
		{ value: "approved", words: "They may run, in exactly this wording: start", key: "r" },
		{ value: "nothing", words: "Start nothing", key: "n" },
	] as const;
	if (ctx.mode === "tui") {
		const stop = new AbortController();
		const release = session.scope.own(() => stop.abort());
		const sheet = { title, body: questionBody(list), choices, leave: "Esc starts nothing" };
		const chosen = await showSheet(ctx, sheet, stop.signal);
		await release();
		return chosen;
	}
	const words = choices.map((choice) => choice.words);
	const chosen = await ctx.ui.select(printable([title, ...list].join("\n")), words);
	return choices.find((choice) => choice.words === chosen)?.value;
}
