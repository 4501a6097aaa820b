// The delivery of a command to a run, and its result.
import type { Approver, Failure, LeaseHolder, Run } from "../../core/index.ts";
import type { SupervisedRun } from "../../engine/index.ts";

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

export interface DispatchOptions {
	readonly approver: Approver;
	/** The supervision of the run, if this process has it. */
	readonly live?: SupervisedRun | undefined;
	/** Shows a warning to the user. */
	readonly notice: (text: string) => void;
	/** Whether a run without a supervisor continues after the command, or only records it. */
	readonly afterwards: "continue" | "release";
	/** Withdraws a question that is shown here. */
	readonly signal?: AbortSignal;
}
