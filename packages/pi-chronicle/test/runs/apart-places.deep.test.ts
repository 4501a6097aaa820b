// Runs apart in projects of other shapes: a linked worktree, one with a submodule, and one that is removed while the run works.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { gate, openBench } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { call, say } from "../harness/reply.ts";
import { chronicle, goOn, move, runIds, withTemplates, worker } from "./bench.ts";

const files = {
	...withTemplates({ one: { states: { work: { persona: "Builder", next: ["done"] } } } }),
	"src/a.txt": "one\ntwo\nthree\n",
};

const timeout = patient(120_000);

it("in a linked worktree it leaves both checkouts alone, and its branch is the repository's", { timeout }, async () => {
	const change = call("bash", {
		command: "sed -i s/two/2/ src/a.txt; git status --porcelain > seen.txt; git log --oneline | wc -l > count.txt",
	});
	const { project } = await openBench({
		files,
		git: true,
		script: { [worker("work")]: [change, move("done", "Done.")] },
	});
	project.git("worktree", "add", "-q", "../linked", "-b", "side");
	const linked = { ...project, folder: join(dirname(project.folder), "linked") };
	const read = (path: string) => readFileSync(join(linked.folder, path), "utf8");
	const ran = await chronicle(linked, ["run", "--json", "--apart", "one", "Do it"]);
	expect(ran.code, ran.stderr).toBe(0);
	const { id } = ran.data as { id: string };
	expect([read("src/a.txt"), project.read("src/a.txt")]).toEqual(["one\ntwo\nthree\n", "one\ntwo\nthree\n"]);
	const branch = await chronicle(linked, ["join", id, "--branch", "made"]);
	expect(branch.code, branch.stderr).toBe(0);
	expect(project.git("show", "made:src/a.txt")).toBe("one\n2\nthree\n");
	expect(project.git("merge-base", "made", "side").trim()).toBe(project.git("rev-parse", "side").trim());
	expect((await chronicle(linked, ["join", id])).code).toBe(0);
	expect([read("src/a.txt"), read("seen.txt"), read("count.txt")]).toEqual([
		"one\n2\nthree\n",
		" M src/a.txt\n?? seen.txt\n",
		"2\n",
	]);
	expect(project.read("src/a.txt")).toBe("one\ntwo\nthree\n");
});

it("in a project with a submodule, what it changes there is kept in its copy, and the join says so once", {
	timeout,
}, async () => {
	const change = call("bash", {
		command: "sed -i s/two/2/ src/a.txt; echo changed >> lib/l.txt; git -C lib rev-parse --show-toplevel",
	});
	const { project } = await openBench({
		files,
		git: true,
		script: { [worker("work")]: [change, move("done", "Done.")] },
	});
	const library = join(dirname(project.folder), "library");
	const git = (cwd: string, ...args: string[]) =>
		execFileSync("git", ["-c", "protocol.file.allow=always", "-c", "user.name=A", "-c", "user.email=a@x", ...args], {
			cwd,
		});
	execFileSync("git", ["init", "-q", library]);
	execFileSync("sh", ["-c", "echo first > l.txt"], { cwd: library });
	git(library, "add", "-A");
	git(library, "commit", "-qm", "one");
	git(project.folder, "submodule", "add", "-q", library, "lib");
	git(project.folder, "commit", "-qam", "lib");
	const ran = await chronicle(project, ["run", "--json", "--apart", "one", "Do it"]);
	expect(ran.code, ran.stderr).toBe(0);
	const { id } = ran.data as { id: string };
	expect(project.read("lib/l.txt")).toBe("first\n");
	const joined = await chronicle(project, ["join", id]);
	expect([joined.code, project.read("src/a.txt"), project.read("lib/l.txt")]).toEqual([
		3,
		"one\n2\nthree\n",
		"first\n",
	]);
	const [, copy = ""] = /kept in (\S+): lib \(a submodule that it has changed/.exec(joined.stdout) ?? [];
	for (const command of [
		["discard", id],
		["join", id, "--branch", "aside"],
	]) {
		const refused = await chronicle(project, command);
		expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("join continues it")]);
	}
	const continued = await chronicle(project, ["join", id]);
	expect([continued.code, continued.stdout]).toEqual([0, expect.stringContaining("Joined the files of one")]);
	expect(readFileSync(join(copy, "lib/l.txt"), "utf8")).toBe("first\nchanged\n");
	const before = project.git("status", "--porcelain");
	for (const branch of ["", "elsewhere"]) {
		if (branch) project.git("checkout", "-qb", branch);
		const again = await chronicle(project, ["join", id]);
		expect([again.code, project.git("status", "--porcelain")], again.stdout).toEqual([0, before]);
	}
	const aside = await chronicle(project, ["join", id, "--branch", "aside"]);
	expect(aside.code, aside.stderr).toBe(0);
});

it("is joined by `join --other-branch` after `join` has named the other branch", { timeout }, async () => {
	const change = call("bash", { command: "sed -i s/two/2/ src/a.txt" });
	const { project } = await openBench({
		files,
		git: true,
		script: { [worker("work")]: [change, move("done", "Done.")] },
	});
	const first = project.git("branch", "--show-current").trim();
	project.git("checkout", "-qb", "gone");
	const ran = await chronicle(project, ["run", "--json", "--apart", "one", "Do it"]);
	const { id } = ran.data as { id: string };
	project.git("checkout", "-q", first);
	project.git("branch", "-qD", "gone");
	expect((await chronicle(project, ["join", id])).code).toBe(3);
	expect(project.read("src/a.txt")).toBe("one\ntwo\nthree\n");
	const joined = await chronicle(project, ["join", id, "--other-branch"]);
	expect(joined.code, joined.stderr).toBe(0);
	expect(project.read("src/a.txt")).toBe("one\n2\nthree\n");
});

it("names its copy where the project was removed meanwhile, and continues once it is back", { timeout }, async () => {
	const held = gate();
	const change = call("bash", { command: "sed -i s/two/2/ src/a.txt" });
	const { project, server } = await openBench({
		files,
		git: true,
		script: { [worker("work")]: [change, say("", { after: held.opened }), move("done", "Done.")] },
	});
	const going = goOn(project, ["run", "--apart", "one", "Do it"]);
	await server.waitForRequest((request) => request.results.length > 0);
	const [id = ""] = runIds(project);
	const away = `${project.folder}-away`;
	renameSync(project.folder, away);
	held.open();
	const ended = await going.ended;
	const copy = /\S+\/chronicle\/work\/\S+/.exec(going.stderr())?.[0] ?? "";
	expect(ended.code, going.stderr()).toBe(1);
	expect(existsSync(copy), going.stderr()).toBe(true);
	expect(readFileSync(join(copy, "src/a.txt"), "utf8")).toBe("one\n2\nthree\n");
	renameSync(away, project.folder);
	const resumed = await chronicle(project, ["resume", id]);
	expect(resumed.code, resumed.stderr).toBe(0);
	expect((await chronicle(project, ["join", id])).code).toBe(0);
	expect(project.read("src/a.txt")).toBe("one\n2\nthree\n");
});
