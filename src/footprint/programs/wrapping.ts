// The two shapes of programs that run another one: its words follow at once, or after some of the program's own.
import type { Program } from "./program.ts";

/** The command follows the options. `values`: options that take a value. */
export const wraps = (values = "", more: Omit<Program, "operands" | "stops"> = {}): Program => ({
	...more,
	stops: true,
	options: { ...(values !== "" && { [values]: "text" as const }), ...more.options },
	operands: { first: ["command"] },
});

/** Wrappers whose first operands are their own, the command after them. */
export const wrapsAfter = (own: number, values = "", more: Omit<Program, "operands" | "stops"> = {}): Program => ({
	...wraps(values, more),
	operands: { first: [...Array.from({ length: own }, () => "text" as const), "command"] },
});
