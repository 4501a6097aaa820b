// A shell command rewritten so that it runs where the file system cannot be changed, temporary folders aside.
// W1 the command's own text is handed over whole, as one word; W2 output, exit code, standard input and signals are those of the command.
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
	// The shell that pi has chosen runs the command inside as well; `exec` leaves no shell between pi and the sandbox.
	return `exec ${words.join(" ")} "\${BASH:-/bin/sh}" -c ${quote(command)}`;
}

function quote(word: string): string {
	return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
