// What a person has to do now, and the command that does it; the timeline, the status and the list all say it in these words. Pure.
import type { Run } from "../machine/index.ts";

export interface NextStep {
	/** One sentence: what the run waits for. */
	readonly what: string;
	/** Commands without their prefix, most likely first: `approve`, `reject <words>`. */
	readonly commands: readonly string[];
}

/** What the run waits for; `undefined` while it needs nobody. */
export function nextStep(run: Run): NextStep | undefined {
	switch (run.status) {
		case "awaiting_approval": {
			const { stage } = run;
			const question = stage.kind === "asking" ? stage.question : undefined;
			const what =
				question === undefined
					? "It waits for your approval."
					: question.side === "entry"
						? `May ${question.target} begin?`
						: `May ${question.state} be left for ${question.target}?`;
			return { what, commands: ["approve", "reject <words>", "diff"] };
		}
		case "paused":
			return { what: run.hold?.detail ?? "It is paused.", commands: ["resume", "tell <words>", "abort"] };
		case "budget_exceeded":
			return {
				what: run.hold?.detail ?? "A ceiling is reached.",
				commands: ["resume --cost <usd>", "resume --tokens <n>", "abort"],
			};
		case "human_intervention": {
			const refused = run.refused;
			const what =
				refused === null
					? "A person must decide how it goes on."
					: `The move from ${refused.from} to ${refused.to} was refused (${refused.cause.replaceAll("_", " ")}).`;
			return { what, commands: ["release", "release <state>", "abort"] };
		}
		case "running": {
			const [question] = run.questions;
			return question === undefined ? undefined : { what: `Its worker asks: ${question.title}`, commands: [] };
		}
		case "done":
		case "failed":
		case "aborted":
			return undefined;
	}
}
