// Chromium, for tests of rendered pages. A machine may lack it: `needsProgram("chromium", chromiumPath)`.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** The first of them on the PATH. */
export const chromiumPath = (process.env.PATH ?? "")
	.split(delimiter)
	.flatMap((folder) => names.map((name) => join(folder, name)))
	.find((path) => existsSync(path));

/** Starts it without a window, and without anything that asks the network. */
export async function startChromium(): Promise<Browser> {
	const quiet = [
		"--disable-gpu",
		"--disable-quic",
		"--no-first-run",
		"--disable-background-networking",
		"--disable-component-update",
		"--disable-sync",
	];
	return chromium.launch({
		...(chromiumPath ? { executablePath: chromiumPath } : {}),
		// As root, which containers are, Chromium has no sandbox to run in.
		args: process.getuid?.() === 0 ? ["--no-sandbox", ...quiet] : quiet,
	});
}
