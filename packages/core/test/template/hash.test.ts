// The hash that an approval of cleanup commands is bound to.

import { describe, expect, it } from "vitest";
import { templateSchema } from "../../../../scripts/definition-reference.ts";
import { openSource } from "../../src/definition/index.ts";
import { commandsOf, hashCommands, readTemplate, type Template } from "../../src/template/index.ts";

function template(cleanup: unknown, state = "a"): Template {
	const text = JSON.stringify({ states: { [state]: { persona: "A", next: ["done"], cleanup } } });
	const { read, diagnostics } = readTemplate(openSource("/t/a.json", text), "a");
	if (!read) throw new Error(JSON.stringify(diagnostics));
	return read.template;
}

describe("the hash of cleanup commands", () => {
	it("is absent if there are none", () => {
		expect(hashCommands(template([]))).toBeUndefined();
	});
	it("does not cover the tests of the project, which no template brings", () => {
		const withTests = (command: string) =>
			readTemplate(openSource("/t/a.json", JSON.stringify({ states: { a: { command } } })), "a").read
				?.template as Template;
		expect(hashCommands(withTests("{tests}"))).toBeUndefined();
		expect(hashCommands(withTests("{tests}; curl example.org"))).toBeDefined();
	});
	it("does not depend on the notation", () => {
		expect(hashCommands(template(["stop"]))).toBe(hashCommands(template("stop")));
		expect(hashCommands(template([{ command: "stop" }]))).toBe(hashCommands(template("stop")));
	});
	it.each([
		["another text", "stop ", "a"],
		["another time limit", { command: "stop", timeout_seconds: 31 }, "a"],
		["another meaning of failure", { command: "stop", on_failure: "pause" }, "a"],
		["another state", "stop", "b"],
	])("changes with %s", (_, cleanup, state) => {
		expect(hashCommands(template([cleanup], state))).not.toBe(hashCommands(template(["stop"])));
	});
	it("changes with the order", () => {
		expect(hashCommands(template(["x", "y"]))).not.toBe(hashCommands(template(["y", "x"])));
		expect(commandsOf(template(["x", "y"])).map(({ state, command }) => `${state}: ${command.command}`)).toEqual([
			"a: x",
			"a: y",
		]);
	});
});

describe("the schema of template files", () => {
	it("names exactly the fields that the reader accepts", () => {
		const schema = templateSchema() as { properties: object; $defs: { state: { properties: object } } };
		expect(Object.keys(schema.properties)).toEqual([
			"$schema",
			"name",
			"requires",
			"description",
			"initial",
			"team",
			"limits",
			"shell",
			"sandbox",
			"files",
			"secret_files",
			"questions",
			"fallback",
			"provider_wait",
			"states",
		]);
		expect(Object.keys(schema.$defs.state.properties)).toContain("requires_approval");
		for (const key of Object.keys(schema.$defs.state.properties)) {
			const text = JSON.stringify({ states: { a: { persona: "A", next: ["done"], [key]: null } } });
			const { diagnostics } = readTemplate(openSource("/t/a.json", text), "a");
			expect(diagnostics.filter(({ code }) => code === "unknown-key")).toEqual([]);
		}
	});
});
