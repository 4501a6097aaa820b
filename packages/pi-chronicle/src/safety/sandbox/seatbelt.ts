// The profile of macOS's sandbox for a layout. Later rules of a profile win, so those of a path follow those of the folders above it.
import { join } from "node:path";
import type { BoxLayout, BoxRule } from "./layout.ts";
import type { OwnHome } from "./own-home.ts";

export interface SeatbeltParts {
	readonly layout: BoxLayout;
	readonly home: OwnHome;
	/** A number: only this port of the loopback, where the proxy listens. */
	readonly network: "open" | "off" | number;
}

/** Services that a build needs; all others, such as the keychain's and the clipboard's, are refused. */
const services = [
	...["com.apple.system.opendirectoryd.libinfo", "com.apple.system.notification_center", "com.apple.logd"],
	...[
		"com.apple.diagnosticd",
		"com.apple.SystemConfiguration.configd",
		"com.apple.SystemConfiguration.DNSConfiguration",
	],
	...["com.apple.trustd.agent", "com.apple.FSEvents", "com.apple.dnssd.service"],
];

/** The text of the profile. */
export function seatbeltProfile({ layout, home, network }: SeatbeltParts): string {
	const fixed = layout.rules.filter(({ access }) => access === "write").map(({ path }) => path);
	return [
		"(version 1)",
		"(deny default)",
		"(allow process-exec process-fork process-info*)",
		"(allow signal (target same-sandbox))",
		"(allow sysctl-read)",
		"(allow pseudo-tty)",
		"(allow ipc-posix-shm* ipc-posix-sem*)",
		"(allow file-read*)",
		'(allow file-write* file-ioctl (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (regex #"^/dev/ttys"))',
		...layout.rules.flatMap(ruleLines),
		`(allow file-read* file-write* (subpath ${quoteString(home.folder)}))`,
		...layout.absent.map((path) => `(deny file-write* (subpath ${quoteString(path)}))`),
		// A folder that holds something protected cannot be moved away.
		...fixed.map((path) => `(deny file-write-unlink (literal ${quoteString(path)}))`),
		...networkLines(network),
		`(allow mach-lookup ${services.map((name) => `(global-name ${quoteString(name)})`).join(" ")})`,
		"",
	].join("\n");
}

function ruleLines({ path, access }: BoxRule): string[] {
	const place = `(subpath ${quoteString(path)})`;
	switch (access) {
		case "write":
			return [`(allow file-read* file-write* ${place})`];
		case "read":
			return [`(deny file-write* ${place})`, `(allow file-read* ${place})`];
		case "hide":
			return [`(deny file-read* file-write* ${place})`];
		case "home":
			// Programs look for what leads to a folder that they may read.
			return [`(deny file-read* file-write* ${place})`, `(allow file-read-metadata ${place})`];
	}
}

function networkLines(network: SeatbeltParts["network"]): string[] {
	if (network === "open")
		return [
			'(allow network-outbound (remote ip "*:*"))',
			'(allow network-inbound network-bind (local ip "*:*"))',
			'(allow network-outbound (literal "/private/var/run/mDNSResponder"))',
		];
	const port = network === "off" ? "*" : String(network);
	return [
		`(allow network-outbound (remote ip "localhost:${port}"))`,
		'(allow network-inbound network-bind (local ip "localhost:*"))',
	];
}

/** Variables for a home directory that cannot be replaced: programs are told the sandbox's own, and where the user's toolchains are. */
export function seatbeltVariables(home: OwnHome, user: string): Readonly<Record<string, string>> {
	return { HOME: home.folder, RUSTUP_HOME: join(user, ".rustup"), PYENV_ROOT: join(user, ".pyenv") };
}

/** A string of the profile's language. */
function quoteString(text: string): string {
	return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
