// The data that states have handed over: the last of each state, bounded in total. The event log has all of it.
import type { Snapshot, StateOutput } from "./snapshot.ts";

/** Maximum bytes of JSON that one state may hand over. */
export const OUTPUT_BYTES = 64 * 1024;
/** Maximum bytes of JSON of all states; the oldest are dropped first. */
const allBytes = 4 * OUTPUT_BYTES;

/** Bytes of data as JSON. */
export function outputBytes(data: unknown): number {
	return Buffer.byteLength(JSON.stringify(data) ?? "");
}

/** Sets the output of a state, replacing an earlier one. */
export function addOutput(snapshot: Snapshot, output: StateOutput): Snapshot {
	const outputs = [...outputsOf(snapshot).filter(({ state }) => state !== output.state), output];
	let left = allBytes;
	const first = outputs.findLastIndex(({ data }) => {
		left -= outputBytes(data);
		return left < 0;
	});
	return { ...snapshot, outputs: outputs.slice(first + 1) };
}

/** Oldest first. */
export function outputsOf({ outputs = [] }: Snapshot): readonly StateOutput[] {
	return outputs;
}
