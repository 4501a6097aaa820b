// What this session says of a question that somebody has answered in another place.
import { firstAnswer, type Run } from "@pi-chronicle/core/machine";

/** How the answers of this session are recorded. Another pi session is another place. */
export const ownVia = `pi (pid ${process.pid})`;

/** Who has answered the event `answers` of the run; `undefined`: nobody, this session, or the run does not know. */
export function answeredElsewhere(run: Run, answers: number): string | undefined {
	const given = run.answered.findLast((one) => one.answers === answers);
	if (given?.via === ownVia) return undefined;
	const first = firstAnswer(run, answers);
	return first === undefined ? undefined : `${nameOfRun(run)} no longer waits for your answer. ${first}`;
}

/** Its template and the beginning of its id. */
export function nameOfRun({ template, id }: Run): string {
	return `${template.name} ${id.slice(0, 8)}`;
}
