// The command line of bwrap for a layout.
// Invariants: the command's text is passed unchanged, as one word; output, exit code, standard input and signals are those of the command.
import type { HostEnvironment } from "@pi-chronicle/footprint";
import type { BoxLayout, BoxRule } from "./layout.ts";
import type { OwnHome } from "./own-home.ts";
import type { SandboxProbe } from "./probe.ts";

export interface BwrapParts {
	readonly probe: Extract<SandboxProbe, { kind: "bwrap" }>;
	readonly layout: BoxLayout;
	readonly home: OwnHome;
	/** An empty folder that nobody can write. */
	readonly empty: string;
	/** Tells whether a hidden path is a folder. */
	readonly host: Pick<HostEnvironment, "kind">;
	/** Variables to set; an empty one is unset. */
	readonly variables: Readonly<Record<string, string>>;
	/** Whether the network of this machine is reached. */
	readonly network: boolean;
}

/** Variables that lead to services outside. */
export const outerVariables: readonly string[] = [
	...["SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY"],
	...[
		"XAUTHORITY",
		"XDG_RUNTIME_DIR",
		"DOCKER_HOST",
		"TMUX",
		"STY",
		"VSCODE_IPC_HOOK_CLI",
		"VSCODE_GIT_IPC_HANDLE",
		"ICEAUTHORITY",
	],
	...["PULSE_SERVER", "KUBECONFIG", "GIT_ASKPASS", "SSH_ASKPASS"],
];

/** The words of the command line, without the command. */
export function bwrapWords({ probe, layout, home, empty, host, variables, network }: BwrapParts): string[] {
	const mount = ({ path, access }: BoxRule): string[] => {
		switch (access) {
			case "write":
				return ["--bind-try", path, path];
			case "read":
				return ["--ro-bind-try", path, path];
			case "home":
				return [
					...["--bind", home.folder, path],
					...home.stores.flatMap((name) => ["--bind", `${home.folder}/${name}`, `${path}/${name}`]),
				];
			case "hide":
				// To hide what is gone by now, it would be made on this machine.
				if (host.kind(path) === undefined) return [];
				return host.kind(path) === "directory" ? ["--tmpfs", path] : ["--ro-bind-try", "/dev/null", path];
		}
	};
	const homes = layout.rules.filter(({ access }) => access === "home");
	const shown = homes.length > 0 ? Object.entries(home.shown) : [];
	const changed = { ...Object.fromEntries(outerVariables.map((name) => [name, ""])), ...variables };
	return [
		probe.bwrap,
		...probe.options,
		...(network ? [] : ["--unshare-net"]),
		...layout.rules.flatMap(mount),
		...shown.flatMap(([place, folder]) => ["--ro-bind-try", folder, place]),
		...Object.entries(changed).flatMap(([name, value]) =>
			value === "" ? ["--unsetenv", name] : ["--setenv", name, value],
		),
		...layout.absentFolders.flatMap((path) => ["--ro-bind", empty, path]),
		// After the places to mount on have been made in it.
		...homes.flatMap(({ path }) => ["--remount-ro", path]),
	];
}

/** Command text that starts `words` with a shell that runs `command`: the one that pi chose. */
export function shellText(words: readonly string[], command: string): string {
	// `exec` leaves no shell between pi and the sandbox.
	const shell = '"${BASH:-/bin/sh}"';
	return `exec ${words.map(quote).join(" ")} ${shell} -c ${quote(command)}`;
}

function quote(word: string): string {
	return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
