// The verbs of `/chronicle`. A template that is called like one of them is started with `start <name>`.
import { steerings } from "../steering/index.ts";

/** Verbs that look, in the order in which they are listed. */
export const lookingVerbs = ["list", "status", "show", "diff", "view", "report", "check"] as const;

export const verbNames: ReadonlySet<string> = new Set([
	"start",
	"run",
	...lookingVerbs,
	...steerings.map(({ name }) => name),
]);
