// Runs `/chronicle <line>`. The first word is a command or else the name of a template. Text for agents is passed on unchanged.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { notFound, type Project } from "../../local/index.ts";
import { exitCodes, inBackground, pageText, rejectCommand, say, showDiagram } from "../../pi/index.ts";
import {
	type CommandDone,
	type CommandResponse,
	engineComplaint,
	performCommand,
	startCommand,
	type View,
} from "../commands/index.ts";
import { complaintLines, typedWords } from "../phrases/index.ts";
import { openRunView, runSource } from "../screen/index.ts";
import type { ChronicleSession } from "./chronicle-session.ts";
import { showPatch } from "./dialogs.ts";
import { followOnEngine } from "./engine-run.ts";
import { openOnEngine, optionsOnEngine, readLeading } from "./engines.ts";
import { sessionHost } from "./host.ts";
import { findCommand } from "./session-commands.ts";
import { allListed } from "./session-list.ts";
import { projectOf } from "./session-project.ts";

export async function runChronicle(session: ChronicleSession, ctx: ExtensionContext, line: string): Promise<void> {
	const local = projectOf(ctx);
	const { values, rest: written } = readLeading(line);
	const [, first = "", rest = ""] = /^\s*(\S*)\s*([\s\S]*?)\s*$/.exec(written) ?? [];
	const name = first === "" ? "list" : first === "start" ? "run" : first;
	const known = await findCommand(session, name);
	if (!known) {
		const catalogue = local.templates();
		if (!catalogue.templates.has(first))
			return rejectCommand(
				ctx,
				notFound(first, catalogue, local, new Set(allListed(session).map((listed) => listed.name))).message,
			);
	}
	const command = known ?? startCommand;
	const text = known ? rest : written;
	const typed = typedWords(text);
	const words = typed.map((word) => word.text);
	const surfaceOptions = optionsOnEngine(command, local, values, words);
	const report = (waiting: string): void => {
		if (!session.scope.closed) say(ctx, waiting);
	};
	const opened = await openOnEngine(session.engines, local, { command, words, surfaceOptions, values, report });
	if (!opened.ok) return present(session, ctx, local, { kind: "refused", ...engineComplaint(opened.failure) });
	const project = opened.value;
	const stop = new AbortController();
	const release = session.scope.own(() => stop.abort());
	const result = await performCommand(command, words, {
		project,
		host: sessionHost(session, ctx, project),
		signal: stop.signal,
		surfaceOptions,
		textOf: (from, count) => (count === 0 ? "" : text.slice(typed[from]?.start, typed[from + count - 1]?.end)),
	});
	await release();
	await present(session, ctx, project, result);
	if (command.name === "resume" && result.kind === "refused") await followElsewhere(session, ctx, project, result.run);
}

async function present(
	session: ChronicleSession,
	ctx: ExtensionContext,
	project: Project,
	result: CommandResponse,
): Promise<void> {
	// The context of a session that has ended must not be used.
	if (session.scope.closed || result.kind === "silent") return;
	if (result.kind === "refused")
		return rejectCommand(ctx, complaintLines(result, project.place.cwd).join("\n"), { code: result.exitCode });
	await presentDone(ctx, project, result);
	if (result.follow !== undefined) await followOnEngine(session, ctx, project, result.follow);
}

async function presentDone(
	ctx: ExtensionContext,
	project: Project,
	{ lines, notice, view, exitCode = exitCodes.done }: CommandDone,
): Promise<void> {
	const text = lines.join("\n");
	if (exitCode !== exitCodes.done && ctx.mode !== "tui") return rejectCommand(ctx, text, { code: exitCode });
	if (view) return showView(ctx, project, view, lines);
	if (notice === undefined) return say(ctx, text, exitCode === exitCodes.done ? "info" : "error");
	if (notice.text !== "") say(ctx, notice.text, notice.tone);
}

async function showView(ctx: ExtensionContext, project: Project, view: View, lines: readonly string[]): Promise<void> {
	switch (view.kind) {
		case "page":
			return pageText(ctx, view.title, lines.join("\n"));
		case "diagram":
			return showDiagram(ctx, view.title, lines, view.notes);
		case "patch":
			await showPatch(ctx, view.title, view.diff);
			return;
		case "run":
			if (ctx.mode !== "tui") return say(ctx, lines.join("\n"));
			// Not awaited: the command ends while the view stays open.
			inBackground(ctx, () => openRunView(ctx, runSource(project, view.read, view.supervised)));
			return;
	}
}

async function followElsewhere(
	session: ChronicleSession,
	ctx: ExtensionContext,
	project: Project,
	id: string | undefined,
): Promise<void> {
	if (id === undefined || session.scope.closed || !ctx.hasUI || session.supervised.has(id)) return;
	const read = await project.store.read(id);
	if (read.ok && read.value.holder?.alive === "yes") session.follow(ctx, project, read.value.run);
}
