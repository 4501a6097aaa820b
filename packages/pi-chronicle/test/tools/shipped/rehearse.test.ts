// The shipped definitions, rehearsed in real pi on small repositories with real tests. Pushes run one, the deep run all of them, also
// with the shipped scenarios. The gallery shows the reports of workflows; UPDATE_IMAGES=1 draws them again.
import { describe, expect, it } from "vitest";
import { shippedNames } from "../../../src/tools/shipped/index.ts";
import { deepIt } from "../../harness/deep-it.ts";
import { openProject, type Project } from "../../harness/index.ts";
import { patient } from "../../harness/patience.ts";
import { rehearse } from "../rehearsal/example-project.ts";
import { expectReportPicture } from "./gallery-picture.ts";
import { type ShippedCase, shippedCases } from "./repositories.ts";

interface Report {
	readonly outcome: string;
	readonly parts: readonly {
		readonly id: string;
		readonly calls: readonly { readonly tool: string; readonly with: string; readonly outcome: string }[];
	}[];
	readonly changes: readonly { readonly path: string }[];
	readonly missed: readonly string[];
}

function repositoryOf({ kind, name, files, scenario }: ShippedCase): Project {
	return openProject({ files: { ...files, [`.pi/rehearsals/${kind}s/${name}.yaml`]: scenario }, git: true });
}

async function playCase(played: ShippedCase): Promise<void> {
	const { code, stdout, stderr } = await rehearse(repositoryOf(played), played.name, "--json", "--", played.task);
	expect(code, stderr).toBe(0);
	if (played.kind === "workflow") await expectReportPicture(played.name, stderr);
	const report = JSON.parse(stdout) as Report;
	expect(report).toMatchObject({ outcome: "done", missed: [] });
	expect(report.changes.map(({ path }) => path)).toEqual(played.changed);
	const made = report.parts.flatMap(({ id, calls }) =>
		calls.map((call) => [id, `${call.tool} ${call.with}`, call.outcome]),
	);
	let from = 0;
	for (const [part, call, outcome] of played.calls) {
		const at = made.findIndex(([id, text = ""], index) => index >= from && id === part && text.includes(call));
		expect(made[at], `${part}: ${call}\n${made.map((each) => each.join(" ")).join("\n")}`).toMatchObject([
			part,
			expect.anything(),
			outcome,
		]);
		from = at + 1;
	}
}

const named = (name: string): ShippedCase => shippedCases.find((each) => each.name === name) as ShippedCase;
const limit = { timeout: patient(100_000) };

describe("a shipped definition does its work in a repository", () => {
	deepIt("feature: a failing test, the code, a review that runs everything", limit, () => playCase(named("feature")));

	it("bug-hunt: nothing is repaired before a test shows it", limit, () => playCase(named("bug-hunt")));

	deepIt.each(shippedCases.filter(({ name }) => name !== "feature" && name !== "bug-hunt"))("$name", limit, playCase);

	deepIt.each(shippedNames())("%s goes through its own scenario in an empty repository", limit, async (name) => {
		const project = openProject({ files: { "notes.txt": "empty\n" }, git: true });
		const { code, stdout, stderr } = await rehearse(project, name, "--json");
		expect(code, stderr).toBe(0);
		expect(JSON.parse(stdout)).toMatchObject({ outcome: "done", missed: [], program: { name, diagnostics: [] } });
	});
});
