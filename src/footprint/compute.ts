// The footprint of one tool call. Pure: the disk and the environment are asked through `HostEnvironment` only.
// C1 never throws; C2 what could not be followed is among the unknowns.
import { recordOtherTool } from "./arguments.ts";
import { recordFileTool } from "./file-tools.ts";
import type { Annotations, Footprint, HostEnvironment } from "./footprint.ts";
import { recordPowerShell } from "./powershell/index.ts";
import { powerShellPlace } from "./program-text.ts";
import { FootprintRecord } from "./record.ts";
import { openState, walkShell } from "./shell/index.ts";
import { unmarked } from "./text.ts";
import type { KnownTools } from "./tool-effects.ts";

/** A tool call that has not run yet. */
export interface MeasuredCall {
	readonly tool: string;
	readonly input: unknown;
	/** Hints of the tool's author, such as an MCP server's. */
	readonly annotations?: Annotations;
	/** A tool of the caller, or one that only calls others: what it starts and calls is measured by itself. */
	readonly own?: boolean;
	/** What is known of other tools of the session. */
	readonly known?: KnownTools;
}

/** The footprint of a tool call if it ran now on `host`. Never throws; takes at most a fraction of a second (see `footprintLimits`). */
export function computeFootprint(call: MeasuredCall, host: HostEnvironment): Footprint {
	const record = new FootprintRecord(host);
	try {
		recordCall(call, record);
	} catch (error) {
		// Nesting beyond the stack, or a fault of ours: either way the call was not understood.
		record.overflow(error instanceof RangeError ? "nested too deeply to be judged" : "could not be judged");
	}
	return record.finish(call.tool);
}

function recordCall(call: MeasuredCall, record: FootprintRecord): void {
	const input =
		typeof call.input === "object" && call.input !== null ? (call.input as { readonly [name: string]: unknown }) : {};
	if (call.tool === "bash" || call.tool === "powershell") {
		// An agent refuses a call without a command: nothing would run.
		if (typeof input.command !== "string") return;
		if (call.tool === "bash") walkShell(unmarked(input.command.replaceAll("\0", "")), openState(record.host), record);
		else recordPowerShell(input.command, "powershell", record, powerShellPlace(openState(record.host), record));
		return;
	}
	if (recordFileTool(call.tool, input, record)) return;
	const { tool: name, annotations, own, known } = call;
	recordOtherTool({ name, annotations, own, known: knownWith(name, annotations, known) }, call.input, record);
}

/** What is known, with the annotations of the call itself. */
function knownWith(name: string, annotations: Annotations | undefined, known: KnownTools | undefined): KnownTools {
	return {
		set: (tool) => known?.set(tool),
		hints: (tool) => (tool === name ? (annotations ?? known?.hints(tool)) : known?.hints(tool)),
	};
}
