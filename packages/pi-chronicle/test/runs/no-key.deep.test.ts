// Where pi has a key for no model, a run is refused before it exists. A pi is asked only if no file of it names a key.
import { expect, it } from "vitest";
import { openBench, openFolder } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { chronicle, runIds, withTemplates } from "./bench.ts";

it("says what to do, leaves no run", { timeout: patient(60_000) }, async () => {
	const states = { build: { persona: "Builder", next: ["done"] } };
	const { project } = await openBench({ files: withTemplates({ t: { states } }), script: [] });
	const env = { PI_CODING_AGENT_DIR: openFolder({ "auth.json": {} }) };

	const refused = await chronicle(project, ["run", "t", "Do it"], { env });
	expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/key for no model\. .*\/login/) });
	expect(runIds(project)).toEqual([]);
});
