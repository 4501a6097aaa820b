// Where pi has a key for no model, a run with workers is refused before it exists, and a plan before it is drafted; a run of commands needs none.
import { expect, it } from "vitest";
import { defaultModel, fail, openBench, openFolder } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { chronicle, runIds, withTemplates } from "./bench.ts";

it("says what to do, leaves no run", { timeout: patient(60_000) }, async () => {
	const states = { build: { persona: "Builder", next: ["done"] } };
	const { project } = await openBench({ files: withTemplates({ t: { states } }), script: [] });
	const env = { PI_CODING_AGENT_DIR: openFolder({ "auth.json": {} }) };

	const refused = await chronicle(project, ["run", "t", "Do it"], { env });
	expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/key for no model\. .*\/login/) });
	expect(runIds(project)).toEqual([]);
	const unplanned = await chronicle(project, ["plan", "Do it", "--approve"], { env });
	expect(unplanned).toMatchObject({
		code: 2,
		stderr: expect.stringMatching(/^Nothing was started: .*key for no model\. /),
	});
});

it("says what helps where the model refuses to draft a plan", { timeout: patient(60_000) }, async () => {
	const { project } = await openBench({ files: {}, script: () => fail(401, "The token has expired.") });
	const { code, stderr } = await chronicle(project, ["plan", "Do it", "--approve", "--model", defaultModel]);
	expect([code, stderr]).toEqual([
		1,
		expect.stringMatching(/has expired.*Log in with \/login in pi, or choose another model/s),
	]);
});

it("runs a template of commands, and its children, in the project and apart", {
	timeout: patient(60_000),
}, async () => {
	const work = { command: "echo x >> made.txt", next: ["done"] };
	const all = { run: { states: { work } }, next: ["done"] };
	const files = withTemplates({ t: { states: { work } }, c: { states: { work: { ...work, next: ["all"] }, all } } });
	const { project } = await openBench({ files, script: [], git: true });
	const env = { PI_CODING_AGENT_DIR: openFolder({ "settings.json": { chronicle: { fallback: ["none/at-all"] } } }) };

	const ran = await chronicle(project, ["run", "c", "Do it", "--approve-cleanup"], { env });
	expect([ran.code, ran.stderr]).toEqual([0, expect.any(String)]);
	expect(project.read("made.txt")).toBe("x\nx\n");
	const apart = await chronicle(project, ["run", "--json", "t", "Do it", "--apart", "--approve-cleanup"], { env });
	expect(apart.data).toMatchObject({ status: "done", apart: { state: "waiting" } });
	expect(project.read("made.txt")).toBe("x\nx\n");
});
