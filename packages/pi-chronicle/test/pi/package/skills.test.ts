// The package's skill is offered to users, and costs nothing in sessions without a screen.
import { expect, it } from "vitest";
import { openBench, say } from "../../harness/index.ts";

it("the skill is offered if there is a screen; no request mentions it", async () => {
	const { server, rpc } = await openBench({ script: [say("ok"), say("read")] });
	const pi = await rpc();
	expect(await pi.commandNames()).toContain("skill:workflow-authoring");
	await pi.run("hi");
	expect(JSON.stringify(server.requests[0]?.body)).not.toContain("workflow-authoring");
	await pi.run("/skill:workflow-authoring a review workflow");
	expect(server.requests[1]?.lastUser).toContain('<skill name="workflow-authoring"');
});
