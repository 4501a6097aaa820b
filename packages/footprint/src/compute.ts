// The footprint of one tool call. Pure: it reads the disk and the environment only through `HostEnvironment`.
// C1 never throws; C2 everything that could not be resolved is among the unknowns.
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
	/** A tool of the caller, or a tool that only calls others: calls and processes that it starts are measured separately. */
	readonly own?: boolean;
	/** Known facts about other tools of the session. */
	readonly known?: KnownTools;
}

/**
 * Computes the footprint of a tool call as if it ran now on `host`. Never throws; takes at most a fraction of a second (see
 * `footprintLimits`).
 */
export function computeFootprint(call: MeasuredCall, host: HostEnvironment): Footprint {
	const record = new FootprintRecord(host);
	try {
		recordCall(call, record);
	} catch (error) {
		// The nesting exceeds the stack, or this code has a bug: either way the call was not understood.
		record.overflow(error instanceof RangeError ? "nested too deeply to be judged" : "could not be judged");
	}
	return record.finish(call.tool);
}

function recordCall(call: MeasuredCall, record: FootprintRecord): void {
	const input =
		typeof call.input === "object" && call.input !== null ? (call.input as { readonly [name: string]: unknown }) : {};
	if ((call.tool === "bash" || call.tool === "powershell") && typeof input.command === "string") {
		if (call.tool === "bash") walkShell(unmarked(input.command.replaceAll("\0", "")), openState(record.host), record);
		else recordPowerShell(input.command, "powershell", record, powerShellPlace(openState(record.host), record));
		return;
	}
	if (recordFileTool(call.tool, input, record)) return;
	const { tool: name, annotations, own, known } = call;
	recordOtherTool({ name, annotations, own, known: knownWith(name, annotations, known) }, call.input, record);
}

/** Known facts, combined with the annotations of the call itself. */
function knownWith(name: string, annotations: Annotations | undefined, known: KnownTools | undefined): KnownTools {
	return {
		effectOf: (tool) => known?.effectOf(tool),
		annotationsOf: (tool) => (tool === name ? (annotations ?? known?.annotationsOf(tool)) : known?.annotationsOf(tool)),
	};
}
