// Processes below a chronicle's worker start no further work. Real pi.
import { expect, it } from "vitest";
import { findPi, isPiCommand, linkRpc, ownPiSearch } from "../../src/pi/index.ts";
import { RUN_TAG, startChild } from "../../src/process/index.ts";
import { openModelServer } from "../harness/model-server.ts";
import { runNode } from "../harness/print.ts";
import { openProject, type Project } from "../harness/project.ts";
import { packageUnderTest } from "../harness/under-test.ts";

async function commands(project: Project, env: Record<string, string>): Promise<string[]> {
	const pi = findPi(ownPiSearch());
	if (!isPiCommand(pi)) throw new Error(pi.message);
	const args = [...pi.args, "--mode", "rpc", "--no-session", "-ne", "-e", packageUnderTest().extension];
	const child = startChild({ command: pi.command, args, cwd: project.folder, env: project.environment(env) });
	const link = linkRpc(child, { activity() {}, event() {}, dialog() {}, oversized() {} });
	const response = await link.send({ type: "get_commands" });
	await child.stop();
	if (!response.ok) throw new Error(response.error);
	return (response.data as { commands: { name: string }[] }).commands.map(({ name }) => name);
}

it("a pi below a worker has only the guard, and no command that starts work", async () => {
	const project = openProject({ server: await openModelServer([]) });
	const outside = await commands(project, {});
	expect(outside).toEqual(expect.arrayContaining(["guard", "workflow", "sequence"]));
	expect(await commands(project, { [RUN_TAG]: "some-run" })).toEqual(["guard"]);
});

it("the command line starts nothing below a worker", async () => {
	const project = openProject();
	const done = await runNode(project, [packageUnderTest().cli, "rehearse", "x"], { env: { [RUN_TAG]: "some-run" } });
	expect(done.code).toBe(2);
	expect(done.stderr).toContain("some-run");
});
