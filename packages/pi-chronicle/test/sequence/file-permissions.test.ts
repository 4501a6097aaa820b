// Session files that contain a recording are readable only by their owner.
import { chmodSync, statSync } from "node:fs";
import { expect, it } from "vitest";
import { hang, openBench, say } from "../harness/index.ts";
import { needsPosix } from "../harness/needs.ts";
import { recorded } from "./stage.ts";

const modeOf = (file: unknown) => statSync(String(file)).mode & 0o777;

it("a session file with a recording is 0600: when opened, when forked, and during a run", needsPosix, async () => {
	const { project, server, rpc } = await openBench({
		script: () => (server.requests.length === 5 ? hang() : say("ok")),
	});
	const session = recorded(project, "one", "two");
	chmodSync(session, 0o644);
	const pi = await rpc({ session });
	await pi.run("hello");
	expect(modeOf(session)).toBe(0o600);
	const run = pi.prompt("/sequence run 2");
	await server.waitForRequest(5);
	const second = (await pi.state()).sessionFile;
	expect(second).not.toBe(session);
	expect(modeOf(second)).toBe(0o600);
	await pi.send({ type: "abort" });
	await run;
	await pi.send({ type: "clone" });
	const copy = (await pi.state()).sessionFile;
	expect(copy).not.toBe(second);
	expect(modeOf(copy)).toBe(0o600);
});
