// `pi-chronicle serve`: the page of the runs of some projects, made on the server. Loaded by that command only.
import { notePage } from "../../local/index.ts";
import type { Redact } from "../../safety/index.ts";
import { Access } from "./access.ts";
import { type AppBindings, openApp } from "./app.ts";
import { listen } from "./listen.ts";
import { addressesOf, isLoopback, servedOrigins } from "./origin.ts";
import { withPatience } from "./patient-store.ts";
import { runAddress, type ShownProject } from "./runs-page.ts";
import type { OwnSupervisors } from "./supervise.ts";

export { isLoopback } from "./origin.ts";
export type { ShownProject } from "./runs-page.ts";
export { noSupervisors, openSupervisors } from "./supervise.ts";

export interface ServeOptions {
	readonly projects: readonly ShownProject[];
	readonly host: string;
	readonly port: number;
	/** Origins of proxies in front of it. */
	readonly proxies: readonly string[];
	readonly readOnly: boolean;
	readonly supervisors: OwnSupervisors;
	readonly redact: Redact;
	/** Precedes the commands in texts. */
	readonly prefix: string;
}

export interface PageServer {
	/** Addresses that open the page once, best first. `name`: of the device, which its answers are recorded with. */
	links(name: string): readonly string[];
	close(): Promise<void>;
}

/** Serves the page. Throws the system's error if it cannot listen. */
export async function servePage(options: ServeOptions): Promise<PageServer> {
	const { host, proxies, supervisors } = options;
	const access = new Access();
	const server = await listen(host, options.port, (port) => {
		const origins = servedOrigins(host, port, proxies);
		const projects = options.projects.map((one) => ({ ...one, project: withPatience(one.project) }));
		const app = openApp({ ...options, projects, access, origins, cookie: `pi-chronicle-${port}` });
		return (request, env) => app.fetch(request, env as AppBindings);
	});
	const origins = openOrigins(host, server.port, proxies);
	const forgets = await Promise.all(
		options.projects.map(({ key, project }) =>
			// A project that cannot be written to has a page all the same.
			notePage(project.sessions, `${origins[0]}${runAddress(key, "").replace(/\/$/, "")}`).catch(() => () => {}),
		),
	);
	return {
		links(name) {
			const link = access.newLink(name);
			return origins.map((origin) => `${origin}/open/${link}`);
		},
		async close() {
			for (const forget of forgets) forget();
			await server.close();
			await supervisors.close();
		},
	};
}

/** The origins that open the page, best first. */
function openOrigins(host: string, port: number, proxies: readonly string[]): readonly string[] {
	const reachable = addressesOf(host).filter((address) => isLoopback(host) || !isLoopback(address));
	const named = reachable.map((address) => `http://${address.includes(":") ? `[${address}]` : address}:${port}`);
	return [...proxies, ...(isLoopback(host) ? named.slice(0, 1) : named)];
}
