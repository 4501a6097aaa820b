import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import {
	chronicleSettings,
	customEntries,
	exitCodes,
	failWith,
	foreignTools,
	type Scope,
	say,
} from "../../pi/index.ts";
import { RUN_TAG } from "../../process/index.ts";
import { childVariable, toolName } from "./child.ts";
import { childSettings } from "./settings.ts";
import type { Shared } from "./tool.ts";

export { type ChildEnd, runChild } from "./child.ts";
export type { ChildCeilings } from "./settings.ts";

/** Custom entry type: whether the model may spawn on this branch. */
const modeType = "spawn:mode";

/** Registers `/spawn on|off`, which gives the model the tool or removes it. A child session gets neither. */
export function registerSpawn(pi: ExtensionAPI, scope: Scope, shared: Shared): void {
	if (process.env[childVariable] !== undefined) {
		endWithParent(scope);
		return;
	}
	let on = false;
	let registered = false;
	/** Why the tool cannot be activated: another extension owns a tool of this name. */
	let foreign: string | undefined;

	const register = async (): Promise<void> => {
		const { spawnTool } = await import("./tool.ts");
		// It may have been switched off or registered during the import.
		if (!on || registered) return;
		registered = true;
		pi.registerTool(
			spawnTool(scope, shared, {
				thinking: () => pi.getThinkingLevel(),
				tools: () => childTools(pi, shared),
				settings: () => childSettings(pi),
			}),
		);
		foreign = foreignTools(pi, [toolName], "/spawn");
		if (foreign !== undefined) on = false;
	};
	const turn = async (wanted: boolean): Promise<void> => {
		on = wanted && foreign === undefined;
		if (foreign !== undefined) return;
		if (on && !registered) return register();
		if (!registered) return;
		const others = pi.getActiveTools().filter((name) => name !== toolName);
		pi.setActiveTools(on ? [...others, toolName] : others);
	};
	const read = async (
		ctx: Parameters<typeof say>[0] & { sessionManager: Parameters<typeof customEntries>[0] },
	): Promise<void> => {
		const [newest] = customEntries(ctx.sessionManager, [modeType]);
		const said = (newest?.data as { on?: unknown } | undefined)?.on;
		const wanted = typeof said === "boolean" ? said : chronicleSettings(pi).spawn === true;
		if (wanted === on) return;
		await turn(wanted);
		if (wanted && foreign !== undefined) say(ctx, foreign, "warning");
	};

	const change = async (ctx: ExtensionContext, wanted: boolean): Promise<void> => {
		if (wanted !== on) {
			await turn(wanted);
			if (wanted && foreign !== undefined) {
				failWith(ctx, exitCodes.usage);
				say(ctx, foreign, "error");
				return;
			}
			pi.appendEntry(modeType, { on });
		}
		say(ctx, on ? "Child sessions are on: the model has the tool spawn." : "Child sessions are off.");
	};

	pi.registerCommand("spawn", {
		description: "Let the model start child sessions for self-contained tasks: /spawn on|off",
		getArgumentCompletions: (prefix) => {
			const found = ["on", "off"]
				.filter((word) => word.startsWith(prefix))
				.map((word) => ({ value: word, label: word }));
			return found.length === 0 ? null : found;
		},
		handler: async (args, ctx) => {
			const word = args.trim();
			if (word === "on" || word === "off") return change(ctx, word === "on");
			if (word !== "") failWith(ctx, exitCodes.usage);
			const state = `Child sessions are ${on ? "on" : "off"}.`;
			say(ctx, `${state} /spawn on gives the model the tool, /spawn off takes it away.`);
		},
	});
	pi.on("session_start", (_event, ctx) => read(ctx));
	pi.on("session_tree", (_event, ctx) => read(ctx));
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
