// The package's skill is there for a person, and costs a start without one nothing.
import { expect, it } from "vitest";
import { openBench, say } from "../harness/index.ts";

it("offers the skill where there is a screen; no request tells of it", async () => {
	const { server, rpc } = await openBench({ script: [say("ok"), say("read")] });
	const pi = await rpc();
	expect(await pi.commandNames()).toContain("skill:workflow-authoring");
	await pi.run("hi");
	expect(JSON.stringify(server.requests[0]?.body)).not.toContain("workflow-authoring");
	await pi.run("/skill:workflow-authoring a review workflow");
	expect(server.requests[1]?.lastUser).toContain('<skill name="workflow-authoring"');
});
