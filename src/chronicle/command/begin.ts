// Starting a run from pi: everything that stands in its way is told at once, and cleanup commands are shown before they may ever run.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { formatDiagnostic } from "../../definition/index.ts";
import { say } from "../../pi/index.ts";
import { attend, type CleanupTexts, createRun, exitCodes, type Project, prepareStart } from "../project/index.ts";
import { refuse } from "./house.ts";
import { personOf } from "./person.ts";
import type { ChronicleSession } from "./session.ts";

/** Starts the template called `name`. Without a screen it resolves when the run rests. */
export async function beginRun(
	session: ChronicleSession,
	ctx: ExtensionContext,
	project: Project,
	name: string,
	task: string,
): Promise<void> {
	if (task === "") return refuse(ctx, `Say what is to be done: /chronicle ${name} <task>`);
	const prepared = await prepareStart(project, name);
	if (session.scope.closed) return;
	if (prepared.kind === "refused") {
		const { message, diagnostics, problems } = prepared;
		const lines = [
			message,
			...diagnostics.map((diagnostic) => formatDiagnostic(diagnostic, project.place.cwd)),
			...problems.map(({ state, message: problem, remedy }) => `${state}: ${problem} ${remedy}`),
		];
		return refuse(ctx, lines.join("\n"));
	}
	const { cleanup, notes, launcher } = prepared;
	const word = await cleanupWord(session, ctx, name, cleanup);
	if (word === undefined || session.scope.closed) return;
	if (notes.length > 0) say(ctx, notes.join("\n"), "warning");
	const model = ctx.model ? `${ctx.model.provider}/${ctx.model.id}` : undefined;
	const created = await createRun(project, prepared, { task, model, cleanup: word });
	if (!created.ok) return refuse(ctx, `${created.failure.message} ${created.failure.remedy}`, exitCodes.failed);
	const ledger = created.value;
	if (session.scope.closed) return ledger.release();
	say(ctx, `${name} ${ledger.run.id.slice(0, 8)} has begun. /chronicle status tells where it stands.`);
	await session.attend(ctx, project, attend(project, ledger, personOf(session, ctx, project), "fresh", launcher));
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
	const list = commands.map(({ state, command }) => `  ${state}: ${command}`).join("\n");
	if (!ctx.hasUI) {
		refuse(
			ctx,
			`"${name}" has cleanup commands that you have not approved in this wording, so nothing was started:\n${list}\nApprove them in pi's screen, or start it once with pi-chronicle run --approve-cleanup.`,
			exitCodes.waits,
		);
		return undefined;
	}
	const without = "Start without them";
	const run = "They may run, in exactly this wording: start";
	const title = `"${name}" brings commands that would run after its workers, whatever they did:\n${list}`;
	const chosen = await ctx.ui.select(title, [without, run, "Start nothing"]);
	if (chosen === run) return "approved";
	if (chosen === without) return "none";
	if (session.scope.closed) return undefined;
	say(ctx, "Nothing was started.");
	return undefined;
}
