// Runs a worker's shell commands in the machine's sandbox, so that the kernel enforces limits that the guard can only judge by text.
// Invariants: everything is readable; only the working folder, temporary folders and caches are writable; `.pi` in the working folder is not;
// other caches are led to a temporary folder.
// Network and processes are not confined.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { HostEnvironment } from "../../footprint/index.ts";
import type { CopiedProject } from "../copied-project.ts";
import { type TemporaryPlaces, temporaryPlaces, writableFolder } from "../places.ts";
import type { Policy } from "../policy/index.ts";
import { cacheOptions } from "./caches.ts";
import type { SandboxProbe } from "./probe.ts";
import { wrapCommand } from "./wrap.ts";

type SandboxHost = Parameters<typeof temporaryPlaces>[0] & Pick<HostEnvironment, "env">;

/** Confines the shell tool; `probe` is the form of sandbox that works on this machine, `copy` the copy of the project that the agent works in. */
export function sandboxPolicy(probe: NonNullable<SandboxProbe>, host: SandboxHost, copy?: CopiedProject): Policy {
	const temporary: TemporaryPlaces = temporaryPlaces(host);
	const { folders } = temporary;
	const { cwd, home, realpath } = host;
	const both = (path: string): string[] => [...new Set([path, realpath(path) ?? path])];
	const caches = [".cache", ".npm"].map((name) => join(home, name)).filter((path) => existsSync(path));
	const closed = copy ? [copy.project, ...copy.closed].filter((folder) => folder !== copy.root) : [];
	// The order matters: the working folder may be in the home directory, and both in a temporary folder.
	const options = [
		...probe.options,
		...folders.flatMap((path) => ["--bind-try", path, path]),
		...both(home).flatMap((path) => ["--ro-bind-try", path, path]),
		...caches.flatMap((path) => ["--bind-try", path, path]),
		...closed.flatMap((path) => ["--ro-bind-try", path, path]),
	];
	const writable = both(copy?.root ?? cwd);
	let moved: readonly string[] | undefined;
	const readonly = [...new Set([...writable, ...both(cwd)])].map((path) => join(path, ".pi"));
	return {
		name: "sandbox",
		ignores: ({ tool }) => tool !== "bash",
		judge: () => undefined,
		amend({ tool, input }) {
			if (tool !== "bash" || typeof input.command !== "string") return undefined;
			moved ??= cacheOptions({ ...host, temporary: writableFolder(temporary), writable: [...caches, ...writable] });
			return {
				command: wrapCommand(input.command, { ...probe, options: [...options, ...moved] }, { writable, readonly }),
			};
		},
	};
}
