// The output of a state that is done by child runs: the output of its children. Pure.
import { OUTPUT_BYTES, outputBytes } from "../../snapshot/index.ts";
import type { ChildrenPlan } from "../../template/index.ts";
import type { ChildGroup, ChildRun } from "../run/child-group.ts";

/** Maximum bytes of JSON of all children of a visit. */
const groupBytes = 3 * OUTPUT_BYTES;

/**
 * The output of the finished children: with `for_each` a list in their order, with branches an object by name, otherwise the data of the only
 * child. `undefined` if there is none.
 */
export function childrenData({ children, state }: ChildGroup, plan: ChildrenPlan | undefined): unknown {
	const having = children.filter(hasData);
	if (having.length === 0) return undefined;
	if (plan?.forEach !== undefined) return having.map(({ output }) => output);
	const [first] = having;
	// The child of `run` has the name of the state.
	const isOnly = plan?.branches.length === 1 && first?.name === state;
	return isOnly ? first?.output : Object.fromEntries(having.map(({ name, output }) => [name, output]));
}

function hasData({ status, output, merges }: ChildRun): boolean {
	return status === "done" && output !== undefined && merges === undefined;
}

/** Whether the data of another child fits with that of the others. */
export function hasRoomFor({ children }: ChildGroup, output: unknown): boolean {
	const used = children.reduce((sum, child) => sum + (child.output === undefined ? 0 : outputBytes(child.output)), 0);
	return used + outputBytes(output) <= groupBytes;
}
