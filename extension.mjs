// What pi loads for a person's session. It is small and asks for one of pi's packages, so pi has to load it; what it starts, the bundle in a
// published package, else the sources, asks for none at once, so pi leaves that to Node, which is faster. What is imported later may ask for
// pi's packages, so it is imported through here.
import { existsSync, readdirSync } from "node:fs";
import { getAgentDir, VERSION } from "@earendil-works/pi-coding-agent";

const sources = new URL("./src/start.ts", import.meta.url);
const dist = new URL("./dist/", import.meta.url);
const start = existsSync(sources)
	? await import("./src/start.ts")
	: await import(`./dist/${readdirSync(dist).find((name) => name.startsWith("start-"))}`);
start.loadWith?.((path) => import(`./dist/${path}`));

export default (pi) => start.startSession(pi, getAgentDir(), VERSION);
