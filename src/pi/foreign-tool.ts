// pi keeps one tool of a name, of whichever extension loaded first: a feature whose tool is another extension's would let the model talk
// to a stranger.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { isOwnFile } from "./own-package.ts";

/**
 * Why a feature cannot be used: the sentence that names the tools of another extension, and that extension. `undefined` when each of
 * `names` is this package's own, or not there at all. Asked after the feature has registered them.
 */
export function foreignTools(pi: ExtensionAPI, names: readonly string[], feature: string): string | undefined {
	const foreign = pi
		.getAllTools()
		.filter(({ name, sourceInfo }) => names.includes(name) && !isOwnFile(sourceInfo.path));
	const [first] = foreign;
	if (first === undefined) return undefined;
	const tools = foreign.map(({ name }) => name).join(", ");
	const noun = foreign.length === 1 ? "a tool" : "tools";
	const { source, path } = first.sourceInfo;
	const owner = source === "builtin" ? "pi itself" : `Another extension (${path})`;
	return `${owner} has ${noun} called ${tools} too, which ${feature} needs for itself. Remove that extension (pi list shows what is installed), or start pi without it.`;
}
