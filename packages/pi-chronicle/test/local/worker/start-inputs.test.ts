// The files that pi reads when it starts: a change of any of them invalidates a standby that was started before.
import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startInputs } from "../../../src/local/worker/standby.ts";
import type { WorkerSpec } from "../../../src/local/worker/worker-spec.ts";

let root: string;
beforeAll(() => {
	root = mkdtempSync(join(tmpdir(), "start-inputs-"));
	mkdirSync(join(root, "up/project/.pi"), { recursive: true });
	mkdirSync(join(root, "home/.pi/agent"), { recursive: true });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const spec = () =>
	({
		persona: { origin: { kind: "file", file: join(root, "agent.md") } },
		skills: [join(root, "skill")],
	}) as unknown as WorkerSpec;
const inputs = (of = spec()) =>
	startInputs(
		{
			cwd: join(root, "up/project"),
			home: join(root, "home"),
			agentFolder: join(root, "home/.pi/agent"),
			workerEntry: join(root, "worker.mjs"),
		},
		of,
	);

describe("the inputs of a start", () => {
	it.each([
		"worker.mjs",
		"agent.md",
		"skill/SKILL.md",
		"up/project/.pi/damage-control-rules.yaml",
		"home/.pi/agent/settings.json",
		"home/.pi/agent/SYSTEM.md",
		"home/.pi/agent/APPEND_SYSTEM.md",
		"home/.pi/agent/mcp.json",
		"home/.pi/agent/models.json",
		"home/.pi/agent/auth.json",
		"home/.pi/agent/AGENTS.md",
		"up/project/.pi/settings.json",
		"up/project/.pi/SYSTEM.md",
		"up/project/.pi/APPEND_SYSTEM.md",
		"up/project/.pi/mcp.json",
		"up/project/AGENTS.override.md",
		"up/project/AGENTS.md",
		"up/project/CLAUDE.md",
		"up/AGENTS.md",
		"CLAUDE.MD",
	])("include %s: a creation, write, touch, replacement or removal is detected", (name) => {
		const path = join(root, name);
		const seen = [inputs()];
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, "1");
		seen.push(inputs());
		expect(inputs()).toBe(seen[1]);
		writeFileSync(path, "longer");
		seen.push(inputs());
		utimesSync(path, 5, 5);
		seen.push(inputs());
		writeFileSync(`${path}.new`, "longer");
		renameSync(`${path}.new`, path);
		seen.push(inputs());
		rmSync(path);
		seen.push(inputs());
		expect(seen.filter((one, index) => one === seen[index - 1])).toEqual([]);
	});

	it("include no agent file for a persona without one", () => {
		const role = { ...spec(), persona: { origin: { kind: "role" } } } as unknown as WorkerSpec;
		expect(inputs(role)).not.toContain("agent.md");
	});

	it("may include a path that cannot exist, without an error", () => {
		const none = { ...spec(), skills: [`${root}/\0`] };
		expect(() => inputs(none)).not.toThrow();
	});
});
