// A tool that the model has only while the user has switched it on, on this branch or by a setting. Until then it is not registered, so that
// requests stay the same as without it.
import type { ExtensionAPI, ExtensionContext, ToolDefinition } from "@earendil-works/pi-coding-agent";
import { say } from "../display/say.ts";
import { chronicleSettings } from "../project/settings.ts";
import { customEntries } from "../session/branch.ts";
import { foreignTools } from "./foreign-tool.ts";
import { rejectCommand } from "./reject-command.ts";

export interface ToolSwitchSpec {
	/** Name of the tool. */
	readonly name: string;
	/** Custom entry type of the switch's positions. */
	readonly entryType: string;
	/** Setting below `chronicle` that switches it on if the branch has no position. */
	readonly setting: string;
	/** The user's answer where neither the branch nor the setting says anything. */
	readonly answer?: () => boolean | undefined;
	/** The feature that needs the tool, for the message about another extension's tool of this name. */
	readonly feature: string;
	/** Loads the tool when it is first switched on, in the session of `ctx`. */
	readonly load: (ctx: ExtensionContext) => Promise<ToolDefinition>;
}

export interface ToolSwitch {
	readonly on: boolean;
	/**
	 * Switches the tool, and records it on the branch. If another extension has a tool of this name, the user is notified instead. Resolves
	 * to whether it was switched.
	 */
	turn(ctx: ExtensionContext, on: boolean): Promise<boolean>;
	/** Whether the branch, the setting or the user has said where it stands. */
	decided(ctx: ExtensionContext): boolean;
	/** Brings it to where it stands by now. */
	follow(ctx: ExtensionContext): Promise<void>;
}

/** Opens the switch of a session; it follows the session's branch. */
export function openToolSwitch(
	pi: ExtensionAPI,
	{ name, entryType, setting, answer, feature, load }: ToolSwitchSpec,
): ToolSwitch {
	let on = false;
	let registered = false;
	let foreign: string | undefined;

	const register = async (ctx: ExtensionContext): Promise<void> => {
		const tool = await load(ctx);
		// It may have been switched off or registered meanwhile.
		if (!on || registered) return;
		registered = true;
		pi.registerTool(tool);
		foreign = foreignTools(pi, [name], feature);
		if (foreign !== undefined) on = false;
	};
	const change = async (ctx: ExtensionContext, wanted: boolean): Promise<void> => {
		on = wanted && foreign === undefined;
		if (foreign !== undefined) return;
		if (on && !registered) return register(ctx);
		if (!registered) return;
		const others = pi.getActiveTools().filter((other) => other !== name);
		pi.setActiveTools(on ? [...others, name] : others);
	};
	const said = (ctx: ExtensionContext): boolean | undefined => {
		const [newest] = customEntries(ctx.sessionManager, [entryType]);
		const recorded = (newest?.data as { on?: unknown } | undefined)?.on;
		return [recorded, chronicleSettings(pi)[setting], answer?.()].find((on) => typeof on === "boolean");
	};
	const read = async (ctx: ExtensionContext): Promise<void> => {
		const wanted = said(ctx) === true;
		if (wanted === on) return;
		await change(ctx, wanted);
		if (wanted && foreign !== undefined) say(ctx, foreign, "warning");
	};
	pi.on("session_start", (_event, ctx) => read(ctx));
	pi.on("session_tree", (_event, ctx) => read(ctx));
	return {
		get on() {
			return on;
		},
		decided: (ctx) => said(ctx) !== undefined,
		follow: read,
		async turn(ctx, wanted) {
			if (wanted === on) return true;
			await change(ctx, wanted);
			if (wanted && foreign !== undefined) {
				rejectCommand(ctx, foreign);
				return false;
			}
			pi.appendEntry(entryType, { on });
			return true;
		},
	};
}
