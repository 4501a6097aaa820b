// A rehearsal in words: one block per part as it ends, and what it all came to. Text only; who prints it is not its business.
import type { Part } from "./rehearse.ts";

/** The lines that tell of one part: its name, then every call and how it ended. */
export function partLines(part: Part): string[] {
	const visit = part.visit > 1 ? `, visit ${part.visit}` : "";
	const mark = part.left ? "✓" : "●";
	const head = `${mark} ${part.what === "phase" ? "Phase" : "State"} ${part.name}${visit} (${(part.ms / 1000).toFixed(1)} s)`;
	const width = Math.min(60, Math.max(0, ...part.calls.map((call) => title(call).length)));
	return [
		head,
		...part.calls.map((call) => {
			const reason = call.reason ? `: ${call.reason}` : "";
			return `    ${title(call).padEnd(width)}  ${call.outcome}${reason}`;
		}),
	];
}

function title(call: Part["calls"][number]): string {
	const text = `${call.tool} ${call.with}`.trim();
	return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
