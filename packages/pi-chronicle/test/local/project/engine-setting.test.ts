// The engine that a command uses, from its options, the environment and pi's settings.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { engineSetting } from "../../../src/local/index.ts";
import { openFolder } from "../../harness/folder.ts";

const url = (name: string): string => `postgres://db/${name}`;

/** A place whose project and user name engines. */
function placeWith(project: unknown, user: unknown) {
	const cwd = openFolder();
	const agentFolder = openFolder();
	mkdirSync(join(cwd, ".pi"));
	const write = (folder: string, engine: unknown): void => {
		if (engine !== undefined) writeFileSync(join(folder, "settings.json"), JSON.stringify({ chronicle: { engine } }));
	};
	write(join(cwd, ".pi"), project);
	write(agentFolder, user);
	return { cwd, agentFolder, trust: "trusted", env: {} } as const;
}

describe("the engine of a command", () => {
	const both = placeWith({ url: url("project"), project: "app", queue: "slow" }, url("user"));
	it.each([
		["the option", { engine: url("option") }, { PI_CHRONICLE_ENGINE: url("variable") }, url("option")],
		["the variable", {}, { PI_CHRONICLE_ENGINE: url("variable") }, url("variable")],
		["the project's setting", {}, {}, url("project")],
		["none by the option", { engine: "none" }, {}, undefined],
		["none by the variable", {}, { PI_CHRONICLE_ENGINE: "none" }, undefined],
		["none in a rehearsal", { engine: url("option") }, { PI_CHRONICLE_REHEARSAL: "/config.json" }, undefined],
	])("is %s", (_what, values: Record<string, string>, env, wanted) => {
		expect(engineSetting(values, { ...both, env })?.url).toBe(wanted);
	});

	it("takes name and queue from the setting, unless an option names others", () => {
		expect(engineSetting({}, both)).toMatchObject({ project: "app", queue: "slow" });
		expect(engineSetting({ project: "b", queue: "q", labels: "gpu, x", priority: "3" }, both)).toMatchObject({
			...{ project: "b", queue: "q", labels: ["gpu", "x"], priority: 3 },
		});
	});

	it("is not named by a project that is not trusted", () => {
		expect(engineSetting({}, { ...both, trust: "untrusted" })?.url).toBe(url("user"));
		expect(engineSetting({}, { ...placeWith(url("project"), undefined), trust: "untrusted" })).toBe(undefined);
	});

	it.each([undefined, 5, {}, { url: 5 }, null])("is none if the setting is %j", (written) => {
		expect(engineSetting({}, placeWith(written, undefined))).toBe(undefined);
	});
});
