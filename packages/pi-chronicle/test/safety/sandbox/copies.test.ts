// The sandbox of an agent that works in a copy of the project: its commands can write the copy, and neither the project nor other copies.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { hostEnvironment } from "../../../src/pi/index.ts";
import { openConfinement } from "../../../src/safety/index.ts";
import { openFolder } from "../../harness/folder.ts";
import { needsProgram } from "../../harness/needs.ts";
import { sandbox } from "./box.ts";

/** A project with the copies of two children, and a command in the box of the first. */
async function openCopies() {
	const base = openFolder();
	const project = join(base, "project");
	const children = join(base, "work", "app", "run");
	const [own, sibling] = ["one", "two"].map((name) => join(children, name, "files"));
	for (const root of [project, own ?? "", sibling ?? ""])
		for (const name of ["a.txt", "packages/x/b.txt", ".pi/rules.yaml"]) {
			mkdirSync(dirname(join(root, name)), { recursive: true });
			writeFileSync(join(root, name), "old\n");
		}
	return { project, own: own ?? "", sibling: sibling ?? "", children };
}

async function run(
	command: string,
	cwd: string,
	copy: { root: string; project: string; closed: string[] },
): Promise<void> {
	if (!sandbox) throw new Error("no sandbox");
	const box = openConfinement({
		host: hostEnvironment(cwd),
		root: copy.root,
		copy,
		probe: sandbox,
		folder: join(dirname(copy.root), "private"),
	});
	const confined = await box.confine(command, { scope: "project", network: "open" });
	execFileSync("bash", ["-c", confined.command], { cwd, stdio: "ignore" });
	confined.ended(false);
}

describe("a command in the box of a copy", needsProgram("bwrap", sandbox), () => {
	it("writes the whole copy, and nothing of the project, of siblings, of rules, or next to the files", async () => {
		const { project, own, sibling, children } = await openCopies();
		const copy = { root: own, project, closed: [children] };
		const elsewhere = [
			join(project, "a.txt"),
			join(project, "new.txt"),
			join(sibling, "a.txt"),
			join(sibling, "new.txt"),
			join(children, "one", "rest.json"),
			join(own, ".pi/rules.yaml"),
			join(own, ".pi/new.yaml"),
		];
		const writes = [...elsewhere, join(own, "a.txt"), join(own, "new.txt")].map((path) => `echo new > '${path}'`);
		// From a folder below the root: a child may work in a part of a repository.
		await run(`${writes.join("; ")}; true`, join(own, "packages/x"), copy);
		expect([readFileSync(join(own, "a.txt"), "utf8"), existsSync(join(own, "new.txt"))]).toEqual(["new\n", true]);
		const changed = elsewhere.filter((path) => existsSync(path) && readFileSync(path, "utf8") !== "old\n");
		expect(changed).toEqual([]);
		// All of it can be read.
		await run(`cat '${join(project, "a.txt")}' '${join(sibling, "a.txt")}' > seen.txt`, own, copy);
		expect(readFileSync(join(own, "seen.txt"), "utf8")).toBe("old\nold\n");
	});
});
