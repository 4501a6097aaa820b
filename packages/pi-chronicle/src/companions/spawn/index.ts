import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import {
	completeWords,
	exitCodes,
	failWith,
	openToolSwitch,
	registerOwnCommand,
	type Scope,
	say,
} from "../../pi/index.ts";
import { RUN_TAG } from "../../process/index.ts";
import { childVariable, toolName } from "./child.ts";
import { childSettings } from "./settings.ts";
import type { Shared } from "./tool.ts";

export { type ChildEnd, runChild } from "./child.ts";
export type { ChildCeilings } from "./settings.ts";

/** Registers `/spawn on|off`, which gives the model the tool or removes it. A child session gets neither. */
export function registerSpawn(pi: ExtensionAPI, scope: Scope, shared: Shared): void {
	if (process.env[childVariable] !== undefined) {
		endWithParent(scope);
		return;
	}
	const mode = openToolSwitch(pi, {
		name: toolName,
		entryType: "spawn:mode",
		setting: "spawn",
		feature: "/spawn",
		load: async () =>
			(await import("./tool.ts")).spawnTool(scope, shared, {
				thinking: () => pi.getThinkingLevel(),
				tools: () => childTools(pi, shared),
				settings: () => childSettings(pi),
			}),
	});
	const change = async (ctx: ExtensionContext, wanted: boolean): Promise<void> => {
		if (!(await mode.turn(ctx, wanted))) return;
		say(ctx, mode.on ? "Child sessions are on: the model has the tool spawn." : "Child sessions are off.");
	};

	registerOwnCommand(pi, "spawn", {
		description: "Let the model start child sessions for self-contained tasks: /spawn on|off",
		getArgumentCompletions: (prefix) => completeWords(["on", "off"], prefix),
		handler: async (args, ctx) => {
			const word = args.trim();
			if (word === "on" || word === "off") return change(ctx, word === "on");
			if (word !== "") failWith(ctx, exitCodes.usage);
			const state = `Child sessions are ${mode.on ? "on" : "off"}.`;
			say(ctx, `${state} /spawn on gives the model the tool, /spawn off takes it away.`);
		},
	});
}

/** The active tools that a child also gets: pi's own tools that no policy currently refuses, and the notebook's. */
function childTools(pi: ExtensionAPI, { refuses }: Shared): string[] {
	const own = new Set(
		pi
			.getAllTools()
			.filter(({ sourceInfo }) => sourceInfo.source === "builtin")
			.map(({ name }) => name),
	);
	return pi.getActiveTools().filter((name) => (own.has(name) ? !refuses(name) : name.startsWith("notebook_")));
}

/** If the parent was killed, the child stops its own background processes on exit. */
function endWithParent(scope: Scope): void {
	const { ppid: parent } = process;
	const tag = process.env[RUN_TAG];
	if (tag === undefined) return;
	scope.own(async () => {
		if (process.ppid === parent) return;
		const { stopOrphans } = await import("../../process/index.ts");
		await stopOrphans(tag);
	});
}
