// Registers `/chronicle` in every session. The rest is imported when the command first runs, or when a session starts in a project that
// has runs.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ExtensionAPI, ExtensionCommandContext, ExtensionContext } from "@earendil-works/pi-coding-agent";
import {
	definitionsTrusted,
	loadedCompletions,
	type NameDefinitions,
	openOnce,
	registerOwnCommand,
	runAsStep,
	type Scope,
} from "../../pi/index.ts";
import type { ChronicleSession, SessionExtras } from "./chronicle-session.ts";

/** The interface of chronicles for sequences and plans. */
export interface ChronicleDoor {
	/** The runs that this session supervises, as text. */
	live(): string[];
	run(ctx: ExtensionContext, args: string): Promise<void>;
	/** `/chronicle <args>` as a step: it ends when the run that it started or steered stops; any status other than `done` fails the step. */
	step(ctx: ExtensionCommandContext, args: string, signal: AbortSignal): ReturnType<typeof runAsStep>;
}

/**
 * Registers `/chronicle`. `named` lists the project's definitions; `extras` come from other features. Runs that it starts belong to the
 * scope: when the scope closes, they are released and can be resumed.
 */
export function registerChronicle(
	pi: ExtensionAPI,
	scope: Scope,
	named: NameDefinitions,
	extras: SessionExtras,
): ChronicleDoor {
	let opened: ChronicleSession | undefined;
	const open = openOnce(async () => {
		opened = (await import("./supervised-runs.ts")).openChronicle(scope, extras, (content) =>
			pi.sendMessage({ customType: "chronicle:result", content, display: true }, { triggerTurn: false }),
		);
		return opened;
	});
	// pi requests completions without a context, so its plain data is kept.
	let place = { cwd: process.cwd(), trusted: false };

	const run = async (ctx: ExtensionContext, args: string): Promise<void> => {
		const { runChronicle } = await import("./run-command-line.ts");
		await runChronicle(await open(), ctx, args);
	};

	const complete = loadedCompletions(async () => {
		const { openCompletions } = await import("./completions.ts");
		const answer = openCompletions(extras, open);
		return (line) => answer(line, place);
	});

	registerOwnCommand(pi, "chronicle", {
		description: "Run a chronicle: /chronicle <template> <task>; alone it lists templates and runs",
		getArgumentCompletions: complete,
		list: async (ctx) => {
			named(ctx);
			const { chronicleChoices } = await import("./choices.ts");
			return chronicleChoices(complete);
		},
		handler: async (args, ctx) => {
			named(ctx);
			await run(ctx, args);
		},
	});
	pi.on("session_start", (_event, ctx) => {
		place = { cwd: ctx.cwd, trusted: definitionsTrusted(ctx) };
		if (!ctx.hasUI || !place.trusted || !existsSync(join(ctx.cwd, ".pi", "chronicle", "sessions"))) return;
		// Not awaited: the list may be long.
		void import("./offer.ts").then(
			({ offerUnfinished }) => offerUnfinished(scope, ctx, open),
			// A module that cannot be read now is reported by the command that needs it.
			() => {},
		);
	});
	return {
		live: () =>
			[...(opened?.supervised.values() ?? [])].map(
				({ supervision: { run } }) => `the chronicle ${run.template.name} ${run.id.slice(0, 8)}`,
			),
		run,
		async step(ctx, args, signal) {
			const { runChronicle } = await import("./run-command-line.ts");
			const session = await open();
			return runAsStep(ctx, (marked) => runChronicle(session, marked, args), signal);
		},
	};
}
