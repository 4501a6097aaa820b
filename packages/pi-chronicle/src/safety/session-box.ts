// The sandbox of a user's session, for readonly mode, for phases that do not change the project, and for `/guard sandbox on`.
// Invariant: nothing is loaded or created before a policy asks for it.
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { chronicleSettings, openOnce } from "../pi/index.ts";
import type { Confinement } from "./sandbox/index.ts";

export interface SessionBox {
	/** The sandbox for commands in the folder of `ctx`; `undefined` if none works here, or the settings turn it off. */
	of(ctx: Pick<ExtensionContext, "cwd"> & Partial<ExtensionContext>): Promise<Confinement | undefined>;
	/** Whether one works. */
	works(): Promise<boolean>;
}

/** Opens the session's sandbox; `agentDir` is pi's agent folder. `closed`: paths that rules close. */
export function openSessionBox(
	pi: Pick<ExtensionAPI, "getSettings">,
	agentDir: string,
	closed: (root: string, cwd: string) => Promise<readonly string[]>,
): SessionBox {
	const boxes = new Map<string, Promise<Confinement | undefined>>();
	let asking: Partial<ExtensionContext> | undefined;
	const opened = openOnce(async () => {
		const { readSandboxChoice } = await import("@pi-chronicle/core/definition");
		const read = readSandboxChoice(chronicleSettings(pi).sandbox);
		const choice = "choice" in read ? read.choice : undefined;
		if (choice?.use === "off") return undefined;
		const { openBoxOfSession, probeSandbox } = await import("./sandbox/index.ts");
		const probe = await probeSandbox();
		return probe && { probe, choice, openBoxOfSession };
	});
	return {
		works: async () => (await opened()) !== undefined,
		of(ctx) {
			asking = ctx;
			const known = boxes.get(ctx.cwd);
			if (known) return known;
			const box = opened().then(async (parts) => {
				if (!parts) return undefined;
				const { probe, choice, openBoxOfSession } = parts;
				return openBoxOfSession({
					...{ cwd: ctx.cwd, agentDir, probe, choice },
					closed: (root) => closed(root, ctx.cwd),
					ctx: () => asking,
				});
			});
			boxes.set(ctx.cwd, box);
			return box;
		},
	};
}
