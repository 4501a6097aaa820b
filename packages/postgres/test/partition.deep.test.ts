// Hosts in network namespaces of their own, with real packets: one is cut off from everything while it works, and comes back.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startChild } from "../../pi-chronicle/src/process/index.ts";
import { closeLater } from "../../pi-chronicle/test/harness/lifetime.ts";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { packageUnderTest, piScript } from "../../pi-chronicle/test/harness/under-test.ts";
import { type EngineStage, eventually, openEngineStage, openStageModel } from "./engine-stage.ts";
import { type Namespace, needsNamespaces, openNamespace } from "./namespaces.ts";

/** Serves the shared repository to a namespace, and gives its address there. */
async function serveGit({ remote }: EngineStage, { gateway }: Namespace): Promise<string> {
	const port = 9418;
	const args = ["daemon", "--reuseaddr", "--verbose", `--listen=${gateway}`, `--port=${port}`, "--export-all"];
	const child = startChild({
		command: "git",
		args: [...args, "--enable=receive-pack", `--base-path=${join(remote, "..")}`, join(remote, "..")],
		cwd: "/",
		env: process.env,
	});
	closeLater(async () => {
		await child.kill();
	});
	expect(
		await eventually(
			() => child.stderr(),
			(said) => said.includes("Ready to rumble"),
		),
	).toContain("Ready to rumble");
	return `git://${gateway}:${port}/shared.git`;
}

/** A host of the stage that reaches everything over the link of its namespace. */
async function hostIn(stage: EngineStage, namespace: Namespace, name: string, model: string) {
	const { project, cluster } = stage;
	const url = new URL(cluster.url);
	await namespace.reach(Number(url.port));
	await namespace.reach(Number(new URL(model).port));
	url.hostname = namespace.gateway;
	const config = join(project.home, `${name}.json`);
	writeFileSync(config, JSON.stringify({ projects: { app: { remote: await serveGit(stage, namespace) } } }));
	const data = ["--name", name, "--data", join(project.home, "hosts", name), "--lease", String(stage.lease)];
	const command = [process.execPath, packageUnderTest().cliWithEngine, "engine", "worker", "--config", config, ...data];
	const child = namespace.start([...command, "--engine", url.href], {
		cwd: project.folder,
		env: project.environment({ PI_CHRONICLE_PI: piScript() }),
	});
	let text = "";
	child.onOutput((chunk) => {
		text += chunk.toString();
	});
	return { child, log: () => text + child.stderr() };
}

describe("a host that is cut off", needsPostgres, () => {
	it("stops its run, which another host continues, and claims other runs once it is back", {
		timeout: patient(300_000),
		...needsNamespaces(),
	}, async () => {
		const server = await openStageModel();
		const stage = await openEngineStage(server);
		const [near, far] = [openNamespace(), openNamespace()];
		const a = await hostIn(stage, near, "a", server.url);
		const gate = stage.gate();
		const run = await stage.submit(gate);
		await stage.approve(run);
		await stage.untilAtGate(run);
		const b = await hostIn(stage, far, "b", server.url);

		near.cut();
		await stage.untilEvents(run, (events) =>
			events.some((event) => event.kind === "attempt_reserved" && event.because === "interrupted"),
		);
		const late = /unreachable for longer than a lease/;
		expect(await eventually(a.log, (log) => late.test(log))).toMatch(late);
		gate.open();
		await stage.inspect(run);
		const opened = (await stage.events(run)).filter(({ kind }) => kind === "opened").at(-1);
		expect(opened).toMatchObject({ setBack: true });
		const told = server.requests.map(({ users }) => users.join("\n"));
		expect(told.some((text) => text.includes("the files were set back to the last snapshot that was published"))).toBe(
			true,
		);

		near.mend();
		await b.child.kill();
		const other = await stage.submit();
		await stage.approve(other);
		await stage.inspect(other);
		const holders = (await stage.events(other)).flatMap((event) => (event.kind === "opened" ? [event.pid] : []));
		expect(new Set(holders)).toEqual(new Set([a.child.pid]));
	});
});
