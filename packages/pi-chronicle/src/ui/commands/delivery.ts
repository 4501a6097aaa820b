// The delivery of a command to a run that another process supervises: posting it, waiting until it is read, and the result. On an engine, conflicts
// are resolved by hand in a copy of the files on the user's machine.
import { setTimeout as sleep } from "node:timers/promises";
import type { Run, UserEvent } from "@pi-chronicle/core/machine";
import type {
	Approval,
	Approver,
	Failure,
	LeaseHolder,
	Post,
	ReadLedger,
	Result,
	StoreFailure,
} from "@pi-chronicle/core/ports";
import type { EngineLink, Project, SupervisedRun } from "../../local/index.ts";
import type { RunCommand } from "./run-command.ts";

export type DispatchResult =
	/** This process supervises the run now. `child`: the child that the command was about, as it was before. */
	| { readonly kind: "attended"; readonly live: SupervisedRun; readonly before: Run; readonly child?: Run }
	/** Delivered to the supervision in this process. */
	| { readonly kind: "said" }
	/** The question was shown, and the user postponed the answer. */
	| { readonly kind: "postponed" }
	/** Recorded; no process supervises the run. */
	| { readonly kind: "recorded"; readonly run: Run }
	/** Read by the supervisor in another process. */
	| { readonly kind: "taken"; readonly holder?: LeaseHolder }
	/** In the inbox of the supervisor in another process, or of the engine, and not read yet. */
	| { readonly kind: "left"; readonly holder?: LeaseHolder }
	| { readonly kind: "refused"; readonly message: string }
	| { readonly kind: "failed"; readonly failure: Failure };

/** Other processes that supervise runs, for one that supervises none and only posts commands. */
export interface Supervisors {
	/** Has a process continue the run, which none supervises; `false`: nothing continues it now. */
	carryOn(project: Project, id: string): Promise<boolean>;
}

export interface DispatchOptions {
	readonly approver: Approver;
	/** The supervision of the run, if this process has it. */
	readonly live?: SupervisedRun | undefined;
	readonly notice: (text: string) => void;
	/** Whether a run without a supervisor continues after the command, or only records it. */
	readonly afterwards: "continue" | "release";
	/** Set if this process supervises no run. */
	readonly supervisors?: Supervisors | undefined;
	/** Withdraws a question that is shown here. */
	readonly signal?: AbortSignal;
}

/** Posts the events in order. After a failure, the later ones are not posted. */
export async function postAll(
	{ store }: Pick<Project, "store">,
	id: string,
	events: readonly UserEvent[],
): Promise<Result<readonly Post[], StoreFailure>> {
	const posts: Post[] = [];
	for (const event of events) {
		const posted = await store.post(id, event);
		if (!posted.ok) return posted;
		posts.push(posted.value);
	}
	return { ok: true, value: posts };
}

interface ReadingOptions {
	/** Milliseconds to wait at most, and between two looks. */
	readonly ms: number;
	readonly pollMs: number;
	/** Whether no process reads the posts anymore. */
	readonly isLeft?: () => Promise<boolean>;
}

/** Waits until all posts are read or one is refused; `left`: nobody reads them anymore; `undefined`: not read in time. */
export async function waitForReading(
	posts: readonly Post[],
	{ ms, pollMs, isLeft }: ReadingOptions,
): Promise<"taken" | "left" | { readonly kind: "refused"; readonly message: string } | undefined> {
	for (const until = performance.now() + ms; performance.now() < until; await sleep(pollMs)) {
		const states = await Promise.all(posts.map((post) => post.state()));
		const refused = states.find((state) => state.kind === "refused");
		if (refused) return { kind: "refused", message: refused.reason };
		if (states.every(({ kind }) => kind === "taken")) return "taken";
		if (await isLeft?.()) return "left";
	}
	return undefined;
}

type ByHand = { readonly kind: string; readonly choice?: string; readonly resolved?: string };

function isByHand({ kind, choice, resolved }: ByHand): boolean {
	return kind === "approved" && choice === "hand" && resolved === undefined;
}

/** The command with the resolved files, or why it has to wait for them. Other commands stay as they are. */
export async function bringResolution(
	engine: EngineLink,
	ledger: ReadLedger,
	command: RunCommand,
): Promise<RunCommand> {
	const answers: readonly (Approval | UserEvent)[] =
		command.kind === "answer" ? [command.approval] : command.kind === "events" ? command.events : [];
	if (!answers.some(isByHand)) return command;
	const found = await engine.resolveByHand(ledger);
	if (!found.ok) return { kind: "refused", message: `${found.failure.message} ${found.failure.remedy}` };
	const resolution = found.value;
	switch (resolution.kind) {
		case "opened":
			return {
				kind: "refused",
				message: `The conflicts are in ${resolution.path} on this machine. Resolve them there, then choose hand again.`,
			};
		case "unresolved":
			return {
				kind: "refused",
				message: `Still in conflict in ${resolution.path}: ${resolution.files.join(", ")}. Resolve them there, then choose hand again.`,
			};
		case "resolved": {
			const resolve = <Answer extends ByHand>(answer: Answer): Answer =>
				isByHand(answer) ? { ...answer, resolved: resolution.tree } : answer;
			if (command.kind === "answer") return { ...command, approval: resolve(command.approval) };
			return command.kind === "events" ? { ...command, events: command.events.map(resolve) } : command;
		}
	}
}
