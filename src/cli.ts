// The command `pi-chronicle`.

/** Runs the command line `args` (without node and script) and resolves to the exit code. */
export async function main(_args: readonly string[]): Promise<number> {
	return 2;
}
