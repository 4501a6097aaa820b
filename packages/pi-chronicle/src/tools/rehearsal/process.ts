// Runs the processes of a rehearsal one at a time. A process gets no input; it exits on its own or when the rehearsal is stopped.
import { setTimeout as sleep } from "node:timers/promises";
import { ByteTail, type Child, type ChildExit, startChild } from "../../process/index.ts";
import type { ProjectCopy } from "./project-copy.ts";
import type { VisitTracker } from "./visits.ts";

export interface ProcessSpec {
	/** Absolute path of the program. */
	readonly command: string;
	readonly args: readonly string[];
}

export interface ProcessEnd {
	readonly exit: ChildExit;
	/** The end of its stdout. */
	readonly output: string;
	readonly errors: string;
}

const pollMs = 50;
/** Bytes of output that are kept: far more than a result has. */
const outputBytes = 32 * 1024 * 1024;

/** Runs one process in the copy while `tracker` follows the journal; resolves when it has ended, however it ended. */
export async function runProcess(
	spec: ProcessSpec,
	copy: ProjectCopy,
	tracker: VisitTracker,
	signal?: AbortSignal,
): Promise<ProcessEnd> {
	const child = startChild({ ...spec, cwd: copy.project, env: copy.env });
	child.endInput();
	const output = new ByteTail(outputBytes);
	child.onOutput((chunk) => output.add(chunk));
	const stop = () => void child.stop();
	signal?.addEventListener("abort", stop, { once: true });
	if (signal?.aborted) stop();
	try {
		const exit = await pollUntilExit(child, tracker);
		return { exit, output: output.text(), errors: child.stderr() };
	} finally {
		signal?.removeEventListener("abort", stop);
	}
}

async function pollUntilExit(child: Child, tracker: VisitTracker): Promise<ChildExit> {
	let exit: ChildExit | undefined;
	void child.exited.then((ended) => {
		exit = ended;
	});
	while (exit === undefined) {
		tracker.poll();
		await Promise.race([sleep(pollMs), child.exited]);
	}
	tracker.poll();
	return exit;
}
