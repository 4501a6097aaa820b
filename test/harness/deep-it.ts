// Single tests of the deep run within a file that also runs on every push. Files that are deep as a whole are named *.deep.test.ts.
import { it } from "vitest";
import { deep } from "./runs.ts";

const unregistered = Object.assign(() => {}, { each: () => () => {} }) as unknown as typeof it;

/** `it` in the deep run; nothing on a push. For tests whose pi takes seconds, where a cheaper test of the same file guards the behavior. */
export const deepIt: typeof it = deep ? it : unregistered;
