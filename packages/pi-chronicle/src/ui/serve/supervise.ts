// Continues runs in processes of their own, `pi-chronicle resume <run> --queued`, one at a time for each run: the page itself supervises none.
// They end with the page, which releases their runs.

import type { Project } from "../../local/index.ts";
import { type Child, startChild } from "../../process/index.ts";
import type { Supervisors } from "../commands/index.ts";

export interface OwnSupervisors extends Supervisors {
	/** Stops all of them; their runs are released. */
	close(): Promise<void>;
}

/** Nothing continues a run: the page is a window. */
export const noSupervisors: OwnSupervisors = { carryOn: async () => false, close: async () => {} };

/** Milliseconds for a process to release its run. */
const graceMs = 10_000;

/** `command`: starts this program. `argsOf`: the options that name the project. `report`: what ended unexpectedly. */
export function openSupervisors(
	command: readonly string[],
	argsOf: (project: Project) => readonly string[],
	report: (text: string) => void,
): OwnSupervisors {
	const live = new Map<string, { readonly child: Child; again: boolean }>();
	let closed = false;
	const start = (project: Project, id: string): void => {
		const [program = process.execPath, ...first] = command;
		const args = [...first, "resume", id, "--queued", "--json", ...argsOf(project)];
		const child = startChild({ command: program, args, cwd: project.place.cwd, env: process.env });
		child.endInput();
		const one = { child, again: false };
		live.set(id, one);
		void child.exited.then((exit) => {
			live.delete(id);
			// A run that waits ends its process with 3, 4 or 5.
			if (exit.kind !== "exited" || exit.code === 2)
				report(`The process that continued ${id.slice(0, 8)} ended: ${child.stderr().trim().split("\n").at(-1)}`);
			if (one.again && !closed) start(project, id);
		});
	};
	return {
		async carryOn(project, id) {
			const one = live.get(id);
			// It may have read its inbox for the last time.
			if (one) one.again = true;
			else start(project, id);
			return true;
		},
		async close() {
			closed = true;
			await Promise.all([...live.values()].map(({ child }) => child.stop(graceMs)));
		},
	};
}
