// The tool calls of a run that later workers have to know of: in flight, interrupted, ended last.
export interface Calls {
	/** Calls in flight. */
	readonly open: readonly CallInFlight[];
	/** Calls in flight when the worker of launch `by` ended; kept until a later worker reports. */
	readonly interrupted: { readonly by: string; readonly calls: readonly CallInFlight[] };
	/** In this visit, the files were set back to the last snapshot, because another host took over; absent: not. */
	readonly setBack?: true;
	/** The last calls that ended. */
	readonly recent: readonly {
		readonly tool: string;
		readonly args: string;
		readonly failed: boolean;
		/** Its changes are in a snapshot of the files; absent: not yet. */
		readonly saved?: true;
		/** The files were set back to before it; absent: not. */
		readonly undone?: true;
	}[];
}

export const NO_CALLS: Calls = { open: [], interrupted: { by: "", calls: [] }, recent: [] };

interface CallInFlight {
	readonly call: string;
	readonly tool: string;
	readonly args: string;
	readonly print?: string;
	/** The files were set back to before it; absent: not. */
	readonly undone?: true;
}
