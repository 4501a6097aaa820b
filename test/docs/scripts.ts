// What the model answers in the projects of documents, by the name that a block's `script=` gives.
import type { Script } from "../harness/index.ts";

export const scripts: Readonly<Record<string, Script>> = {
	ok: () => "ok",
};
