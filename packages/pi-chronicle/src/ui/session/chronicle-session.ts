// The chronicles of one session, as its commands and dialogs use them. Types only.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Run } from "@pi-chronicle/core/machine";
import type { ReadLedger } from "@pi-chronicle/core/ports";
import type { Project, SupervisedRun } from "../../local/index.ts";
import type { Scope, ToolSwitch } from "../../pi/index.ts";
import type { LazyCommand } from "../commands/index.ts";
import type { SessionEngines } from "./engines.ts";

/** What other features add to the chronicles of a session. */
export interface SessionExtras {
	/** The tool with which the model proposes runs. */
	readonly proposals: Pick<ToolSwitch, "on" | "turn">;
	readonly more: readonly LazyCommand[];
}

export interface ChronicleSession extends SessionExtras {
	readonly scope: Scope;
	/** Adds text to the conversation as a message of this package, not of the user. The model reads it with the user's next prompt. */
	readonly quote: (text: string) => void;
	/** Runs that this session supervises, by id, oldest first. */
	readonly supervised: ReadonlyMap<string, SupervisedRun>;
	/** Adds a run to this session. Resolves immediately if the session has a UI and the run is not a step, else when the run stops. */
	attend(ctx: ExtensionContext, project: Project, live: SupervisedRun): Promise<void>;
	/** Shows a run that another process supervises, and updates it as its ledger changes. */
	follow(ctx: ExtensionContext, project: Project, run: Run): void;
	readonly engines: SessionEngines;
	/** Runs on an engine that this session follows until they park. */
	readonly followed: Set<string>;
	/** Reports a run that waits or is over, and offers to answer. */
	report(ctx: ExtensionContext, project: Project, read: ReadLedger): Promise<void>;
}
