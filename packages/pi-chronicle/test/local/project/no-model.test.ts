// Whether pi has a key for a model: a pi is asked only if neither its files nor the usual variables name one.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { findEnvKeys } from "@earendil-works/pi-ai/compat";
import { expect, it } from "vitest";
import { findNoModel, KEY_VARIABLES } from "../../../src/local/project/model.ts";
import type { ProjectEnvironment } from "../../../src/local/worker/index.ts";
import { openFolder } from "../../harness/folder.ts";

/** Whether a run could start, and whether a pi, which does not answer, was asked. */
async function ask(env: NodeJS.ProcessEnv, files: Record<string, unknown> = {}) {
	const cwd = openFolder(files);
	const asked = join(cwd, "asked");
	const pi = {
		command: process.execPath,
		args: ["-e", `fs.writeFileSync(${JSON.stringify(asked)}, "")`, "--"],
		version: "1",
	};
	const place = { cwd, home: cwd, agentFolder: cwd, trust: "trusted", pi, env } as ProjectEnvironment;
	return [await findNoModel({ place }), existsSync(asked)];
}

it("asks no pi where a variable or a file of pi names a key", async () => {
	for (const name of KEY_VARIABLES) expect(await ask({ [name]: "k" })).toEqual([undefined, false]);
	expect(await ask({}, { "auth.json": { anthropic: { type: "api_key", key: "k" } } })).toEqual([undefined, false]);
	expect((await ask({ [KEY_VARIABLES[0] ?? ""]: "" }, { "auth.json": {} }))[1]).toBe(true);
});

it("knows only variables that pi reads", () => {
	const providers = "anthropic openai google openrouter mistral groq xai deepseek".split(" ");
	const read = (name: string) => providers.flatMap((provider) => findEnvKeys(provider, { [name]: "k" }) ?? []);
	for (const name of KEY_VARIABLES) expect(read(name)).toEqual([name]);
});
