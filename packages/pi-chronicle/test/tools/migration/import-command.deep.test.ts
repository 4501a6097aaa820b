// `import` as a command: on the command line and in pi.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openBench, openProject, packageUnderTest, piScript, runNode } from "../../harness/index.ts";
import { patient } from "../../harness/patience.ts";

it("import works on the command line and in pi", { timeout: patient(90_000) }, async () => {
	const template = "states: { a: { persona: P, next: [b] }, b: {} }\n";
	const project = openProject({ files: { "old/one.yaml": template } });
	const { cli } = packageUnderTest();
	const env = { PI_CHRONICLE_PI: piScript() };
	const done = await runNode(project, [cli, "import", "old/one.yaml", "--json"], { env });
	expect(done).toMatchObject({ code: 0, stderr: "" });
	expect(JSON.parse(done.stdout)).toMatchObject({
		verb: "import",
		written: [{ files: [".pi/chronicle/workflows/one.yaml"] }],
	});
	expect(await runNode(project, [cli, "check"], { env })).toMatchObject({ code: 0 });
	expect(await runNode(project, [cli, "import", "old", "--to", project.home], { env })).toMatchObject({ code: 0 });
	expect(existsSync(join(project.home, ".pi/chronicle/workflows/one.yaml"))).toBe(true);

	const { rpc, project: second } = await openBench({ files: { "old/one.yaml": template } });
	const pi = await rpc();
	await pi.prompt("/chronicle import old/one.yaml");
	await pi.screen.notified(/one\.yaml: chronicle template/);
	expect(second.exists(".pi/chronicle/workflows/one.yaml")).toBe(true);
});
