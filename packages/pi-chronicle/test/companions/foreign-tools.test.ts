// Another extension registers one of our tool names: pi keeps the tool of the extension that loaded first, so ours is disabled if the model
// would call the other one, and works otherwise.
import { describe, expect, it } from "vitest";
import { sampled } from "../harness/deep-it.ts";
import { call, fixtureExtension, openBench, packageUnderTest, say } from "../harness/index.ts";

const features = [
	["/handoff go on", "handoff"],
	["/notebook on", "notebook_read"],
	["/spawn on", "spawn"],
] as const;

describe.each(sampled(features))("%s", (command, tool) => {
	const env = { FOREIGN_TOOLS: tool };
	const guest = fixtureExtension("foreign-tool");
	const ours = packageUnderTest().extension;

	it("is refused with the other extension's name and exit code 2 if that one loads first; its tool stays", async () => {
		const { server, print, rpc } = await openBench({ script: [say("ok")] });
		const options = { package: "none" as const, extensions: [guest, ours, fixtureExtension("probe")], env };
		const { code, stderr } = await print(command, options);
		expect([code, stderr]).toEqual([
			2,
			expect.stringMatching(/Another extension \(.*foreign-tool.*\) also has a tool called/),
		]);
		expect(server.requests).toEqual([]);
		const pi = await rpc(options);
		await pi.prompt(command);
		expect(pi.screen.text).toContain(`a tool called ${tool}`);
		expect((await pi.probe()).activeTools.filter((name: string) => name === tool)).toEqual([tool]);
		expect((await pi.probe()).activeTools).not.toContain("notebook_write");
		await pi.run("hello");
		expect(server.requests).toHaveLength(1);
	});

	it("works if ours loads first", async () => {
		const { project, print } = await openBench({
			script: (request) =>
				request.users.join().includes("asks for a handoff") ? call("handoff", { context: "brief" }) : say("ok"),
		});
		const { code } = await print(command, { package: "none", extensions: [ours, guest], env });
		expect(code).toBe(0);
		expect(project.exists(`${tool}.log`)).toBe(false);
	});
});

it("a feature that the settings turn on stays off, which is reported once", async () => {
	const { rpc } = await openBench({ script: [], settings: { chronicle: { notebook: true, spawn: true } } });
	const pi = await rpc({
		package: "none",
		extensions: [fixtureExtension("foreign-tool"), packageUnderTest().extension, fixtureExtension("probe")],
		env: { FOREIGN_TOOLS: "notebook_write,spawn" },
	});
	await pi.prompt("/notebook");
	expect(pi.screen.text).toContain("called notebook_write");
	expect(pi.screen.text).toContain("called spawn");
	expect(pi.screen.text).toContain("Notebook off");
	expect((await pi.probe()).activeTools).not.toContain("notebook_read");
});
