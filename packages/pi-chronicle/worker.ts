// What pi loads for a chronicle's worker; as small as extension.ts, for the same reasons.
import { existsSync, readdirSync } from "node:fs";
import { type ExtensionAPI, getAgentDir } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";

const checkout = existsSync(new URL("./src/", import.meta.url));
if (checkout) (await import(new URL("../../scripts/installed.mjs", import.meta.url).href)).assertInstalled();
const folder = checkout
	? (await import("../../scripts/compiled-sources.ts")).compiledSources()
	: new URL("./dist/", import.meta.url);
const load = (path: string) => import(new URL(path, folder).href);
const start = folder
	? await load(readdirSync(folder).find((name) => /^worker-start\b.*\.mjs$/.test(name)) ?? "worker-start.mjs")
	: await import("./src/worker-start.ts");
start.loadWith?.(load);

export default (pi: ExtensionAPI) => start.startWorker(pi, getAgentDir(), Type);
