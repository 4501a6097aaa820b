// One examination of the doctor, with its time limit.
// Results contain no secrets; an examination that fails or takes too long is a result.

import { errorMessage } from "@pi-chronicle/core/definition";
import { setTime } from "../../pi/index.ts";
import { within } from "../../process/index.ts";
import { redactSecrets } from "../../safety/index.ts";

export interface ExaminationResult {
	/** What was examined: `pi`, `git`, … */
	readonly what: string;
	/** `warning`: it works, but something is missing or left over; `failed`: the package cannot be used. */
	readonly state: "ok" | "warning" | "failed";
	/** One sentence. */
	readonly text: string;
	/** The remedy. */
	readonly remedy?: string;
}

export type DoctorFinding = Omit<ExaminationResult, "what">;

export interface DoctorExamination {
	readonly what: string;
	/** Milliseconds. */
	readonly maxMs: number;
	/** `signal` aborts at its end, at the latest at the time limit. */
	examine(signal: AbortSignal): Promise<DoctorFinding | readonly DoctorFinding[]>;
}

/** Performs an examination within its time limit. */
export async function examineInTime({
	what,
	maxMs,
	examine,
}: DoctorExamination): Promise<readonly ExaminationResult[]> {
	const over = new AbortController();
	const findings = (await within(maxMs, examine(over.signal).catch(failedExamination))) ?? lateExamination(maxMs);
	over.abort();
	return (Array.isArray(findings) ? findings : [findings]).map((finding: DoctorFinding) => ({
		what,
		state: finding.state,
		text: redactSecrets(finding.text),
		...(finding.remedy === undefined ? {} : { remedy: redactSecrets(finding.remedy) }),
	}));
}

function lateExamination(maxMs: number): DoctorFinding {
	const text = `This took longer than ${setTime(maxMs)}.`;
	return { state: "failed", text, remedy: "Try again when the machine is less busy." };
}

function failedExamination(error: unknown): DoctorFinding {
	return { state: "failed", text: `This could not be examined: ${errorMessage(error)}` };
}

/** For what only a pi that starts could answer. */
export const unknownFinding: DoctorFinding = { state: "warning", text: "Unknown, because pi does not start." };

/** A result without a problem. */
export function fine(text: string): DoctorFinding {
	return { state: "ok", text };
}
