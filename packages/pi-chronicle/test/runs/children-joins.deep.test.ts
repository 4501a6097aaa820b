// Joins of child runs with real workers: every kind of conflict, concurrent edits by the user, and forty children.
import { chmodSync, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gate, openBench } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { call } from "../harness/reply.ts";
import {
	childFolders,
	childWorker,
	chronicle,
	eventsOf,
	goOn,
	ledgerOf,
	move,
	runIds,
	withTemplates,
	worker,
} from "./bench.ts";

const part = { states: { work: { persona: "Builder", next: ["done"] } } };
const branch = (name: string) => ({ run: { states: { [name]: part.states.work } }, task: `Do ${name}` });
const pair = { states: { build: { branches: { one: branch("one"), two: branch("two") }, next: ["finished"] } } };
const text = `${Array.from({ length: 40 }, (_, n) => `line ${n}`).join("\n")}\n`;

it("what a join cannot write: new files are copied, the run waits for the others, and all readers are told", {
	timeout: patient(180_000),
}, async () => {
	const template = {
		states: {
			build: { branches: { one: branch("one") }, next: ["check"] },
			check: { persona: "Checker", next: ["finished"] },
		},
	};
	const large = "head -c 21000000 /dev/zero";
	const { project, server } = await openBench({
		files: { ...withTemplates({ t: template }), ".gitignore": "dist/\n", "mine.bin": Buffer.alloc(21_000_001) },
		script: {
			[childWorker("one")]: [
				call("bash", {
					command: `${large} > new.bin; ${large} > mine.bin; echo KEY=1 > .env.test; mkdir dist; echo 1 > dist/a`,
				}),
				call("bash", { command: "git init -q lib && echo 1 > lib/a" }),
				move("done", "One is done."),
			],
			[worker("check")]: [move("finished", "Checked.")],
		},
	});
	const first = await chronicle(project, ["run", "t", "Make files"]);
	expect([first.code, first.stderr]).toEqual([3, expect.any(String)]);
	expect(first.stdout).toMatch(/Not joined, kept in \S+\/files: mine\.bin \(over 20 MB; the project has another one/);
	expect(["new.bin", ".env.test", "lib/a"].map((path) => project.exists(path))).toEqual([true, true, true]);
	expect(statSync(project.path("mine.bin")).size).toBe(21_000_001);
	const kept = /kept in (\S+\/files)/.exec(first.stdout)?.[1] ?? "";
	expect(statSync(join(kept, "mine.bin")).size).toBe(21_000_000);
	const resumed = await chronicle(project, ["resume"]);
	expect([resumed.code, resumed.stderr]).toEqual([0, expect.any(String)]);
	expect(resumed.stdout).toContain(kept);
	const told = server.requests.find(({ users }) => users[0]?.includes('state "check"'))?.users[0] ?? "";
	expect(told).toContain("ignored, not joined: dist/ (1 file, 2 B)");
	expect(told).toContain(kept);
	expect(existsSync(join(kept, "mine.bin"))).toBe(true);
	const removed = await chronicle(project, ["remove", "last"]);
	expect([removed.code, existsSync(kept)], removed.stderr).toEqual([0, false]);
});

describe("children that change the same files", { timeout: patient(180_000) }, () => {
	const play = async (one: string, two: string) => {
		const { project } = await openBench({
			files: { ...withTemplates({ t: pair }), "a.txt": text, "b.txt": "b\n", "data.bin": Buffer.from([0, 1, 2, 0]) },
			script: {
				[childWorker("one")]: [call("bash", { command: one }), move("done", "One is done.")],
				[childWorker("two")]: [call("bash", { command: two }), move("done", "Two is done.")],
			},
		});
		return { project, first: await chronicle(project, ["run", "t", "Change it"]) };
	};

	it.each([
		["edits of one line", "sed -i 's/line 3$/one/' a.txt", "sed -i 's/line 3$/two/' a.txt", "a.txt"],
		["a deletion and an edit", "rm a.txt", "sed -i 's/line 3$/two/' a.txt", "a.txt"],
		["two renames of one file", "mv a.txt one.txt", "mv a.txt two.txt", "a.txt"],
		["two binary changes", "printf '\\0one' > data.bin", "printf '\\0two' > data.bin", "data.bin"],
		["a file against a folder", "echo 1 > new", "mkdir new; echo 2 > new/inside", "new"],
	])("are a conflict, which --choice theirs resolves: %s", async (_, one, two, path) => {
		const { project, first } = await play(one, two);
		expect([first.code, ledgerOf(project, rootOf(project)).status], first.stderr).toEqual([3, "awaiting_approval"]);
		expect(first.stdout).toContain(path);
		expect(project.read("a.txt")).toBe(text);
		const resolved = await chronicle(project, ["approve", "--choice", "theirs"]);
		expect([resolved.code, resolved.stderr]).toEqual([0, expect.any(String)]);
		expect(ledgerOf(project, rootOf(project)).status).toBe("done");
	});

	it.each([
		["a rename and an edit", "mv a.txt moved.txt", "sed -i 's/line 3$/two/' a.txt", ["moved.txt"]],
		["edits of different lines", "sed -i 's/line 3$/one/' a.txt", "sed -i 's/line 30$/two/' a.txt", ["a.txt"]],
		["a mode and an edit", "chmod +x b.txt", "echo more >> b.txt", ["b.txt"]],
	])("are merged: %s", async (_, one, two, paths) => {
		const { project, first } = await play(one, two);
		expect([first.code, first.stderr]).toEqual([0, expect.any(String)]);
		for (const path of paths) expect(project.read(path)).toMatch(/two|more/);
		if (paths.includes("b.txt")) expect(statSync(project.path("b.txt")).mode & 0o111).not.toBe(0);
		else if (paths.includes("moved.txt")) expect(project.exists("a.txt")).toBe(false);
		else expect(project.read("a.txt")).toContain("one");
	});

	it("are shown in a session, with the folder in which they can be resolved, before the user answers", async () => {
		const { project, rpc } = await openBench({
			files: { ...withTemplates({ t: pair }), "a.txt": text },
			script: {
				[childWorker("one")]: [
					call("bash", { command: "sed -i 's/line 3$/one/' a.txt; echo new > b.txt" }),
					move("done", "One."),
				],
				[childWorker("two")]: [call("bash", { command: "sed -i 's/line 3$/two/' a.txt" }), move("done", "Two.")],
			},
		});
		const pi = await rpc();
		await pi.prompt("/chronicle t Change it");
		const first = await pi.screen.dialog('Changes of "build" conflict', 60_000);
		const [, folder = ""] = /then choose hand: (\S+)/.exec(first.title) ?? [];
		expect(readFileSync(join(folder, "a.txt"), "utf8")).toContain("<<<<<<<");
		pi.screen.answer(first, "Show the conflicts");
		await pi.screen.notified(/Conflicts in build: [\s\S]*\+<{7}[\s\S]*\+one[\s\S]*\+two/);
		expect(pi.screen.notifications.some(({ message }) => message.includes("b.txt"))).toBe(false);
		pi.screen.answer(await pi.screen.dialog('Changes of "build" conflict'), "Take the later side");
		const confirmed = await pi.screen.dialog("Take the later side: two?");
		for (const words of ["a.txt", /rewind \w{8} 1 restores/]) expect(confirmed.title).toMatch(words);
		pi.screen.answer(confirmed, "Take the later side: two");
		const status = () => ledgerOf(project, rootOf(project)).status;
		await expect.poll(status, { timeout: patient(30_000) }).toBe("done");
		expect(project.read("a.txt")).toContain("two");
	});

	it("keep what the user writes into the same file meanwhile", async () => {
		const held = gate();
		const { project, server } = await openBench({
			files: { ...withTemplates({ t: pair }), "a.txt": text },
			script: {
				[childWorker("one")]: [
					call("bash", { command: "sed -i 's/line 3$/one/' a.txt" }),
					move("done", "One.", { after: held.opened }),
				],
				[childWorker("two")]: [call("bash", { command: "sed -i 's/line 30$/two/' a.txt" }), move("done", "Two.")],
			},
		});
		const run = goOn(project, ["run", "t", "Change it"]);
		await server.waitForRequest(({ users, results }) => (users[0] ?? "").includes('"one"') && results.length === 1);
		project.write("a.txt", text.replace("line 15\n", "mine\n"));
		chmodSync(project.path("a.txt"), 0o640);
		held.open();
		expect((await run.ended).code, run.stderr()).toBe(0);
		for (const word of ["one\n", "mine\n", "two\n"]) expect(project.read("a.txt")).toContain(word);
	});
});

describe("forty children", () => {
	it("work four at a time, and leave neither processes nor folders", { timeout: patient(400_000) }, async () => {
		const wide = {
			states: {
				plan: { persona: "Planner", next: ["build"] },
				build: { run: part, for_each: "parts", task: "Write part {item}.", max_parallel: 4, next: ["finished"] },
			},
		};
		const parts = Array.from({ length: 40 }, (_, n) => `p${n}`);
		const { project } = await openBench({
			files: withTemplates({ wide }),
			script: {
				[worker("plan")]: [call("workflow_update_snapshot", { data: { parts } }), move("build")],
				[worker("work")]: ({ users, results }) => {
					const [, name] = /Write part (p\d+)\./.exec(users[0] ?? "") ?? [];
					return results.length === 0
						? call("write", { path: `${name}.txt`, content: `${name}\n` })
						: move("done", "There.");
				},
			},
		});
		const timeout = 300_000;
		const { code, stderr } = await chronicle(project, ["run", "wide", "All parts"], { timeout });
		expect([code, stderr]).toEqual([0, expect.any(String)]);
		expect(parts.map((name) => project.read(`${name}.txt`))).toEqual(parts.map((name) => `${name}\n`));
		const root = rootOf(project);
		const marks = runIds(project)
			.filter((id) => id !== root)
			.flatMap((id) => eventsOf(project, id))
			.flatMap(({ kind, at }) =>
				kind === "worker_started" ? [[String(at), 1]] : kind === "worker_ended" ? [[String(at), -1]] : [],
			)
			.toSorted((one, other) => String(one[0]).localeCompare(String(other[0])) || Number(one[1]) - Number(other[1]));
		let working = 0;
		let most = 0;
		for (const [, change] of marks) {
			working += Number(change);
			most = Math.max(most, working);
		}
		expect(most).toBeLessThanOrEqual(4);
		expect(project.processes()).toEqual([]);
		expect(childFolders(project)).toEqual([]);
	});
});

function rootOf(project: Parameters<typeof runIds>[0]): string {
	return runIds(project).find((id) => ["t", "wide"].includes(ledgerOf(project, id).template.name)) ?? "";
}
