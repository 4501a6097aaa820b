// What pi loads for a chronicle's worker; as small as extension.mjs, for the same reasons.
import { existsSync, readdirSync } from "node:fs";
import { getAgentDir } from "@earendil-works/pi-coding-agent";

const sources = new URL("./src/worker-start.ts", import.meta.url);
const dist = new URL("./dist/", import.meta.url);
const start = existsSync(sources)
	? await import("./src/worker-start.ts")
	: await import(`./dist/${readdirSync(dist).find((name) => name.startsWith("worker-start-"))}`);
start.loadWith?.((path) => import(`./dist/${path}`));

export default (pi) => start.startWorker(pi, getAgentDir());
