// git clean -fdx while children work: the run is found, and continues with everything that its children had made.
import { expect, it } from "vitest";
import { gate, openBench } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { call, say } from "../harness/reply.ts";
import { branch, childFolders, childWorker, chronicle, goOn, ledgerOf, move, runIds, withTemplates } from "./bench.ts";

it("what children had made is joined after the run is resumed", { timeout: patient(120_000) }, async () => {
	const held = gate();
	const built = (name: string) =>
		call("bash", { command: `echo ${name} > ${name}.txt; sed -i 's/^${name}$/${name}: built/' list.txt` });
	const { project, server } = await openBench({
		files: {
			...withTemplates({
				t: { states: { build: { branches: { one: branch("one"), two: branch("two") }, next: ["finished"] } } },
			}),
			"list.txt": `one\n${"-\n".repeat(9)}two\n`,
		},
		git: true,
		script: {
			[childWorker("one")]: [built("one"), move("done", "one is built.")],
			[childWorker("two")]: [built("two"), say("", { after: held.opened }), move("done", "two is built.")],
		},
	});
	// What is neither committed nor ignored is in the children's copies; git clean deletes it in the project.
	project.write("list.txt", `${project.read("list.txt")}uncommitted\n`);
	const going = goOn(project, ["run", "t", "Build", "it"]);
	await server.waitForRequest((request) => request.users.join().includes('child "two"') && request.results.length > 0);
	await going.says("one done");
	const [root = ""] = runIds(project).filter((id) => ledgerOf(project, id).template.name === "t");
	project.git("clean", "-fdxq");
	held.open();
	expect((await going.ended).code).toBe(1);
	expect(going.stderr()).toContain(`Continue with pi-chronicle resume ${root.slice(0, 8)}`);

	const listed = await chronicle(project, ["list"]);
	expect(listed.stdout).toMatch(
		/interrupted · build .*\n.*\n.*\n.* one: Write one\n.*interrupted · two .* two: Write two/,
	);
	// Nothing that is needed is taken for a leftover.
	expect((await chronicle(project, ["doctor", "--fix"])).stdout).toContain("3 ledgers, all events whole");
	const resumed = await chronicle(project, ["resume", root], { timeout: patient(60_000) });
	expect(resumed.code, resumed.stderr).toBe(0);
	expect(project.read("list.txt")).toBe(`one: built\n${"-\n".repeat(9)}two: built\nuncommitted\n`);
	expect([project.read("one.txt"), project.read("two.txt")]).toEqual(["one\n", "two\n"]);
	expect(resumed.stderr).not.toMatch(/no longer exists|could not/);
	expect(childFolders(project)).toEqual([]);
	expect((await chronicle(project, ["diff", root])).stdout).toMatch(/two\.txt/);
	expect((await chronicle(project, ["remove", root])).code).toBe(0);
	expect(project.list("../.pi/agent/chronicle/ledgers").filter((path) => !path.endsWith("project"))).toEqual([]);
});
