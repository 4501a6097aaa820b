// The starter rules stop no command that agents commonly run.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSetting, type Setting, starterRules } from "./guarded-project.ts";

const commands = readFileSync(new URL("fixtures/everyday.txt", import.meta.url), "utf8")
	.split("\n")
	.filter((line) => line !== "" && !line.startsWith("# "))
	.map((line) => line.replaceAll("⏎", "\n"));

describe("common commands under the starter rules", () => {
	let setting: Setting;
	beforeAll(() => {
		setting = openSetting(starterRules);
		// The classic project of the other tests has a key in its root; this one has its secrets where git does not look.
		setting.remove("server.pem", "lnk");
	});
	afterAll(() => setting.close());

	it("are a large sample", () => {
		expect(commands.length).toBeGreaterThan(500);
		expect(new Set(commands).size).toBe(commands.length);
	});

	it.each(commands.map((command) => [command.slice(0, 100), command]))("%s", async (_title, command) => {
		const { decision, why } = await setting.bash(command);
		expect(decision, why).toBe("allow");
	});
});
