// What a worker process of a chronicle loads instead of extension.mjs: the bundle in a published package, else the sources.
import { existsSync } from "node:fs";

const sources = new URL("./src/worker.ts", import.meta.url);
const { default: worker } = existsSync(sources) ? await import("./src/worker.ts") : await import("./dist/worker.mjs");

export default worker;
