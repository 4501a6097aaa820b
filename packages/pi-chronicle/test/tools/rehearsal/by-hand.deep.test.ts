// Rehearsals by hand in real pi: over files, in a terminal, replayed, and abandoned.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { parseTranscript } from "../../../src/tools/rehearsal/by-hand/transcript-file.ts";
import { openProject, type Project, packageUnderTest, piScript, runNode } from "../../harness/index.ts";
import { patient } from "../../harness/patience.ts";
import { playedFigures } from "../../played/figures.ts";
import { chronicle, oneWorkflow, rehearse } from "./example-project.ts";

/** Answers the files of a play in this order. */
async function playFiles(folder: string, answers: readonly (readonly [string, string])[]): Promise<void> {
	for (const [file, answer] of answers) {
		const until = Date.now() + patient(60_000);
		while (!existsSync(join(folder, file))) {
			if (Date.now() > until) throw new Error(`${file} did not appear`);
			await sleep(50);
		}
		const name = join(folder, file.replace(/-.*/, "-answer.txt"));
		writeFileSync(`${name}.draft`, `${answer}\n`);
		renameSync(`${name}.draft`, name);
	}
}

const read = (folder: string, name: string): string => readFileSync(join(folder, name), "utf8");

const go = (to: string): string =>
	`say On to ${to}.\ncall workflow_transition {"target_state": "${to}", "summary": "done here"}\nend`;

/** A play of the chronicle `round`, with a mistake, an approval and one refused move. */
function playRound(folder: string): Promise<void> {
	return playFiles(folder, [
		["001-request.md", 'call read {"path": broken}\nend'],
		[
			"001-problem.md",
			'call read {"path": "README.md"}\ncall workflow_transition {"target_state": "moon", "summary": "far"}\nend',
		],
		["002-request.md", go("build")],
		["003-user.md", "yes"],
		["003-problem.md", "approve"],
		["004-request.md", 'call bash {"command": "git log --format=%s; git status --short; pwd"}\nend'],
		["005-request.md", go("check")],
		["006-request.md", go("shipped")],
	]);
}

const roundProject = (): Project => {
	const project = openProject({
		files: { ...chronicle({ requires_approval: true, instructions: "Plan it well." }), "README.md": "The project\n" },
		git: true,
	});
	project.write("README.md", "The project, changed\n");
	return project;
};

describe("pi-chronicle rehearse --by-hand", () => {
	it("plays over files, writes a transcript, and replays it", { timeout: patient(180_000) }, async () => {
		const project = roundProject();
		const folder = join(project.home, "play");
		const [{ code, stdout, left }] = await Promise.all([
			rehearse(project, "round", "--by-hand", folder, "--", "Do it"),
			playRound(folder),
		]);
		expect(stdout).toContain("DONE: 3 visits");
		expect([code, left]).toEqual([0, []]);

		const first = read(folder, "001-request.md");
		for (const text of ["state plan", "Do it", "Plan it well.", "### workflow_transition"])
			expect(first).toContain(text);
		expect(JSON.parse(read(folder, "001-request.json"))).toMatchObject({ messages: [{ role: "user" }] });
		const second = read(folder, "002-request.md");
		for (const text of ["The project, changed", "moon"]) expect(second).toContain(text);
		expect(second).not.toContain("Plan it well.");
		expect(read(folder, "005-request.md")).toMatch(/ M README\.md/);
		expect(existsSync(join(folder, "001-problem.md"))).toBe(false);
		expect(read(folder, "done.md")).toMatch(
			/# Done[\s\S]*Result of the run:\n.+[\s\S]*Requests: 5, [\d,]+ characters in all/,
		);

		const transcript = read(folder, "transcript.yaml");
		const parsed = parseTranscript(transcript);
		expect(typeof parsed === "string" ? parsed : playedFigures(parsed)).toMatchObject({
			wrongTargets: 1,
			decisions: 1,
		});
		for (const place of [project.home, "pi-rehearsal-"]) expect(transcript).not.toContain(place);

		const replayed = join(project.home, "replayed.yaml");
		const again = await rehearse(project, "--replay", join(folder, "transcript.yaml"), "--transcript", replayed);
		expect(again.stdout).toContain("Every request reads as before.");
		expect([again.code, again.left]).toEqual([0, []]);
		expect(readFileSync(replayed, "utf8")).toBe(transcript);

		project.write(
			".pi/chronicle/workflows/round.json",
			JSON.stringify(
				chronicle({ next: ["build", "moon"], instructions: "Plan it better." })[".pi/chronicle/workflows/round.json"],
			).replace('"shipped":{', '"moon":{},"shipped":{'),
		);
		const changed = await rehearse(project, "--replay", join(folder, "transcript.yaml"));
		expect(changed.stdout).toMatch(/- Plan it well\.[\s\S]*\+ Plan it better\./);
		expect(changed.stdout).toMatch(/The run went differently:[\s\S]*workflow_transition is ok, before/);
		expect(changed.code).toBe(1);
	});

	it("plays a workflow in a terminal, the user's decisions included", { timeout: patient(90_000) }, async () => {
		const project = openProject({ files: oneWorkflow("advance: person\n") });
		const lines = [
			...["nonsense", "say I have looked.", "end"],
			"approve",
			...['call workflow_step {"action": "next", "summary": "done"}', "end"],
			...["say All done.", "end"],
		];
		const { code, stdout } = await runNode(project, [packageUnderTest().cli, "rehearse", "small", "--by-hand"], {
			env: { PI_CHRONICLE_PI: piScript() },
			stdin: `${lines.join("\n")}\n`,
			timeout: 60_000,
		});
		expect(stdout).toContain("A line starts with `say`, `call` or `end`, not with `nonsense`");
		expect(stdout).toMatch(
			/# Request 001: phase small\/a[\s\S]*# 002: a question to the user[\s\S]*# Request 003: phase small\/b/,
		);
		expect(stdout).toContain("DONE: 2 visits");
		expect(code).toBe(0);
	});

	it("ends with nothing left when its input ends", { timeout: patient(60_000) }, async () => {
		const { code, stdout, left } = await rehearse(roundProject(), "round", "--by-hand");
		expect(stdout).toContain("The input ended, so the rehearsal ended.");
		expect([code, left]).toEqual([1, []]);
	});

	it.each([
		[["round", "--by-hand", "--every"], "follow no script"],
		[["round", "--wait", "5"], "a rehearsal with --by-hand"],
		[["round", "--replay", "none.yaml"], "takes name, task and answers from the transcript"],
		[["--replay", "none.yaml"], "The transcript cannot be read"],
		[["round", "--by-hand", "./.pi"], "is not empty"],
	])("refuses %j", async (args, problem) => {
		const project = roundProject();
		const { code, stderr } = await rehearse(project, ...args);
		expect(stderr).toContain(problem);
		expect(code).toBe(2);
	});
});
