// CPU time of work, independent of the load of the machine.

/** Milliseconds of CPU that this process uses for `work`. For work that waits for nothing. */
export async function cpuMs(work: () => unknown): Promise<number> {
	const before = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}
