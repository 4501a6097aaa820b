// Contains the shell commands of a worker. Loaded only by workers that have a sandbox.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { hostEnvironment } from "../../../pi/index.ts";
import {
	askAboutHost,
	boxFolder,
	type Confinement,
	openConfinement,
	type Policy,
	sandboxPolicy,
	unchangedNeed,
} from "../../../safety/index.ts";
import type { WorkerBox, WorkerBrief } from "../brief.ts";
import { askThroughHost } from "./register.ts";

interface WorkerPlace {
	readonly cwd: string;
	readonly agentDir: string;
	/** The paths that rules close. */
	readonly closed: (root: string) => Promise<readonly string[]>;
}

/** The sandbox of a worker, and the policy that puts its commands there. */
export function containWorker(
	{ copy, unchanged }: Pick<WorkerBrief, "copy" | "unchanged">,
	{ probe, root, folder, network, write, read }: WorkerBox,
	{ cwd, agentDir, closed }: WorkerPlace,
	ctx: ExtensionContext,
): { readonly box: Confinement; readonly policy: Policy } {
	const project = copy?.project ?? root;
	const box = openConfinement({
		...{ host: hostEnvironment(cwd), root, copy, probe, network, write, read },
		folder: boxFolder(folder),
		closed: () => closed(root),
		askHost: askAboutHost(project, agentDir, (question) => askThroughHost(ctx, question)),
	});
	box.prepare();
	const policy = unchanged
		? sandboxPolicy(box, "ignored", unchangedNeed)
		: sandboxPolicy(box, "project", () => ({ scope: "project", network: "open" }));
	return { box, policy };
}
