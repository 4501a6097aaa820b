// Single tests of the deep run within a file that also runs on every push. Files that are deep as a whole are named *.deep.test.ts.
import { describe, it } from "vitest";
import { deep } from "./runs.ts";

const unregistered = Object.assign(() => {}, { each: () => () => {} }) as unknown as typeof it;

/** `it` in the deep run; nothing on a push. For tests whose pi takes seconds, where a cheaper test of the same file guards the behavior. */
export const deepIt: typeof it = deep ? it : unregistered;

/** `describe` in the deep run; nothing on a push. */
export const deepDescribe: typeof describe = deep ? describe : (unregistered as unknown as typeof describe);

/** The rows of a table whose tests take a pi each: all of them in the deep run, every third on a push. */
export function sampled<Row>(rows: readonly Row[]): readonly Row[] {
	return deep ? rows : rows.filter((_row, index) => index % 3 === 0);
}
