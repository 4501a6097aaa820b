// pi keeps one tool per name, from the extension that loaded first. A feature whose tool belongs to another extension would let the model
// talk to the wrong tool.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { isOwnFile } from "../package/own-package.ts";

/**
 * Why a feature cannot be used: a sentence that names the conflicting tools and the extension that owns them. `undefined` if each of
 * `names` is this package's own or does not exist. Call it after the feature has registered its tools.
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
	return `${owner} also has ${noun} called ${tools}, which ${feature} needs. Remove that extension (pi list shows what is installed), or start pi without it.`;
}
