// Actions on the command that does a state: running it, and stopping it.
// It starts only once `command_started` is on disk, so its outcome is in doubt only if it may have run; a command of an earlier supervisor is
// stopped before its end is recorded.

import { join } from "node:path";
import { type Action, launchKey, planOf } from "@pi-chronicle/core/machine";
import type { CommandReport } from "@pi-chronicle/core/ports";
import { within } from "../../process/index.ts";
import { redactSecrets } from "../../safety/index.ts";
import { type ExecutorContext, stopOrphansOf } from "./executor-context.ts";

type CommandAction = Extract<Action, { kind: "run_command" }>;
type End = Extract<Action, { kind: "end_command" }>;

/** Folder in that of a run with the output of its commands: `<visit>.<attempt>.<launch>.log`. */
export const OUTPUT_FOLDER = "commands";
const redactedLength = 2000;

/** The commands of one supervision. */
export class Commands {
	readonly #context: ExecutorContext;
	readonly #running = new Map<string, { readonly control: AbortController; readonly done: Promise<void> }>();
	#stopped = false;

	constructor(context: ExecutorContext) {
		this.#context = context;
	}

	/** Runs the command and resolves once its end is recorded. */
	async run(action: CommandAction): Promise<void> {
		const key = launchKey(action.launch);
		const control = new AbortController();
		const done = this.#run(action, control.signal).finally(() => this.#running.delete(key));
		this.#running.set(key, { control, done });
		await done;
	}

	async #run({ launch, activeMs }: CommandAction, signal: AbortSignal): Promise<void> {
		const { record, run, workspace, runStateCommand, crashAt, folder } = this.#context;
		const state = planOf(run());
		const { command: plan } = state;
		if (!plan) return;
		const finish = async (outcome: CommandReport): Promise<void> => {
			crashAt("command is over");
			// The next supervisor finds it lost.
			if (!this.#stopped) await record({ kind: "command_ended", ...launch, ...outcome });
		};
		const unstarted = (detail: string): Promise<void> =>
			finish({ result: { kind: "unstarted", detail }, ms: 0, bytes: 0 });
		const {
			cleanupApproval,
			cleanupHash,
			plan: { files },
			template,
			states,
			parent,
		} = run();
		const opened = await workspace.open();
		if (!opened.ok) return unstarted(opened.failure.message);
		const file = join(folder, OUTPUT_FOLDER, `${launchKey(launch)}.log`);
		const shown = (line: string): string => redactSecrets(line).slice(0, redactedLength);
		const outcome = await runStateCommand(
			{
				...{ state, line: plan.line, cwd: opened.value.cwd, file, folder },
				approval: cleanupApproval === cleanupHash ? cleanupHash : null,
				...{ visits: states[state.name]?.visits ?? 1, attempt: launch.attempt },
				names: parent ? [parent.name, template.name] : [],
				timeoutMs: Math.max(1, Math.min(plan.timeoutMs, activeMs ?? plan.timeoutMs)),
				files,
				starts: async (line) =>
					!signal.aborted &&
					(await record({ kind: "command_started", ...launch, command: shown(line), file })) === undefined,
			},
			signal,
		);
		// What it left running must not run into cleanup; otherwise the measurement of the files stops it.
		if (!this.#stopped && state.cleanup.length > 0) await stopOrphansOf(this.#context, launch.visit);
		const { command = plan.line, ...rest } = outcome;
		await finish(command === plan.line ? rest : { ...rest, command: shown(command) });
	}

	/** Stops the command of the run's current shutdown; one that runs nowhere here is recorded as lost. */
	async end({ launch, how }: End): Promise<void> {
		const { record, run } = this.#context;
		const own = this.#running.get(launchKey(launch));
		if (own) {
			if (how === "boundary") await within(run().plan.limits.pauseMs, own.done);
			own.control.abort();
			await own.done;
			return;
		}
		await stopOrphansOf(this.#context, launch.visit);
		await record({ kind: "command_ended", ...launch, result: { kind: "lost" }, ms: 0, bytes: 0 });
	}

	/** Stops every command at once, and waits until it has ended. Their ends are not recorded: the next supervisor finds them lost. */
	async stopAll(): Promise<void> {
		this.#stopped = true;
		const all = [...this.#running.values()];
		for (const { control } of all) control.abort();
		await Promise.all(all.map(({ done }) => done));
	}
}
