// Decides whether and how a worker's shell commands are contained: by the user's settings, the template, and what works on this machine.
import { dirname } from "node:path";
import type { SandboxChoice } from "@pi-chronicle/core/definition";
import type { Containment, LaunchOrder } from "@pi-chronicle/core/ports";
import type { StatePlan } from "@pi-chronicle/core/template";
import { hostEnvironment } from "../../pi/index.ts";
import { agentReadable, repositoryAbove, type SandboxProbe } from "../../safety/index.ts";
import type { WorkerBox } from "./brief.ts";
import type { WorkerSpec } from "./worker-spec.ts";

export interface BoxOptions {
	/** As the user's settings say. Default: where one works. */
	readonly sandbox?: SandboxChoice | undefined;
	/** The sandbox that works on this machine; `undefined` if none does. */
	readonly probe?: () => Promise<SandboxProbe>;
	/** pi's agent folder. */
	readonly agentFolder?: string;
}

/** Why a worker that must be contained cannot start. */
const MISSING =
	"no sandbox (bwrap) works on this machine, and the run asks for one (`sandbox: required`). Install bubblewrap, or change the template or the settings.";

/** The sandbox of a worker; `off`: its commands are not contained. `missing`: it must not start; a sentence. */
export async function chooseBox(
	order: Pick<LaunchOrder, "state" | "cwd" | "copy" | "files" | "folder">,
	{ skills }: Pick<WorkerSpec, "skills">,
	{ sandbox, probe, agentFolder = "" }: BoxOptions,
): Promise<WorkerBox | "off" | { readonly missing: string }> {
	const { use, network, write } = mergeChoices(order.state.sandbox, sandbox);
	if (use === "off") return "off";
	const found = await probe?.();
	if (!found) return use === "required" ? { missing: MISSING } : "off";
	const { home } = hostEnvironment(order.cwd);
	const above = order.files === "repository" ? repositoryAbove(order.cwd, hostEnvironment(order.cwd)) : undefined;
	return {
		probe: found,
		root: order.copy?.root ?? above ?? order.cwd,
		folder: order.folder,
		network,
		write,
		read: [...agentReadable(home, agentFolder), order.folder, ...skills.map((path) => dirname(path))],
	};
}

/** How the shell commands of `states`, those of workers and those that are states, are contained, for people; `undefined`: there are none. */
export async function describeContainment(
	states: readonly StatePlan[],
	{ sandbox, probe }: BoxOptions,
): Promise<Containment | undefined> {
	const working = states.filter(({ persona, command }) => persona ?? command);
	if (working.length === 0) return undefined;
	const off = working.filter((state) => mergeChoices(state.sandbox, sandbox).use === "off").map(({ name }) => name);
	const found = off.length === working.length ? undefined : await probe?.();
	if (found) {
		const except = off.length === 0 ? "" : `, except in ${off.join(", ")}`;
		return { contained: true, line: `Shell commands run in a sandbox (${found.kind})${except}.` };
	}
	const why =
		off.length === working.length
			? "The sandbox is off"
			: "No sandbox works on this machine (`pi-chronicle doctor` says why)";
	return { contained: false, line: `${why}: shell commands are judged by their text alone.` };
}

/** The template's choice and the user's: a sandbox that one of them requires is required. */
export function mergeChoices(template: StatePlan["sandbox"], user: SandboxChoice | undefined): SandboxChoice {
	const isRequired = template?.use === "required" || user?.use === "required";
	const use = isRequired
		? "required"
		: template && template.use !== "default"
			? template.use
			: (user?.use ?? "default");
	const network = template?.network ?? user?.network;
	const write = [...(user?.write ?? []), ...(template?.write ?? [])];
	return { use, network, ...(write.length === 0 ? {} : { write }) };
}
