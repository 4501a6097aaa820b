// Named harms: every spelling of a dangerous command has its effect, and similar harmless commands have none.
import { describe, expect, it } from "vitest";
import { effects } from "../src/index.ts";
import { dangerous, harmless } from "./dangerous-commands.ts";
import { dangerousTexts, harmlessTexts, printedLogins } from "./dangerous-texts.ts";
import { accesses, harms, shell } from "./host-environment.ts";

describe.each([...Object.entries(dangerous), ...Object.entries(dangerousTexts)])("%s", (effect, commands) => {
	it.each(commands)("%s", (command) => {
		expect(harms(shell(command))).toContain(effect);
	});
});

it("every named harm has commands here", () => {
	// Whether a tree is large is a fact of the disk, not of the text.
	expect(Object.keys({ ...dangerous, ...dangerousTexts, "large-tree": [] }).sort()).toEqual(
		Object.keys(effects).sort(),
	);
});

describe("similar harmless commands", () => {
	it.each([...harmless, ...harmlessTexts])("%s", (command) => {
		const found = harms(shell(command)).filter((effect) => effect !== "privilege");
		expect(found).toEqual([]);
	});
});

describe("a printed login", () => {
	it.each(printedLogins.map(([command, holder = ""]) => [command, holder]))("%s reads %s", (command, holder) => {
		const ofHome = accesses(shell(command)).filter((access) => access.startsWith("read ~/."));
		expect(ofHome).toEqual(holder === "" ? [] : [`read ~/${holder}`]);
	});
});
