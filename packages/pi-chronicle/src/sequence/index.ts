import type { ExtensionAPI, ExtensionCommandContext, ExtensionContext } from "@earendil-works/pi-coding-agent";
import {
	definitionsTrusted,
	isOwnFile,
	loadedCompletions,
	type NameDefinitions,
	packageRoot,
	registerOwnCommand,
	type Scope,
	say,
} from "../pi/index.ts";
import { protectSession } from "./private-file.ts";
import type { SavedSequence } from "./saved.ts";
import {
	farewell,
	readLastRecorded,
	type SequenceSession,
	type StepCommands,
	sequenceSessions,
	statusKey,
} from "./session.ts";
import { summaryLines, summaryType } from "./summary.ts";

export type { StepCommands } from "./session.ts";

/** The saved sequences of the project `cwd` (absolute, trusted), with their diagnostics. */
export async function checkSequences(cwd: string): Promise<readonly SavedSequence[]> {
	const { savedSequences } = await import("./saved.ts");
	return savedSequences({ cwd, trusted: true });
}

/** Milliseconds that a notice must stay on the screen to be read. */
const readingMs = 3_000;
/** Milliseconds until pi has drawn a session that was just opened or moved in; it erases everything shown before. */
const drawnMs = 150;

/** The interface of sequences for plans. */
export interface SequenceDoor {
	/** Runs `/sequence <args>`. */
	run(ctx: ExtensionCommandContext, args: string): Promise<void>;
}

/** Registers `/sequence`. `named` reports the project's definitions; `commands` are the package's commands that a step may call. */
export function registerSequence(
	pi: ExtensionAPI,
	scope: Scope,
	named: NameDefinitions,
	commands: StepCommands,
): SequenceDoor {
	let root: string | undefined;
	const session: SequenceSession = {
		pi,
		commands,
		lastRecorded: undefined,
		activeRun: undefined,
		lastStop: undefined,
		recording: false,
		knownCommands() {
			root ??= packageRoot();
			return pi.getCommands().map(({ name, source, sourceInfo }) => ({
				name,
				source,
				path: sourceInfo.path,
				own: source === "extension" && isOwnFile(sourceInfo.path, root),
			}));
		},
	};
	const run: SequenceDoor["run"] = async (ctx, args) => {
		const { runSequence } = await import("./command.ts");
		await runSequence(session, scope, ctx, args);
	};
	// Completions get no context, so the required data is kept.
	let project = { cwd: process.cwd(), trusted: false };
	registerOwnCommand(pi, "sequence", {
		description: "Record prompts and commands, replay them N times: /sequence [run|list|show|save|edit|delete|stop]",
		getArgumentCompletions: loadedCompletions(async () => {
			const { completeSequence } = await import("./completions.ts");
			return (prefix) => completeSequence(prefix, project, session.activeRun !== undefined);
		}),
		handler: async (args, ctx) => {
			named(ctx);
			await run(ctx, args);
		},
	});
	renderSummaries(pi);
	/** The notice of a stop that pi is about to erase from the screen before the user could read it. */
	const unread = ({ mode }: ExtensionContext): string | undefined => {
		const { lastStop } = session;
		session.lastStop = undefined;
		return mode === "tui" && lastStop && Date.now() - lastStop.at < readingMs ? lastStop.text : undefined;
	};
	const sayWhenDrawn = (ctx: ExtensionContext, notice: string | undefined): void => {
		if (notice !== undefined) scope.after(drawnMs, () => say(ctx, notice, "warning"));
	};
	// pi writes a session's file after the first answer, and a fork's file immediately.
	const protect = (ctx: ExtensionContext): void => {
		if (session.lastRecorded !== undefined) protectSession(ctx);
	};
	pi.on("turn_end", (_event, ctx) => protect(ctx));
	pi.on("session_start", (_event, ctx) => {
		project = { cwd: ctx.cwd, trusted: definitionsTrusted(ctx) };
		session.lastRecorded = readLastRecorded(ctx);
		protect(ctx);
		sequenceSessions.put(ctx.sessionManager, session);
		sayWhenDrawn(ctx, farewell.take());
	});
	pi.on("session_tree", (_event, ctx) => {
		session.lastRecorded = readLastRecorded(ctx);
		if (session.activeRun) session.activeRun.halt("The sequence was stopped: the session moved to another branch.");
		sayWhenDrawn(ctx, unread(ctx));
	});
	// The user left the session during a run; the runner replaces sessions only between iterations.
	pi.on("session_shutdown", ({ reason }, ctx) => {
		const run = session.activeRun;
		if (run) {
			run.halt(`The sequence was stopped: the session was left (${reason}).`);
			run.left = true;
			const text = run.stop ?? "";
			session.lastStop = { text, at: Date.now() };
			if (reason !== "quit") say(ctx, text, "warning");
			ctx.ui.setStatus(statusKey, undefined);
		}
		const notice = reason === "quit" ? undefined : unread(ctx);
		if (notice !== undefined) farewell.leave(notice);
	});
	return { run };
}

/** Draws the summary entries of finished sequences. */
function renderSummaries(pi: ExtensionAPI): void {
	pi.registerEntryRenderer(summaryType, ({ data }, _options, theme) => {
		const lines = summaryLines(data);
		if (lines.length === 0) return undefined;
		return {
			invalidate() {},
			render(width) {
				const row = new RegExp(`.{1,${width}}(?= |$)`, "g");
				return lines.flatMap((line, index) =>
					(line.match(row) ?? []).map((text) => theme.fg(index ? "dim" : "accent", text)),
				);
			},
		};
	});
}
