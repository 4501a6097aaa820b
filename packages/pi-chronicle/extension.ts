// What pi loads for a user's session. It is TypeScript, which pi always loads by itself, and small; what it starts (the bundle in a published
// package, else the compiled sources) asks for none of pi's packages at once, so pi leaves that to Node, which is faster. What is imported
// later may ask for them, so it is imported through here.
import { existsSync, readdirSync } from "node:fs";
import { type ExtensionAPI, getAgentDir, VERSION } from "@earendil-works/pi-coding-agent";

const checkout = existsSync(new URL("./src/", import.meta.url));
if (checkout) (await import(new URL("../../scripts/installed.mjs", import.meta.url).href)).assertInstalled();
const folder = checkout
	? (await import("../../scripts/compiled-sources.ts")).compiledSources()
	: new URL("./dist/", import.meta.url);
const load = (path: string) => import(new URL(path, folder).href);
const start = folder
	? await load(readdirSync(folder).find((name) => /^start\b.*\.mjs$/.test(name)) ?? "start.mjs")
	: await import("./src/start.ts");
start.loadWith?.(load);

export default (pi: ExtensionAPI) => start.startSession(pi, getAgentDir(), VERSION);
