// `doctor --try`: a command of the project in a copy, as a child gets it, and in the sandbox; the project is not touched.
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { deepIt } from "../../harness/deep-it.ts";
import { openProject, type Project, packageUnderTest, piScript, runNode } from "../../harness/index.ts";
import { needsProgram } from "../../harness/needs.ts";
import { patient } from "../../harness/patience.ts";

interface Check {
	readonly what: string;
	readonly state: string;
	readonly text: string;
	readonly remedy?: string;
}

async function tryOut(project: Project, command: string, ...more: string[]) {
	const args = [packageUnderTest().cli, "doctor", "--json", "--try", command, ...more];
	const done = await runNode(project, args, { env: { PI_CHRONICLE_PI: piScript() } });
	const { checks } = JSON.parse(done.stdout) as { checks: Check[] };
	const [copy, box] = checks;
	return { code: done.code, copy, box, whats: checks.map(({ what }) => what) };
}

const look = (root: string) => readdirSync(root, { recursive: true }).map(String).sort();

describe("doctor --try", { timeout: patient(60_000) }, () => {
	deepIt("says what a copy lacks and what helps, and leaves the project alone", async () => {
		const project = openProject({
			git: true,
			files: {
				"a.txt": "a\n",
				".gitignore": "node_modules/\n",
				"node_modules/x/index.js": "x\n",
				"packages/one/node_modules/y/index.js": "y\n",
				"packages/one/b.txt": "b\n",
			},
		});
		const before = look(project.folder);
		const command =
			"cat node_modules/x/index.js packages/one/node_modules/y/index.js && echo new > a.txt && touch made.txt";
		const tried = await tryOut(project, command);
		expect([tried.code, tried.whats]).toEqual([1, ["in a copy", "in the sandbox"]]);
		expect(tried.copy).toMatchObject({ state: "failed", text: expect.stringContaining("ended with code 1") });
		expect(tried.copy?.remedy).toContain('It works with `link: ["**/node_modules"]`');
		const linked = await tryOut(project, command, "--link", "**/node_modules");
		expect([linked.code, linked.copy]).toEqual([0, expect.objectContaining({ state: "ok" })]);
		const missing = await tryOut(project, "true", "--link", "nowhere");
		expect([missing.code, missing.copy?.text]).toEqual([
			1,
			expect.stringContaining("`link` names nowhere, which does not exist"),
		]);
		const made = [
			"--setup",
			"for f in node_modules/x packages/one/node_modules/y; do mkdir -p $f && touch $f/index.js; done",
		];
		expect((await tryOut(project, command, ...made)).copy?.state).toBe("ok");
		const unmade = await tryOut(project, "true", "--setup", "echo no tools; exit 3");
		expect([unmade.code, unmade.copy?.text]).toEqual([
			1,
			expect.stringContaining("set-up command failed first: no tools"),
		]);
		expect([look(project.folder), project.read("a.txt")]).toEqual([before, "a\n"]);
		expect(readdirSync(tmpdir()).filter((name) => name.startsWith("pi-chronicle-trial-"))).toEqual([]);
	});

	it("says what the sandbox prevents", needsProgram("bwrap"), async () => {
		const project = openProject({ git: true, files: { "a.txt": "a\n" } });
		const outside = join(project.home, "outside.txt");
		const tried = await tryOut(project, `echo new > a.txt && echo out > '${outside}'`);
		expect(tried.copy?.state).toBe("ok");
		expect(tried.box).toMatchObject({ state: "warning", remedy: expect.stringContaining("only the copy") });
		expect((await tryOut(project, "echo new > a.txt && cat a.txt")).box?.state).toBe("ok");
		expect(project.read("a.txt")).toBe("a\n");
	});
});
