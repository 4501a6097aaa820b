// The names and origins that the page answers to. A request for any other is refused: a name that an attacker's DNS points here (rebinding), or a
// form on another site. Pure.
import { networkInterfaces } from "node:os";

export interface ServedOrigins {
	/** Values of the header Host, such as `127.0.0.1:7878`. */
	readonly hosts: ReadonlySet<string>;
	/** Values of the header Origin, such as `http://127.0.0.1:7878`. */
	readonly origins: ReadonlySet<string>;
}

export function isLoopback(host: string): boolean {
	return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** The addresses that `host` listens on: all of this machine for `0.0.0.0` and `::`. */
export function addressesOf(host: string, interfaces = networkInterfaces()): readonly string[] {
	if (isLoopback(host)) return [...new Set([host, "127.0.0.1", "localhost"])];
	if (host !== "0.0.0.0" && host !== "::") return [host];
	const found = Object.values(interfaces).flatMap((all = []) => all.map(({ address }) => address));
	return [...new Set([...found.filter((address) => !isLoopback(address)), "127.0.0.1", "localhost"])];
}

/** `proxies`: origins of proxies in front of the server, such as `https://desk.example.net`. */
export function servedOrigins(host: string, port: number, proxies: readonly string[]): ServedOrigins {
	const named = addressesOf(host).map((address) =>
		address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`,
	);
	return {
		hosts: new Set([...named, ...proxies.map((origin) => new URL(origin).host)]),
		origins: new Set([...named.map((name) => `http://${name}`), ...proxies]),
	};
}

/** Why a request is refused; `undefined`: it is for this page, and one that changes something comes from it. */
export function refuseOrigin(
	served: ServedOrigins,
	{ method, host, origin, site }: { method: string; host?: string; origin?: string; site?: string },
): string | undefined {
	if (host === undefined || !served.hosts.has(host.toLowerCase())) return "This server does not answer to that name.";
	if (origin !== undefined && !served.origins.has(origin)) return "The request comes from another site.";
	if (method === "GET") return undefined;
	if (origin === undefined && site !== "same-origin") return "The request does not say which site it comes from.";
	return undefined;
}
