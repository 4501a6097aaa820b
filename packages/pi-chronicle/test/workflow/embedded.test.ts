// Workflows in a host that embeds pi: several sessions in one process, and a session disposed in the middle of a run.
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { packageUnderTest, piScript, runNode, say } from "../harness/index.ts";
import { openStage, step } from "./stage.ts";

/** Opens two sessions, starts a workflow in both, disposes of the second one while it counts down, and lets the first one end. */
const host = (pi: string, extension: string) => `
const { createAgentSession, DefaultResourceLoader, SessionManager } = await import(${JSON.stringify(pi)});
const agentDir = process.env.PI_CODING_AGENT_DIR;
const cwd = process.cwd();
const errors = [];
const open = async () => {
	const resourceLoader = new DefaultResourceLoader({ cwd, agentDir, noExtensions: true, additionalExtensionPaths: [${JSON.stringify(extension)}] });
	await resourceLoader.reload();
	const { session } = await createAgentSession({ cwd, agentDir, resourceLoader, sessionManager: SessionManager.inMemory(cwd) });
	const widgets = [];
	const notices = [];
	const uiContext = {
		notify: (text) => notices.push(text), setWidget: (_key, lines) => widgets.push(lines?.[0] ?? "gone"),
		setStatus() {}, onTerminalInput: () => () => {}, confirm: async () => true,
	};
	await session.bindExtensions({ uiContext, mode: "rpc", onError: ({ event, error }) => errors.push(event + ": " + error) });
	return { session, widgets, notices };
};
const until = async (done) => { while (!done()) await new Promise((soon) => setTimeout(soon, 20)); };
const [one, two] = [await open(), await open()];
await two.session.prompt("/workflow v two");
await until(() => two.widgets.length > 0);
const before = two.widgets.length;
two.session.dispose();
await one.session.prompt("/workflow w one");
await until(() => one.notices.some((text) => text.includes("is DONE")));
await one.session.waitForIdle();
console.log(JSON.stringify({ after: two.widgets.slice(before), notices: one.notices, errors }));
process.exit(0);
`;

it("sessions of one process are isolated, and a disposed one stops its countdown", async () => {
	const stage = await openStage({ w: ["a"], v: ["c"] }, { countdown: 1, agentFiles: {} });
	stage.play("I stop", say("I stop as well"), step("next"), "end");
	const { extension } = packageUnderTest();
	const script = stage.project.write(
		"host.mjs",
		host(pathToFileURL(join(dirname(piScript()), "index.js")).href, extension),
	);
	const { stdout, stderr } = await runNode(stage.project, [script]);
	expect(stderr).toBe("");
	const { after, notices, errors } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
	expect(after.filter((line: string) => line !== "gone")).toEqual([]);
	expect(notices).toEqual([expect.stringContaining("is DONE")]);
	expect(errors).toEqual([]);
	expect(stage.server.requests.map(({ users }) => users.some((text) => text.includes("two")))).toEqual([
		true,
		false,
		false,
		false,
	]);
});
