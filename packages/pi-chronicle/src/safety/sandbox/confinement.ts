// Contains the shell commands of one session or worker.
// Each command gets a sandbox of its own; what it stores in its home directory stays for the next ones; a program that a command leaves
// running stays in that command's sandbox; killing the first process of the sandbox kills it.
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { SandboxNetwork } from "@pi-chronicle/core/definition";
import { openOnce } from "../../pi/index.ts";
import type { Box, BoxNeed, BoxScope } from "../policy/index.ts";
import { AbsentPaths } from "./absent.ts";
import { bwrapWords, outerVariables, shellText } from "./bwrap.ts";
import { type IgnoredFolders, ignoredFoldersOf } from "./ignored-folders.ts";
import { type BoxLayout, type BoxPlaces, layoutOf } from "./layout.ts";
import { type OwnHome, openOwnHome, usesNoCache } from "./own-home.ts";
import { makeBoxFolder } from "./private-folder.ts";
import type { SandboxProbe } from "./probe.ts";
import { namesHost, openProxy } from "./proxy.ts";
import { RELAY_PORT, relayScript } from "./relay.ts";
import { seatbeltProfile, seatbeltVariables } from "./seatbelt.ts";

export interface ConfinementOptions extends Omit<BoxPlaces, "closed" | "ignored"> {
	readonly probe: NonNullable<SandboxProbe>;
	/** Private folder of the run: the sandbox's home directory and what it was not allowed to keep. Created if needed. */
	readonly folder: string;
	/** As the user has chosen it. */
	readonly network?: SandboxNetwork | undefined;
	/** Paths that nobody may read; asked for each command. */
	readonly closed?: () => Promise<readonly string[]>;
	/** Asks the user about a host; the answer yes is remembered. Default: refused. */
	readonly askHost?: (host: string) => Promise<boolean>;
}

export interface Confinement extends Box {
	/** What the rules say about paths, for tools that work outside the sandbox. */
	layout(scope: BoxScope): BoxLayout;
	/** Begins what the first command needs, so that it does not wait. */
	prepare(): void;
	/** One sentence for people. */
	describe(need: BoxNeed): string;
}

/** Opens the confinement of a session or worker; it creates nothing before the first command. */
export function openConfinement(options: ConfinementOptions): Confinement {
	const { host, folder, probe, closed } = options;
	const absent = new AbsentPaths(host, folder);
	const refused = new Set<string>();
	const empty = join(folder, "empty");
	const openIgnored = ignoredFoldersOf(options.root);
	const openHome = openOnce(async (): Promise<OwnHome> => {
		mkdirSync(empty, { recursive: true });
		chmodSync(empty, 0o555);
		return openOwnHome(join(folder, "home"), host);
	});
	const proxy = openOnce(async () => {
		// The path of a socket has at most 107 bytes.
		const socket = probe.kind === "bwrap" ? { socket: join(makeBoxFolder("/tmp"), "proxy") } : {};
		const opened = await openProxy({ ...socket, allows: (name) => allows(options, refused, name) });
		process.once("exit", opened.close);
		return { ...socket, ...opened };
	});
	const layout = (scope: BoxScope) => layoutOf({ ...options, closed: [] }, scope, true);
	return {
		layout,
		prepare: () => void openHome().catch(() => undefined),
		describe: (need) => describeBox(layout(need.scope), networkOf(options, need)),
		async confine(command, need) {
			const network = networkOf(options, need);
			const ignored = need.scope === "ignored" ? await openIgnored() : undefined;
			const own = await openHome();
			if (!usesNoCache(command)) await own.filled;
			const places = { ...options, closed: (await closed?.()) ?? [], ignored: ignored?.folders ?? [] };
			const rules = layoutOf(places, need.scope, network === "open");
			const reached = typeof network === "string" ? undefined : await proxy();
			absent.begin(rules.absent);
			const wrapped =
				probe.kind === "bwrap"
					? inBwrap(command, { probe, layout: rules, home: own, empty, host, network, socket: reached?.socket })
					: inSeatbelt(
							command,
							probe.program,
							rules,
							own,
							reached?.port ?? (network === "open" ? "open" : "off"),
							host.home,
						);
			return { command: wrapped, ended: (failed) => endedText(rules, { network, failed, ignored, absent, refused }) };
		},
	};
}

