// Registers workflows. Registration is cheap: two commands, two events, and the renderers. Everything else is imported when the
// user runs a command or when the session contains a run.

import type { ExtensionAPI, ExtensionCommandContext, ExtensionContext } from "@earendil-works/pi-coding-agent";
import {
	customEntries,
	definitionsTrusted,
	loadedCompletions,
	type NameDefinitions,
	registerOwnCommand,
	type runAsStep,
	type Scope,
} from "../pi/index.ts";
import type { Policies, SessionBox } from "../safety/index.ts";
import { stateType } from "./phase-machine/index.ts";
import { registerRows } from "./rows.ts";
import type { OpenRunFiles, Workflows } from "./session/index.ts";

/** Passes the limits of the active run to child sessions. */
interface WorkflowShare {
	/** Entries for the child's session: the limits of the current phase. */
	share(): readonly { readonly customType: string; readonly data: unknown }[];
}

/** The interface of workflows for sequences, plans and child sessions. */
export interface WorkflowDoor extends WorkflowShare {
	/** A description of the session's active run, for the user; `undefined` without one. */
	live(): string | undefined;
	/** The text of the current phase for a new context of this session. */
	introduction(): ReturnType<Workflows["introduction"]>;
	/** Ends the countdown before the model is reminded to continue. */
	endCountdown(): void;
	/** Runs `/workflow <args>`. */
	run(ctx: ExtensionCommandContext, args: string): Promise<void>;
	/** Runs a command as the gate of a phase is run: under the session's rules, and in its sandbox. */
	test(ctx: ExtensionContext, command: string, signal: AbortSignal): ReturnType<Workflows["test"]>;
	/** Runs `/workflow <args>` as a step. It ends when the workflow ends; it fails if the workflow waits for the user. */
	step(ctx: ExtensionCommandContext, args: string, signal: AbortSignal): ReturnType<typeof runAsStep>;
}

/** Registers `/workflow` and `/cancel-workflow`, and restores the run of a session that contains one. */
export function registerWorkflow(
	pi: ExtensionAPI,
	parts: {
		readonly scope: Scope;
		readonly policies: Policies;
		readonly box: SessionBox;
		readonly named: NameDefinitions;
		readonly openFiles: OpenRunFiles;
		/** pi's agent folder, absolute. */
		readonly agentDir: string;
	},
): WorkflowDoor {
	let opened: Workflows | undefined;
	let share: WorkflowShare["share"] = () => [];
	let session: typeof import("./session/index.ts") | undefined;
	const open = async (): Promise<Workflows> => {
		session = await import("./session/index.ts");
		const { inheritance, openWorkflows } = session;
		opened ??= openWorkflows(pi, parts);
		const { controller } = opened;
		share = () => [inheritance(controller.active?.run)].filter((entry) => entry !== undefined);
		return opened;
	};
	// pi requests completions without a context, so keep the plain data that they need.
	let place = { cwd: process.cwd(), trusted: false };

	const run = async (ctx: ExtensionCommandContext, args: string): Promise<void> => {
		const { runWorkflow } = await import("./session/index.ts");
		await runWorkflow(await open(), ctx, args);
	};

	registerRows(pi, () => (opened?.controller.ready ? opened.rows : undefined));
	registerOwnCommand(pi, "workflow", {
		description: "Run a workflow: /workflow <name> <task>; alone it lists the workflows",
		getArgumentCompletions: loadedCompletions(async () => {
			const { completeUnread } = await import("./unread-names.ts");
			return (prefix) =>
				session && opened
					? session.completeWorkflow(opened, prefix, place)
					: completeUnread(parts.agentDir, place, prefix);
		}),
		list: async (ctx) => {
			const { workflowChoices } = await import("./session/index.ts");
			parts.named(ctx);
			return workflowChoices(await open(), ctx);
		},
		handler: async (args, ctx) => {
			parts.named(ctx);
			await run(ctx, args);
		},
	});
	registerOwnCommand(pi, "cancel-workflow", {
		description: "Cancel the active workflow",
		handler: async (args, ctx) => {
			const { cancelWorkflow } = await import("./session/index.ts");
			cancelWorkflow(await open(), ctx, args);
		},
	});

	const inherit = openInheritance(parts.policies);
	const restore = async (ctx: ExtensionContext, how: "greet" | "silently") => {
		const [state] = customEntries(ctx.sessionManager, [stateType]);
		if (!state && !opened) return;
		// The session may end while the module is loaded.
		await import("./session/index.ts");
		if (!parts.scope.closed) (await open()).restore(ctx, how);
	};
	pi.on("session_start", async (_event, ctx) => {
		place = { cwd: ctx.cwd, trusted: definitionsTrusted(ctx) };
		await inherit(ctx);
		await restore(ctx, "greet");
	});
	pi.on("session_tree", (_event, ctx) => restore(ctx, "silently"));
	return {
		share: () => share(),
		live: () => opened?.live(),
		introduction: () => opened?.introduction(),
		endCountdown: () => opened?.conversation.endCountdown(),
		run,
		test: async (ctx, command, signal) => (await open()).test(ctx, command, signal),
		async step(ctx, args, signal) {
			const { runWorkflowStep } = await import("./session/index.ts");
			return runWorkflowStep(await open(), ctx, args, signal);
		},
	};
}

/** Applies the limits of the parent's phase to a child session, once, before anything runs in it. */
function openInheritance(policies: Policies): (ctx: ExtensionContext) => Promise<void> {
	let inherited = false;
	return async ({ sessionManager, cwd }) => {
		const [entry] = customEntries(sessionManager, ["workflow:inherited"]);
		if (!entry || inherited) return;
		inherited = true;
		const { inheritedPolicy } = await import("./session/index.ts");
		policies.add(inheritedPolicy(entry.data, cwd));
	};
}
