// A gate in a project that pi does not trust, such as one of a session that came with the project: the user decides.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { afterEach, expect, it, vi } from "vitest";
import { openPolicies, type SessionBox } from "../../src/safety/index.ts";
import { runGate } from "../../src/workflow/session/gate-command.ts";
import { openLibrary } from "../../src/workflow/session/library.ts";
import { openFolder } from "../harness/folder.ts";
import { patient } from "../harness/patience.ts";
import { workflowFiles } from "./stage.ts";

afterEach(() => vi.unstubAllEnvs());

const command = "echo > ran";

it.each<
	[what: string, trusted: boolean, answer: boolean | "nobody", more: { command?: string; own?: true }, runs: boolean]
>([
	["is not asked about in a trusted project", true, "nobody", {}, true],
	["is refused where nobody can be asked", false, "nobody", {}, false],
	["is refused by the user", false, false, {}, false],
	["runs if the user says so", false, true, {}, true],
	["runs if a workflow of the user has it", false, "nobody", { own: true }, true],
	["runs if it is the project's tests", false, "nobody", { command: "{tests}" }, true],
])("%s", async (_what, trusted, answer, more, runs) => {
	const agentFolder = openFolder(
		workflowFiles({ w: [{ id: "a", gate: more.own ? command : "echo other" }] }, "workflows"),
	);
	vi.stubEnv("PI_CODING_AGENT_DIR", agentFolder);
	const cwd = openFolder(workflowFiles({ w: [{ id: "a", gate: command }] }));
	const asked: string[] = [];
	const confirm = async (_title: string, text: string) => {
		asked.push(text);
		return answer;
	};
	const ctx = { cwd, hasUI: answer !== "nobody", mode: "rpc", ui: { confirm }, isProjectTrusted: () => trusted };
	const parts = { policies: openPolicies(), box: {} as SessionBox, library: openLibrary(agentFolder) };
	const gate = { command: more.command ?? command, timeoutMs: patient(30_000) };
	const end = await runGate(gate, parts, ctx as unknown as ExtensionContext, undefined);
	expect(end.kind).toBe(runs ? "passed" : "failed");
	expect(existsSync(join(cwd, "ran"))).toBe(runs && gate.command === command);
	if (end.kind === "failed") expect(end.how).toContain("was refused: pi does not trust this project");
	expect(asked).toHaveLength(answer === "nobody" ? 0 : 1);
	for (const text of asked) expect(text).toContain(command);
});
