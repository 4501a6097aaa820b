// What pi loads: the bundle in a published package, the sources in a checkout or a git install.
import { existsSync } from "node:fs";

const sources = new URL("./src/extension.ts", import.meta.url);
const { default: chronicle } = existsSync(sources)
	? await import("./src/extension.ts")
	: await import("./dist/extension.mjs");

export default chronicle;
