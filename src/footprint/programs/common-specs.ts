// Building blocks of descriptions: wrappers, whose command follows their options and operands, project tasks, groups of subcommands.
import type { ChangeKind } from "../effects.ts";
import type { Call, ProgramSpec } from "./program-spec.ts";

/** The command follows the options. `values`: options that take a value. */
export const wraps = (values = "", more: Omit<ProgramSpec, "operands" | "stops"> = {}): ProgramSpec => ({
	...more,
	optionsFirst: true,
	options: { ...(values !== "" && { [values]: "text" as const }), ...more.options },
	operands: { first: ["command"] },
});

/** Wrappers whose first operands are their own, the command after them. */
export const wrapsAfter = (
	own: number,
	values = "",
	more: Omit<ProgramSpec, "operands" | "stops"> = {},
): ProgramSpec => ({
	...wraps(values, more),
	operands: { first: [...Array.from({ length: own }, () => "text" as const), "command"] },
});

/** The words after `--`; `undefined` without one. */
export function afterDashes({ args }: Call): readonly string[] | undefined {
	const at = args.indexOf("--");
	return at < 0 ? undefined : args.slice(at + 1);
}

/** Its effect depends on the project. */
export const runsProject: ProgramSpec = { opaque: "project" };

/** Makes the files of a new project where its operands say. */
export const startsProject: ProgramSpec = { changes: ["worktree"], changesIn: "operands" };

/** Subcommands: the named ones only show something, and all others make one kind of change. */
export const changesUnless = (shows: string, change: ChangeKind): ProgramSpec => ({
	subcommands: { [shows]: {}, "*": { changes: [change] } },
});
