// Rewrites a shell command to run in the sandbox.
// Invariants: the command's text is passed unchanged, as one word; output, exit code, standard input and signals are those of the command.
import type { SandboxProbe } from "./probe.ts";

/** `writable`: absolute folders that stay writable; `readonly`: folders within them that do not. */
export function wrapCommand(
	command: string,
	{ bwrap, options }: NonNullable<SandboxProbe>,
	{ writable, readonly }: { readonly writable: readonly string[]; readonly readonly: readonly string[] },
): string {
	const words = [
		bwrap,
		...options,
		...writable.flatMap((folder) => ["--bind-try", folder, folder]),
		...readonly.flatMap((folder) => ["--ro-bind-try", folder, folder]),
		"--",
	].map(quote);
	// The shell that pi chose also runs the command inside; `exec` leaves no shell between pi and the sandbox.
	return `exec ${words.join(" ")} "\${BASH:-/bin/sh}" -c ${quote(command)}`;
}

function quote(word: string): string {
	return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
