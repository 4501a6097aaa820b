// Runs after an install in a checkout. A git install leaves the development tools out and runs from the sources: nothing to build then.
import { existsSync } from "node:fs";

const root = new URL("..", import.meta.url);
if (existsSync(new URL("node_modules/esbuild", root)) && existsSync(new URL("packages", root)))
	await import("./build.mjs");
