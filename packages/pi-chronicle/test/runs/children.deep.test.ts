// kill -9 of the supervisor at every point of a child's life and of the join. Nothing is lost, started twice or merged twice.
import { readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { openBench, openFolder } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { call, hang } from "../harness/reply.ts";
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

const template = {
	states: {
		build: { branches: { one: branch("one"), two: branch("two") }, next: ["check"] },
		check: { persona: "Checker", next: ["finished"] },
	},
};

/** Two points of one run, in the order in which it reaches them. */
const points = [
	["before children_planned", "files are merged"],
	["after children_planned", "before joined"],
	["child is up", "after joined"],
	["child is up#2", "before merged files are written"],
	["child files are kept", "merged files are written"],
	["before child_ended", "before join_applied"],
	["after child_ended", "after join_applied"],
	["after child_ended#2", "before join_applied"],
] as const;

describe("a supervisor of child runs", () => {
	it.each(points)(
		"is killed at '%s', its successor at '%s', and the next one reaches the same end",
		{ timeout: patient(120_000) },
		async (...killedAt) => {
			const written = (name: string) => [
				call("write", { path: `${name}.txt`, content: `${name}\n` }),
				...Array.from({ length: 5 }, () => move("done", `${name} is there.`)),
			];
			const { project, server } = await openBench({
				files: { ...withTemplates({ t: template }), "mine.txt": "mine\n" },
				script: {
					[childWorker("one")]: written("one"),
					[childWorker("two")]: written("two"),
					[worker("check")]: Array.from({ length: 5 }, () => move("finished", "All there.")),
				},
			});
			const first = () => runIds(project).find((id) => ledgerOf(project, id).template.name === "t") ?? "";
			for (const point of killedAt) {
				const words = first() === "" ? ["run", "t", "Build it"] : ["resume", first()];
				const killed = await chronicle(project, words, { env: { PI_CHRONICLE_CRASH_AT: point } });
				expect(killed.code, `${point}: ${killed.stderr}`).not.toBe(0);
			}
			const root = first();
			const resumed = await chronicle(project, ["resume", root.slice(0, 8)]);
			expect([resumed.code, resumed.stderr]).toEqual([0, expect.any(String)]);
			expect(readFileSync(join(project.folder, "mine.txt"), "utf8")).toBe("mine\n");
			for (const name of ["one", "two"]) {
				const [id = ""] = runIds(project).filter((child) => ledgerOf(project, child).template.name === name);
				// The script does not repeat a call that the kill has interrupted.
				const hasWritten = eventsOf(project, id).some(({ kind, tool }) => kind === "tool_ended" && tool === "write");
				if (hasWritten) expect(readFileSync(join(project.folder, `${name}.txt`), "utf8")).toBe(`${name}\n`);
			}
			const kinds = eventsOf(project, root).map(({ kind }) => String(kind));
			const count = (kind: string): number => kinds.filter((one) => one === kind).length;
			expect([count("children_planned"), count("child_ended"), count("join_applied")]).toEqual([1, 2, 1]);
			expect(runIds(project)).toHaveLength(3);
			expect(server.requests.length).toBeLessThanOrEqual(5 + 2 * 3);
			expect(childFolders(project)).toEqual([]);
		},
	);
});

describe("the folder of a child that waits", { timeout: patient(120_000) }, () => {
	const asks = {
		states: {
			build: {
				branches: {
					one: { run: { states: { one: { persona: "Builder", requires_approval: true, next: ["done"] } } } },
				},
				next: ["finished"],
			},
		},
	};
	const work = (project: { readonly agentFolder: string }) => join(project.agentFolder, "chronicle", "work");

	it("is restored if a link takes its place while the user is asked: what the user approves arrives, and nothing else", async () => {
		const { project, rpc } = await openBench({
			files: {
				...withTemplates({ t: asks }),
				"a.txt": "old\n",
				".gitignore": "node_modules/\n",
				"node_modules/x.js": "x\n",
			},
			script: {
				[childWorker("one")]: [
					call("bash", { command: "git status && echo new > a.txt && echo b > b.txt" }),
					move("done", "Done."),
				],
			},
		});
		const outside = openFolder({ "private.txt": "private\n" });
		const pi = await rpc({
			answers: () => {
				const files = join(childFolders(project)[0] ?? "", "files");
				rmSync(files, { recursive: true });
				symlinkSync(outside, files);
				return "Approve";
			},
		});
		await pi.prompt("/chronicle t Build it");
		await pi.screen.notified(": done");
		expect([project.read("a.txt"), project.read("b.txt"), project.exists("private.txt")]).toEqual([
			"new\n",
			"b\n",
			false,
		]);
		expect([readdirSync(work(project)), readdirSync(outside)]).toEqual([[], ["private.txt"]]);
	});

	it("is set back if its worker has changed it since the last record, and the next worker knows what is undone", async () => {
		const plain = { states: { build: { branches: { one: branch("one") }, next: ["finished"] } } };
		const { project, server } = await openBench({
			files: { ...withTemplates({ t: plain }), "a.txt": "old\n" },
			script: {
				// The worker that is interrupted may still ask once more.
				[childWorker("one")]: ({ users, results }) => {
					const isBack = users.at(-1)?.includes("set back");
					if (!isBack)
						return results.length > 0 ? hang() : call("bash", { command: "echo lost > a.txt; echo lost > b.txt" });
					return results.at(-1)?.text.startsWith("old")
						? move("done", "Done.")
						: call("bash", { command: "cat a.txt; ls" });
				},
			},
		});
		const env = { PI_CHRONICLE_CRASH_AT: "after tool_ended" };
		expect((await chronicle(project, ["run", "t", "Build it"], { env })).code).not.toBe(0);
		rmSync(work(project), { recursive: true });
		const resumed = await chronicle(project, ["resume"]);
		expect([resumed.code, resumed.stderr]).toEqual([0, expect.any(String)]);
		const asked = server.requests.findIndex(({ users }) => users.at(-1)?.includes("set back"));
		expect(server.requests[asked]?.users.at(-1)).toMatch(/set back[\s\S]*echo lost > a\.txt/);
		expect(server.requests[asked + 1]?.lastResult?.text).toMatch(/^old\na\.txt\n$/);
		expect([project.read("a.txt"), project.exists("b.txt")]).toEqual(["old\n", false]);
	});

	it("is not replaced by other files if its last ones are lost too: the child waits, and the printed command helps", async () => {
		const { project } = await openBench({
			files: { ...withTemplates({ t: asks }), "a.txt": "old\n" },
			script: { [childWorker("one")]: [call("bash", { command: "echo new > a.txt" }), move("done", "Done.")] },
		});
		expect((await chronicle(project, ["run", "t", "Build it"])).code).toBe(3);
		rmSync(work(project), { recursive: true });
		const [root = ""] = runIds(project).filter((id) => ledgerOf(project, id).template.name === "t");
		const objects = project.path(".pi/chronicle/sessions", root, "files/objects");
		for (const name of readdirSync(objects).filter((name) => name.length === 2))
			rmSync(join(objects, name), { recursive: true });
		const approved = await chronicle(project, ["approve"]);
		expect([approved.code, project.read("a.txt")], approved.stderr).toEqual([3, "old\n"]);
		const [, drop = ""] =
			/Its folder was removed and cannot be restored: [^.]*\. Drop it: (drop \w{8})\./.exec(approved.stdout) ?? [];
		const dropped = await chronicle(project, drop.split(" "));
		expect([dropped.code, dropped.stdout], dropped.stderr).toEqual([3, expect.stringContaining("nothing to join")]);
	});

	it("is found through a symbolic link to the project, and its worker reads what the copy lacks", async () => {
		const { project, server } = await openBench({
			files: { ...withTemplates({ t: asks }), ".gitignore": "node_modules/\n", "node_modules/x.js": "x\n" },
			script: { [childWorker("one")]: [call("write", { path: "b.txt", content: "b\n" }), move("done", "Done.")] },
		});
		const link = join(dirname(project.folder), "link with ü");
		symlinkSync(project.folder, link);
		const first = await chronicle(project, ["run", "t", "Build it", "--cwd", link]);
		expect(first.code, first.stderr).toBe(3);
		const approved = await chronicle(project, ["approve", "--cwd", link]);
		expect([approved.code, approved.stderr, project.read("b.txt")]).toEqual([0, expect.any(String), "b\n"]);
		expect(server.about('state "one"')[0]?.users[0] ?? server.requests[0]?.users[0]).toContain(
			"The copy lacks `node_modules`",
		);
	});
});
