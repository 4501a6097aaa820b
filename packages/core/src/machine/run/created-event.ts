// The first event of a run: what it is, and what it begins with.
import type { PathList } from "../../definition/index.ts";
import type { CheckedOut } from "../../snapshot/index.ts";
import type { Inherited, RunParent } from "./child-run.ts";
import type { RunTemplate } from "./user-event.ts";

/** The run starts: the first event of every ledger. */
export interface Created {
	readonly kind: "created";
	readonly schemaVersion: number;
	readonly id: string;
	readonly template: RunTemplate;
	/** Present in the ledger of a child run. */
	readonly parent?: RunParent;
	/** What a child begins with; absent in ledgers of earlier versions. */
	readonly inherited?: Inherited;
	readonly task: string;
	/** Hash of the approved cleanup commands; absent: none run. */
	readonly cleanupApproval?: string;
	/** Model of states that name none, `provider/id`. */
	readonly model?: string;
	/** It works in a copy of the project. Absent: in the project's folder, or that of its parent. */
	readonly apart?: true;
	/** On an engine: the database login that has submitted the run, or added its schedule. */
	readonly by?: string;
	/** Of a run that works in a copy, or was submitted to an engine: what git reported as uncommitted in the user's folder; absent: nothing, or unknown. */
	readonly uncommitted?: PathList;
	/** Of such a run: what was checked out in the user's folder; absent: nothing, or unknown. */
	readonly checkedOut?: CheckedOut;
}
