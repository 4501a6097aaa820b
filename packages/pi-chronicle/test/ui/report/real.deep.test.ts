// The report of a real run: pi's workers, files on disk, the command line.
import { existsSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { openBench } from "../../harness/index.ts";
import { patient } from "../../harness/patience.ts";
import { call } from "../../harness/reply.ts";
import { chronicle, move, onlyRun, withTemplates, worker } from "../../runs/bench.ts";
import { attribute, expectSound } from "./checks.ts";

const template = {
	name: "Two steps",
	states: {
		draft: { persona: "Writer", next: ["polish"], requires_approval: true },
		polish: { persona: "Editor", next: ["done"] },
		done: {},
	},
};

it(
	"the report of a real run has changed lines, tool calls, decisions, and links to conversations that open",
	async () => {
		const secret = "sk-proj-ABCDEFGHIJKLMNOP0123";
		const { project } = await openBench({
			files: { ...withTemplates({ steps: template }), "notes/plan.md": "first line\nsecond line\n" },
			git: true,
			script: {
				[worker("draft")]: [
					call("bash", { command: `export API_KEY=${secret} && echo third line >> notes/plan.md` }),
					call("write", { path: "notes/<b>odd & name.md", content: `key: "${secret}"\n<script>alert(1)</script>\n` }),
					call("workflow_update_snapshot", {
						data: { findings: ["The plan has three lines."], pending_tasks: ["Number them."] },
					}),
					move("polish", "Drafted </style><script>alert(2)</script>."),
				],
				[worker("polish")]: [call("read", { path: "missing.txt" }), move("done", "Polished.")],
			},
		});
		expect((await chronicle(project, ["run", "steps", "Write", "a", "plan"])).code).toBe(3);
		const waiting = await chronicle(project, ["report", "--out", "../waiting.html"]);
		expect(waiting.code, waiting.stderr).toBe(0);
		expect(expectSound(project.read("../waiting.html")).text).toContain("pi-chronicle approve");

		const done = await chronicle(project, ["approve", "--json", onlyRun(project).slice(0, 8), "looks", "good"]);
		expect(done.code, done.stderr).toBe(0);
		const written = await chronicle(project, ["report"]);
		expect(written.code, written.stderr).toBe(0);
		const path = project.path(`.pi/chronicle/sessions/${onlyRun(project)}/report.html`);
		expect(written.stdout.trim().endsWith(path.slice(-60))).toBe(true);
		const html = project.read(`.pi/chronicle/sessions/${onlyRun(project)}/report.html`);
		if (process.env.KEEP_REPORT) writeFileSync(process.env.KEEP_REPORT, html);
		const page = expectSound(html);

		expect(page.section("visit-1")).toContain("3 + third line");
		expect(page.section("visit-1")).toContain("+ <script>alert(1)</script>");
		expect(page.section("visit-1")).toContain("notes/<b>odd & name.md");
		expect(page.section("visit-1")).toContain("Drafted </style><script>alert(2)</script>.");
		expect(page.section("people")).toContain("Approved the move from draft to polish looks good");
		expect(page.section("knowledge")).toContain("The plan has three lines.");
		expect(page.section("tools")).toMatch(/read 1 1 0/);
		expect(page.text).toContain("✓ done");
		expect(html).not.toContain(secret);
		expect(html).not.toContain(project.folder);
		const links = page
			.all("a")
			.flatMap((link) => attribute(link, "href") ?? [])
			.filter((href) => !href.startsWith("#"));
		expect(links).toHaveLength(3);
		for (const link of links) expect(existsSync(join(dirname(path), decodeURIComponent(link))), link).toBe(true);
		if (process.platform !== "win32") expect(statSync(path).mode & 0o077).toBe(0);
	},
	patient(120_000),
);
