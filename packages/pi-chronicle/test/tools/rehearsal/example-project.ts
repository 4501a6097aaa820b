// Helpers for rehearsals on the command line: the example project and the verb.
import { cpSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { checkout, openProject, type Project, packageUnderTest, piScript, runNode } from "../../harness/index.ts";

const example = join(checkout, "examples", "receipts");

/** A project with the package's example. */
export function exampleProject(): Project {
	const project = openProject({ name: "receipts" });
	cpSync(example, project.folder, { recursive: true });
	return project;
}

/** Runs `pi-chronicle rehearse …` with a temporary folder whose files can be counted. */
export async function rehearse(project: Project, ...args: string[]) {
	const temp = join(project.home, "tmp");
	mkdirSync(temp, { recursive: true });
	const done = await runNode(project, [packageUnderTest().cli, "rehearse", ...args], {
		env: { TMPDIR: temp, PI_CHRONICLE_PI: piScript() },
		timeout: 400_000,
	});
	// pi keeps caches of compiled code in the temporary folder.
	const caches = new Set(["jiti", "node-compile-cache"]);
	return { ...done, left: readdirSync(temp).filter((name) => !caches.has(name)) };
}

/** A chronicle of three states, as a file of a project. */
export const chronicle = (state: Record<string, unknown> = {}) => ({
	".pi/chronicle/workflows/round.json": {
		name: "Round",
		states: {
			plan: { persona: "Planner", next: ["build"], ...state },
			build: { persona: "Builder", next: ["check"] },
			check: { persona: "Checker", next: ["shipped", "build"] },
			shipped: { next: [] },
		},
	},
});

/** A workflow of two phases, as files of a project; `phase`: further front matter of the first. */
export const oneWorkflow = (phase: string) => ({
	".pi/workflows/small/workflow.yaml":
		"name: Small\ncommandName: small\ninitialMessage: 'Do {description}'\nphases: [a.md, b.md]\n",
	".pi/workflows/small/a.md": `---\nid: a\nname: First\nemoji: 🅰\n${phase}---\nLook.\n`,
	".pi/workflows/small/b.md": "---\nid: b\nname: Second\nemoji: 🅱\n---\nWrite.\n",
});
