// The home directory of a run's sandbox: whatever a deletion that was stopped midway has left of it, commands start in it.
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { hostEnvironment } from "../../../src/pi/index.ts";
import { bwrapWords } from "../../../src/safety/sandbox/bwrap.ts";
import { openOwnHome } from "../../../src/safety/sandbox/own-home.ts";
import { openFolder } from "../../harness/folder.ts";

it("has all of its stores, settings and caches again after one of them was deleted", async () => {
	const base = openFolder({
		"home/.gitconfig": "[user]\n\tname = A\n",
		"home/.npmrc": "fund=false\n",
		"home/go/x": "1",
	});
	const open = () => openOwnHome(join(base, "own"), { home: join(base, "home"), env: () => undefined });
	const { folder, stores, filled } = await open();
	await filled;
	const whole = readdirSync(folder).toSorted();
	expect(whole).toEqual(expect.arrayContaining([...stores, ".gitconfig", ".npmrc", ".gradle"]));
	for (const name of whole) {
		rmSync(join(folder, name), { recursive: true });
		const again = await open();
		await again.filled;
		expect(readdirSync(folder).toSorted()).toEqual(whole);
	}
});

it("keeps what commands have stored while it is complete", async () => {
	const base = openFolder();
	const open = () => openOwnHome(join(base, "own"), { home: join(base, "home"), env: () => undefined });
	const { folder, filled } = await open();
	await filled;
	writeFileSync(join(folder, ".local", "tool"), "x");
	await (await open()).filled;
	expect(existsSync(join(folder, ".local", "tool"))).toBe(true);
});

it("is no reason to make on this machine what is to be hidden and gone by now", () => {
	const base = openFolder({ "here/agent.1": "", file: "" });
	const rules = ["here", "file", "gone"].map((name) => ({ path: join(base, name), access: "hide" as const }));
	const words = bwrapWords({
		probe: { kind: "bwrap", bwrap: "bwrap", options: [] },
		layout: { rules, writable: [], absent: [], absentFolders: [] },
		home: { folder: base, stores: [], shown: {}, variables: {}, filled: Promise.resolve() },
		empty: base,
		host: hostEnvironment(base),
		variables: {},
		network: true,
	});
	expect(words.filter((word) => word.startsWith(base))).toEqual([join(base, "here"), join(base, "file")]);
});
