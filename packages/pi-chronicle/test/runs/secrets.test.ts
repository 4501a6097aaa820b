// With real workers: secrets that a run read, wrote or exported are nowhere in the chronicle's folder once it is over.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openBench } from "../harness/index.ts";
import { call } from "../harness/reply.ts";
import { chronicle, move, withTemplates, worker } from "./bench.ts";

const token = "ghp_plantedplantedplantedplanted0123456789";
const value = "planted-value-of-the-environment";

function filesBelow(folder: string): string[] {
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name));
}

it("a finished run has no planted secret in its ledger, events or conversations; its folder is private and ignored by git", async () => {
	const { project } = await openBench({
		files: {
			...withTemplates({
				one: { name: "One", states: { look: { persona: "Reader", tools: ["read", "bash"], next: ["finished"] } } },
			}),
			"keys.txt": `GITHUB_TOKEN=${token}\n`,
		},
		git: true,
		script: {
			[worker("look")]: [
				call("read", { path: "keys.txt" }),
				call("bash", { command: `export API_TOKEN=${token}; echo $SERVICE_SECRET; echo '${token}' > copy.txt` }),
				call("workflow_update_snapshot", { data: { token_seen: token, note: `the secret is ${value}` } }),
				move("finished", `found ${token}`),
			],
		},
	});
	const done = await chronicle(project, ["run", "one", `look with ${token}, or PASSWORD=${value}`], {
		env: { SERVICE_SECRET: value },
	});
	expect(done.code, done.stderr).toBe(0);
	expect(done.stderr).toContain("The task contains something that looks like a secret");
	for (const text of [done.stdout, done.stderr]) expect(text).not.toContain(token);
	for (const verb of [["list"], ["status"], ["view"], ["report"]])
		expect((await chronicle(project, verb)).stdout).not.toContain(token);
	const folder = project.path(".pi/chronicle/sessions");
	const files = filesBelow(folder);
	expect(files.some((file) => file.endsWith("1.1.jsonl"))).toBe(true);
	const leaking = files.filter((file) => {
		const text = readFileSync(file, "latin1");
		return text.includes(token) || text.includes(value);
	});
	expect(leaking).toEqual([]);
	const all = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
	expect(all.filter((path) => (statSync(path).mode & 0o077) !== 0)).toEqual([]);
	expect(statSync(folder).mode & 0o077).toBe(0);
	expect(project.read(".pi/chronicle/sessions/.gitignore")).toContain("*");
});
