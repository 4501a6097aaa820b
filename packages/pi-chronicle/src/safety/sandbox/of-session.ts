// Opens the sandbox of a session or a worker: the places that it needs beside the project, and how the user is asked about hosts.
import { tmpdir } from "node:os";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { SandboxChoice } from "@pi-chronicle/core/definition";
import { askUser, hostEnvironment } from "../../pi/index.ts";
import { type Confinement, type ConfinementOptions, openConfinement } from "./confinement.ts";
import { repositoryAbove } from "./git-rules.ts";
import { rememberedHosts } from "./hosts.ts";
import { makeBoxFolder } from "./private-folder.ts";
import { agentReadable } from "./readable.ts";

export interface SessionBoxOptions {
	readonly cwd: string;
	/** pi's agent folder. */
	readonly agentDir: string;
	readonly probe: ConfinementOptions["probe"];
	readonly choice: SandboxChoice | undefined;
	/** The closed paths below a folder. */
	readonly closed: (root: string) => Promise<readonly string[]>;
	/** The context in which the user can be asked. */
	readonly ctx: () => Partial<ExtensionContext> | undefined;
}

/** Opens the sandbox of a user's session: it may write the repository that the session is in. */
export async function openBoxOfSession(options: SessionBoxOptions): Promise<Confinement> {
	const { cwd, agentDir, probe, choice, closed, ctx } = options;
	const host = hostEnvironment(cwd);
	const root = repositoryAbove(cwd, host) ?? cwd;
	const folder = makeBoxFolder(tmpdir());
	return openConfinement({
		...{ host, root, folder, probe, network: choice?.network, write: choice?.write },
		read: agentReadable(host.home, agentDir),
		closed: () => closed(root),
		askHost: askAboutHost(root, agentDir, async (question) => {
			const asked = ctx();
			return asked?.ui ? askUser(asked as ExtensionContext, question) : "nobody";
		}),
	});
}

/** Asks the user about a host, once; the answers are remembered for the project. */
export function askAboutHost(
	project: string,
	agentDir: string,
	ask: (question: { title: string; message: string; uncalled: true }) => Promise<"yes" | "no" | "nobody">,
): (host: string) => Promise<boolean> {
	const remembered = rememberedHosts(agentDir, project);
	const asked = new Map<string, Promise<boolean>>();
	return (host) => {
		if (remembered.has(host)) return Promise.resolve(true);
		const known = asked.get(host);
		if (known) return known;
		const title = `Let commands reach ${host}?`;
		const message = `A command in the sandbox wants to reach ${host}, which is not in its list of hosts.\n\nYes: it may, in this project from now on. No: it may not.`;
		const answer = ask({ title, message, uncalled: true }).then((word) => {
			if (word === "yes") remembered.add(host);
			// Nobody has decided: the next command asks again.
			if (word === "nobody") asked.delete(host);
			return word === "yes";
		});
		asked.set(host, answer);
		return answer;
	};
}