function networkOf({ network }: ConfinementOptions, need: BoxNeed): SandboxNetwork {
	return network ?? need.network;
}

async function allows({ network, askHost }: ConfinementOptions, refused: Set<string>, host: string): Promise<boolean> {
	if (Array.isArray(network) && namesHost(network, host)) return true;
	if (await askHost?.(host)) return true;
	refused.add(host);
	return false;
}

function inBwrap(
	command: string,
	{
		network,
		socket,
		...parts
	}: Omit<Parameters<typeof bwrapWords>[0], "network" | "variables"> & {
		readonly network: SandboxNetwork;
		readonly socket: string | undefined;
	},
): string {
	const shown = "/run/pi-chronicle-proxy";
	const variables = { ...parts.home.variables, ...(socket === undefined ? {} : proxyVariables(RELAY_PORT)) };
	const words = bwrapWords({ ...parts, variables, network: network === "open" });
	if (socket === undefined) return shellText([...words, "--"], command);
	const relay = [process.execPath, "-e", relayScript, shown];
	return shellText([...words, "--ro-bind", socket, shown, "--", ...relay], command);
}

function inSeatbelt(
	command: string,
	program: string,
	layout: BoxLayout,
	home: OwnHome,
	network: "open" | "off" | number,
	user: string,
): string {
	const variables = {
		...Object.fromEntries(outerVariables.map((name) => [name, ""])),
		...home.variables,
		...seatbeltVariables(home, user),
		...(typeof network === "number" ? proxyVariables(network) : {}),
	};
	const all = Object.entries(variables);
	const unset = all.flatMap(([name, value]) => (value === "" ? ["-u", name] : []));
	const set = all.flatMap(([name, value]) => (value === "" ? [] : [`${name}=${value}`]));
	const profile = seatbeltProfile({ layout, home, network });
	return shellText(["/usr/bin/env", ...unset, ...set, program, "-p", profile], command);
}

/** The names of a proxy in the environment of programs. */
function proxyVariables(port: number): Readonly<Record<string, string>> {
	const url = `http://127.0.0.1:${port}`;
	const names = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
	const local = "localhost,127.0.0.1,::1";
	return {
		...Object.fromEntries(names.map((name) => [name, url])),
		no_proxy: local,
		NO_PROXY: local,
	};
}

interface Ended {
	readonly network: SandboxNetwork;
	readonly failed: boolean;
	readonly ignored: IgnoredFolders | undefined;
	readonly absent: AbsentPaths;
	/** Hosts that were refused and not yet named. */
	readonly refused: Set<string>;
}

function endedText(layout: BoxLayout, { network, failed, ignored, absent, refused }: Ended): string | undefined {
	const undone = absent.end();
	ignored?.close();
	const parts = [
		...(failed ? [describeBox(layout, network)] : []),
		...(undone.length > 0 ? [`It may not make ${undone.join(", ")}, so what it made there was taken away.`] : []),
		...(refused.size > 0
			? [`It may not reach ${[...refused].join(", ")}; \`sandbox: { network: [...] }\` names the hosts that it may.`]
			: []),
	];
	refused.clear();
	return parts.length === 0 ? undefined : `[${parts.join(" ")}]`;
}

const inWords = new Intl.ListFormat("en-GB");

function describeBox({ writable }: BoxLayout, network: SandboxNetwork): string {
	const reach =
		network === "open"
			? ""
			: network === "off"
				? ", and has no network"
				: `, and can reach only ${network.length === 0 ? "no host" : inWords.format(network)}`;
	return `This ran in a sandbox; it can write only to ${inWords.format(writable)}${reach}.`;
}
