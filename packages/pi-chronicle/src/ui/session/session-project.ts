// Opens the project of a pi session.
import { homedir } from "node:os";
import { type ExtensionContext, getAgentDir } from "@earendil-works/pi-coding-agent";
import { engineSetting, openProject, type Project } from "../../local/index.ts";
import { definitionsTrusted, findPi, isPiCommand, listedModel, markDefault, ownPiSearch } from "../../pi/index.ts";

export interface Whereabouts {
	readonly cwd: string;
	readonly trusted: boolean;
}

/** Opens the project of a session. Models come from pi's own list, so no pi process is started for them. */
export function projectOf(ctx: ExtensionContext): Project {
	const { modelRegistry, model } = ctx;
	const pi = findPi(ownPiSearch());
	return openProject({
		...placeOf({ cwd: ctx.cwd, trusted: definitionsTrusted(ctx) }),
		pi: isPiCommand(pi) ? pi : { command: process.execPath, args: [], version: undefined },
		models: async () =>
			markDefault(
				modelRegistry.getAvailable().flatMap((model) => listedModel(model) ?? []),
				model,
			),
	});
}

/**
 * Precedes every command that a session prints about runs of `project`. It names an engine that the line named; where another one is configured,
 * commands about runs of this machine say so.
 */
export function commandPrefix({ engine, place }: Pick<Project, "engine" | "place">): string {
	const args = engine ? engine.args : engineSetting({}, place) ? ["--engine", "none"] : [];
	return ["/chronicle", ...args, ""].join(" ");
}

/** Opens a project read-only: nothing can be started with it. */
export function lookAt(where: Whereabouts): Project {
	return openProject({ ...placeOf(where), pi: { command: process.execPath, args: [], version: undefined } });
}

function placeOf({ cwd, trusted }: Whereabouts) {
	const trust: "trusted" | "untrusted" = trusted ? "trusted" : "untrusted";
	return { cwd, home: homedir(), agentFolder: getAgentDir(), trust, env: process.env };
}
