// What the harness refuses to give to a real process, and what it lets through.
import { expect, it } from "vitest";
import { openProject } from "./index.ts";
import { call } from "./reply.ts";

it.each([
	"rm -rf /",
	"rm -fr ~",
	'rm -r -f "$HOME"',
	"rm --force -R /*",
	"sudo rm -rf ~/; ls",
	"rm -rf / --no-preserve-root",
	"rm -rf '${HOME}/'",
])("refuses %s in a scripted call and in a project's files", (command) => {
	expect(() => call("bash", { command })).toThrow("harmless");
	expect(() => openProject({ files: { "a.yaml": `until: ${command}\n` } })).toThrow("harmless");
	expect(() => openProject({ files: { "a.json": { command } } })).toThrow("harmless");
});

it.each(["rm -rf build", "rm -rf ./", "rm -rf /tmp/x", "rm -f /", "rm -rf ~/x", "rm x /"])(
	"lets %s through",
	(command) => {
		expect(call("bash", { command })).toMatchObject({ calls: [{ args: { command } }] });
	},
);
