// The versions of the packages that an engine needs: the documents, the manifest and the check agree.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { ENGINE_PACKAGES, isNewEnough } from "../src/packages.ts";

it.each([
	["12.38.0", true],
	["12.38.1", true],
	["12.40.0", true],
	["12.37.9", false],
	["10.1.5", false],
	["13.0.0", false],
	["12.39.0-beta.1", true],
	["", false],
])("takes pg-boss %s: %s", (version, fits) => {
	expect(isNewEnough(version, "12.38.0")).toBe(fits);
});

it("is what the manifest asks for, and what the documents install", () => {
	const manifest = JSON.parse(readFileSync("packages/pi-chronicle/package.json", "utf8")) as {
		peerDependencies: Record<string, string>;
	};
	const text = readFileSync("docs/engine.md", "utf8");
	for (const [name, oldest] of Object.entries(ENGINE_PACKAGES)) {
		expect(manifest.peerDependencies[name]).toBe(`^${oldest}`);
		const commands = text.split("\n").flatMap((line) => /npm install[^`]*/.exec(line) ?? []);
		const installed = commands.flatMap((line) => line.split(" ").filter((word) => word.split("@")[0] === name));
		expect(installed.length).toBeGreaterThan(0);
		for (const word of installed) expect(word).toBe(`${name}@${oldest.split(".", 1)[0]}`);
	}
});
