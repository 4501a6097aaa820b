import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { isOwnFile, packageRoot, type Scope, say } from "../pi/index.ts";
import { readLastRecorded, type SequenceSession, type StepCommands, sequenceSessions } from "./session.ts";

import { summaryLines, summaryType } from "./summary.ts";

export type { StepCommands, StepEnd } from "./session.ts";

/** Registers `/sequence`. `commands` are the package's own commands that a step may call. */
export function registerSequence(pi: ExtensionAPI, scope: Scope, commands: StepCommands): void {
	let root: string | undefined;
	const session: SequenceSession = {
		pi,
		commands,
		lastRecorded: undefined,
		activeRun: undefined,
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
	pi.registerCommand("sequence", {
		description: "Record prompts and commands, replay them N times: /sequence [run [N] [arguments] | show]",
		getArgumentCompletions: (prefix) => {
			const found = ["run", "show"]
				.filter((word) => word.startsWith(prefix))
				.map((word) => ({ value: word, label: word }));
			return found.length === 0 ? null : found;
		},
		handler: async (args, ctx) => {
			const { runSequence } = await import("./command.ts");
			await runSequence(session, scope, ctx, args);
		},
	});
	pi.registerEntryRenderer(summaryType, ({ data }, _options, theme) => {
		const [head, ...rows] = summaryLines(data);
		if (head === undefined) return undefined;
		const cut = (line: string, width: number) => [...line].slice(0, width).join("");
		return {
			invalidate() {},
			render: (width) => [theme.fg("accent", cut(head, width)), ...rows.map((row) => theme.fg("dim", cut(row, width)))],
		};
	});
	pi.on("session_start", (_event, ctx) => {
		session.lastRecorded = readLastRecorded(ctx);
		sequenceSessions.put(ctx.sessionManager, session);
	});
	pi.on("session_tree", (_event, ctx) => {
		session.lastRecorded = readLastRecorded(ctx);
		if (session.activeRun) session.activeRun.stop ??= "The sequence was stopped: the session moved to another branch.";
	});
	// The person left the session in the middle of a run; the runner's own replacement is none of that.
	pi.on("session_shutdown", ({ reason }, ctx) => {
		const run = session.activeRun;
		if (run === undefined || run.replacing) return;
		run.stop ??= `The sequence was stopped: the session was left (${reason}).`;
		if (reason !== "quit") say(ctx, run.stop, "warning");
	});
}
