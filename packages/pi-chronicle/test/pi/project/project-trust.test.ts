// Trust in a project, decided outside of pi by pi's own rule. Real pi decides the same cases.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectTrust } from "../../../src/pi/index.ts";
import { fixtureExtension, openProject, startRpc } from "../../harness/index.ts";

const cases: [
	string,
	{ trusted?: boolean; files?: Record<string, unknown>; settings?: Record<string, unknown> },
	string,
][] = [
	["nothing that pi gates, nothing saved", { files: { ".pi/chronicle/workflows/a.json": "{}" } }, "trusted"],
	["nothing that pi gates, and a no", { trusted: false }, "untrusted"],
	["something gated, nothing saved", { files: { ".pi/settings.json": "{}" } }, "untrusted"],
	["something gated, and a yes", { trusted: true, files: { ".pi/settings.json": "{}" } }, "trusted"],
	["something gated, and a no", { trusted: false, files: { ".pi/prompts/x.md": "x" } }, "untrusted"],
	["skills of agents are gated", { files: { ".agents/skills/x/SKILL.md": "x" } }, "untrusted"],
	[
		"trust by default",
		{ files: { ".pi/skills/x/SKILL.md": "x" }, settings: { defaultProjectTrust: "always" } },
		"trusted",
	],
	[
		"no trust by default",
		{ files: { ".pi/themes/x.json": "{}" }, settings: { defaultProjectTrust: "never" } },
		"untrusted",
	],
];

describe("trust outside of pi", () => {
	it.each(cases)("%s", async (_, options, expected) => {
		const project = openProject(options);
		const question = { cwd: project.folder, home: project.home, agentFolder: project.agentFolder };
		expect(projectTrust(question)).toBe(expected);
		const pi = await startRpc(project, { extensions: [fixtureExtension("probe")], package: "none", model: null });
		expect((await pi.probe()).trusted).toBe(expected === "trusted");
	});

	it("the nearest folder decides, by its real path", () => {
		const project = openProject({ files: { ".pi/settings.json": "{}", "inner/deep/.pi/settings.json": "{}" } });
		const { home, agentFolder, folder } = project;
		const ask = (cwd: string) => projectTrust({ cwd, home, agentFolder });
		mkdirSync(agentFolder, { recursive: true });
		writeFileSync(join(agentFolder, "trust.json"), JSON.stringify({ [folder]: true, [join(folder, "inner")]: false }));
		expect(ask(folder)).toBe("trusted");
		expect(ask(join(folder, "inner", "deep"))).toBe("untrusted");
		const link = join(dirname(folder), "link");
		symlinkSync(folder, link);
		expect(ask(link)).toBe("trusted");
	});

	it("unreadable decisions trust nothing", () => {
		const project = openProject({});
		const { home, agentFolder, folder } = project;
		mkdirSync(agentFolder, { recursive: true });
		writeFileSync(join(agentFolder, "trust.json"), "{");
		expect(projectTrust({ cwd: folder, home, agentFolder })).toBe("untrusted");
	});
});
