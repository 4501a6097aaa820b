// Additions of other features to the chronicles of a session. Data only.
import type { ToolSwitch } from "../../../pi/index.ts";
import type { LazyCommand } from "../commands/index.ts";

export interface SessionExtras {
	/** The tool with which the model proposes runs. */
	readonly proposals: ToolSwitch;
	/** Further commands of `/chronicle`. */
	readonly more: readonly LazyCommand[];
}
