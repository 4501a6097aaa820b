// `take: one` with real workers: the supervisor is killed at every point between the judge's start and the end of the
// run. One child is taken, once, and the user's own edits stay.
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openBench } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { call } from "../harness/reply.ts";
import {
	branch,
	childFolders,
	childWorker,
	chronicle,
	eventsOf,
	ledgerOf,
	move,
	runIds,
	withTemplates,
	worker,
} from "./bench.ts";

const names = ["one", "two"];

const template = (choice: object) => ({
	states: {
		build: { branches: { one: branch("one"), two: branch("two") }, max_parallel: 1, take: "one", next: ["choice"] },
		choice: { persona: "Judge", next: ["finished"], ...choice },
	},
});

/** A run whose two children are done, and whose supervisor was killed before the judge started. */
async function openTaking(choice: object = {}) {
	const written = (name: string) => [
		call("write", { path: `${name}.txt`, content: `${name}\n` }),
		move("done", `${name} is there.`),
	];
	const chosen = () =>
		call("workflow_transition", { target_state: "finished", summary: "Two is better.", data: { winner: "two" } });
	const { project, server } = await openBench({
		files: { ...withTemplates({ t: template(choice) }), "mine.txt": "mine\n" },
		script: { [childWorker("one")]: written("one"), [childWorker("two")]: written("two"), [worker("choice")]: chosen },
	});
	const first = await chronicle(project, ["run", "t", "Build it", "--approve-cleanup"], {
		env: { PI_CHRONICLE_CRASH_AT: "after child_ended#2" },
	});
	expect(first.signal, first.stderr).toBe("SIGKILL");
	const [root = ""] = runIds(project).filter((id) => ledgerOf(project, id).template.name === "t");
	return {
		project,
		server,
		root,
		/** `pi-chronicle` with the run, killed at `point` if that is given. */
		say: (words: readonly string[], point?: string) =>
			chronicle(project, words, point === undefined ? {} : { env: { PI_CHRONICLE_CRASH_AT: point } }),
		taken: () => names.filter((name) => existsSync(project.path(`${name}.txt`))),
		count: (kind: string) => eventsOf(project, root).filter((event) => event.kind === kind).length,
	};
}

type Taking = Awaited<ReturnType<typeof openTaking>>;

/** Resumes the run again and again, killed at the next point each time, while the user edits a file. */
async function killAt({ project, root, say }: Taking, points: readonly string[]): Promise<void> {
	for (const point of points) {
		project.write("mine.txt", `before ${point}\n`);
		const killed = await say(["resume", root], point);
		expect(killed.signal, `dies at "${point}": ${killed.stdout}${killed.stderr}`).toBe("SIGKILL");
		expect(project.read("mine.txt")).toBe(`before ${point}\n`);
	}
}

/** What must hold at the end: one child is taken, once, and nothing else is left. */
function inspect({ project, root, taken, count }: Taking, winner: string): void {
	expect(ledgerOf(project, root).status).toBe("done");
	expect(taken()).toEqual([winner]);
	expect(project.read(`${winner}.txt`)).toBe(`${winner}\n`);
	expect([count("children_planned"), count("child_ended"), count("join_applied")]).toEqual([1, 2, 1]);
	expect(runIds(project)).toHaveLength(3);
	expect(childFolders(project)).toEqual([]);
	expect(project.processes()).toEqual([]);
}

describe("a supervisor of a run with take: one", { timeout: patient(240_000) }, () => {
	it.each<[string, readonly string[]]>([
		[
			"before the choice",
			[
				"before files_measured",
				"after attempt_reserved",
				"worker is up",
				"after worker_started",
				"before move_requested",
				"after move_requested",
			],
		],
		[
			"between the choice and the merge",
			[
				"before worker_ended",
				"after worker_ended",
				"before doing clean_up",
				"after cleanup_ended",
				"before files_measured",
				"after files_measured",
				"before doing merge_files",
				"files are merged",
				"before joined",
			],
		],
		[
			"while the files are written",
			[
				"after joined",
				"before doing apply_join",
				"before merged files are written",
				"merged files are written",
				"before join_applied",
				"after join_applied",
				"before finished",
			],
		],
	])("is killed repeatedly %s, and its successors reach the same end", async (_, points) => {
		const taking = await openTaking({ cleanup: ["echo cleaned >> cleanup.log"] });
		await killAt(taking, points);
		const end = await taking.say(["resume", taking.root]);
		expect(end.code, `${end.stdout}${end.stderr}`).toBe(0);
		expect(taking.project.read("cleanup.log")).toContain("cleaned");
		inspect(taking, "two");
	});

	it("is killed around the user's answer, which counts once and takes another child", async () => {
		const taking = await openTaking({ requires_approval: true });
		const { root, say, taken, project } = taking;
		expect((await say(["resume", root])).code).toBe(3);
		expect(taken()).toEqual([]);
		const [child = ""] = runIds(project).filter((id) => ledgerOf(project, id).template.name === "one");
		const compared = await say(["diff", child]);
		expect([compared.code, compared.stdout], compared.stderr).toEqual([0, expect.stringContaining("+one\n")]);
		const wrong = await say(["approve", root, "--choice", "tow"]);
		expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("Did you mean `two`? They are: one, two.")]);
		const answer = ["approve", root, "--choice", "one", "It", "has", "tests."];
		expect((await say(answer, "before approved")).signal).toBe("SIGKILL");
		expect(ledgerOf(project, root).status).toBe("awaiting_approval");
		expect((await say(answer, "after approved")).signal).toBe("SIGKILL");
		const late = await say(["approve", root, "--choice", "two"]);
		expect([late.code, late.stderr]).toEqual([2, expect.stringContaining("Nothing to approve.")]);
		await killAt(taking, [
			"before doing merge_files",
			"after joined",
			"merged files are written",
			"after join_applied",
		]);
		const end = await say(["resume", root]);
		expect(end.code, `${end.stdout}${end.stderr}`).toBe(0);
		inspect(taking, "one");
		expect((await say(["approve", root, "--choice", "two"])).code).toBe(2);
		const status = await say(["status", root]);
		expect(status.stdout).toContain(`"one" of build is taken, by the user's choice instead of "two": It has tests.`);
		expect((await say(["status", root, "--json"])).data).toMatchObject({
			choices: [{ state: "build", visit: 1, madeIn: 2, winner: "one", by: "person", insteadOf: "two" }],
		});
	});
});
