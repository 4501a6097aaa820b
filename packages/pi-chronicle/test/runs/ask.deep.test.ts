// A worker asks the user: on the command line, in print mode, in children and in the terminal. Real pi workers, a scripted model.
import { describe, expect, it } from "vitest";
import { gate, openBench } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { call } from "../harness/reply.ts";
import { chronicle, eventsOf, ledgerOf, move, runIds, withTemplates, worker } from "./bench.ts";

const template = {
	states: { work: { persona: "Builder", next: ["check"] }, check: { persona: "Checker", next: ["done"] } },
};
const ask = (question = "Which port?", choices?: string[]) =>
	call("ask_user", { question, ...(choices ? { choices } : {}) }, { id: `ask-${question.length}` });
const checks = { [worker("check")]: [move("done", "Fine.")] };
/** What starts the request after an answer whose worker was stopped meanwhile: no message is empty. */
const goesOn = "[From pi-chronicle, not from the user]\nThe user has answered: see the result of ask_user.";
const answerOf = (results: readonly { readonly text: string }[]) => results.at(-1)?.text ?? "";

describe("a question on the command line", { timeout: patient(120_000) }, () => {
	it("ends `run` with 3 and the command; the answer is the call's result, counts once, and later workers know it", async () => {
		const { project, server } = await openBench({
			files: withTemplates({ t: template }),
			script: {
				[worker("work")]: [ask("Which port?\nThe old one is taken.", ["80", "8080"]), move("check")],
				...checks,
			},
		});
		const first = await chronicle(project, ["run", "t", "Do it"]);
		expect(first.code, first.stderr).toBe(3);
		const { id } = ledgerOf(project);
		const asked = eventsOf(project).find(({ kind }) => kind === "ask_opened");
		const command = `answer ${id.slice(0, 8)} <number or words>`;
		for (const words of ["· asks ·", "The old one is taken.", "  2  8080", command])
			expect(first.stdout).toContain(words);
		expect((await chronicle(project, ["status", "--json"])).data).toMatchObject({
			status: "asks",
			answers: asked?.seq,
			question: { text: "Which port?\nThe old one is taken.", choices: ["80", "8080"] },
			waitsFor: { what: "The worker asks: Which port?" },
		});
		const resumed = await chronicle(project, ["resume"]);
		expect([resumed.code, resumed.stdout + resumed.stderr]).toEqual([2, expect.stringContaining("answer")]);
		const told = await chronicle(project, ["tell", "Use tabs"]);
		expect([told.code, ledgerOf(project).status]).toEqual([0, "asks"]);
		const wrong = await chronicle(project, ["answer", "--answers", "3", "80"]);
		expect([wrong.code, wrong.stderr]).toEqual([
			2,
			expect.stringContaining("no longer waits for an answer to event 3"),
		]);
		const answered = await chronicle(project, ["answer", "2"]);
		expect(answered.code, answered.stderr).toBe(0);
		const request = server.about(worker("work"))[1];
		expect(request?.users).toHaveLength(2);
		expect(request?.users[1]).toContain("Use tabs");
		expect(request?.results.map(({ text }) => text.split("\n")[0])).toEqual(["The user answered: 8080"]);
		const again = await chronicle(project, ["answer", id, "80"]);
		expect(again.code).toBe(2);
		expect(eventsOf(project).filter(({ kind }) => kind === "ask_answered")).toHaveLength(1);
	});

	it("`pi -p` ends with 3 and the command; words keep their lines", async () => {
		const { server, print } = await openBench({
			files: withTemplates({ t: template }),
			trusted: true,
			script: { [worker("work")]: [ask(), move("check")], ...checks },
		});
		const first = await print("/chronicle t Do it");
		expect([first.code, first.stdout + first.stderr]).toEqual([3, expect.stringContaining("/chronicle answer")]);
		const answered = await print("/chronicle answer Use 8080\n  and nothing else");
		expect(answered.code, answered.stdout + answered.stderr).toBe(0);
		const request = server.about(worker("work"))[1];
		expect(request?.users.slice(1)).toEqual([goesOn]);
		expect(answerOf(request?.results ?? [])).toContain("The user answered: Use 8080\n  and nothing else");
	});
});

describe("questions of children", { timeout: patient(120_000) }, () => {
	const part = { states: { part: { persona: "Builder", next: ["done"] } } };
	const branch = (task: string) => ({ task, run: "part" });

	it("of three that ask at once, each is shown with its command and gets its own answer", async () => {
		const names = ["api", "db", "docs"];
		const { project, server } = await openBench({
			files: withTemplates({
				part,
				t: {
					states: {
						build: {
							branches: Object.fromEntries(names.map((name) => [name, branch(`Write ${name}`)])),
							next: ["check"],
						},
						check: template.states.check,
					},
				},
			}),
			script: {
				...Object.fromEntries(
					names.map((name) => [`Write ${name}`, [ask(`How for ${name}?`), move("done", `Done ${name}.`)]]),
				),
				...checks,
			},
		});
		const first = await chronicle(project, ["run", "t", "Build it"]);
		expect(first.code, first.stderr).toBe(3);
		for (const name of names) {
			expect(first.stdout).toMatch(new RegExp(`\\? ${name} .*asks: How for ${name}\\?`));
		}
		expect(first.stdout.match(/pi-chronicle answer [0-9a-f]{8} <words>/g)).toHaveLength(3);
		const unnamed = await chronicle(project, ["answer", "tabs"]);
		expect(unnamed.code).toBe(2);
		for (const name of names) expect(unnamed.stderr).toContain(`How for ${name}?`);
		const parent = runIds(project).find((id) => ledgerOf(project, id).template.name === "t") ?? "";
		for (const [index, name] of ["docs", "api", "db"].entries()) {
			const said = await chronicle(project, ["answer", parent, "--child", name, `For ${name}`]);
			expect(said.code, said.stderr).toBe(index === 2 ? 0 : 3);
		}
		for (const name of names)
			expect(answerOf(server.about(`Write ${name}`)[1]?.results ?? [])).toContain(`The user answered: For ${name}`);
		expect(project.processes()).toEqual([]);
	});

	it("of a grandchild, the printed command and those for the runs above it answer it", async () => {
		const { project, server } = await openBench({
			files: withTemplates({
				part,
				t: {
					states: {
						outer: { run: { states: { inner: { run: "part", next: ["done"] } } }, next: ["check"] },
						check: template.states.check,
					},
				},
			}),
			script: { [worker("part")]: [ask("Deep down?"), ask("Where?"), ask("When?"), move("done")], ...checks },
		});
		const first = await chronicle(project, ["run", "t", "Build it"]);
		expect([first.code, first.stdout], first.stderr).toEqual([3, expect.stringContaining("asks: Deep down?")]);
		const seen = JSON.parse((await chronicle(project, ["status", "--json"])).stdout) as {
			waitsFor: { commands: string[] };
		};
		const [command = ""] = seen.waitsFor.commands;
		const ways = [command.replace("<words>", "A").split(" "), ["answer", "--child", "outer", "B"], ["answer", "C"]];
		for (const [index, way] of ways.entries()) {
			const said = await chronicle(project, way);
			expect(said.code, said.stderr).toBe(index === 2 ? 0 : 3);
			const words = ["A", "B", "C"][index];
			const { results = [] } = server.about(worker("part"))[index + 1] ?? {};
			expect(answerOf(results.slice(-1))).toContain(`The user answered: ${words}`);
		}
	});
});

describe("a question in the terminal", { timeout: patient(120_000) }, () => {
	const long = "Which of the two should stay? ".repeat(4).trim();

	it("is a dialog with the proposed answers; own words keep their lines; the process lives on", async () => {
		const held = gate();
		const { project, server, tui } = await openBench({
			files: withTemplates({ t: template }),
			script: {
				[worker("work")]: [
					ask(long, ["The first", "The second"]),
					ask("And the other?"),
					move("check", "Done.", { after: held.opened }),
				],
				...checks,
			},
		});
		const pi = await tui({ cols: 80, rows: 24 });
		await pi.submit("/chronicle t Do it");
		const screen = await pi.waitForScreen("2   The second", 30_000);
		expect(screen).toContain("asks");
		expect(screen).toContain("w → Answer in your own words");
		// A stray Enter only opens the line.
		await pi.press("enter");
		await pi.waitForScreen("Esc back");
		await pi.press("escape");
		await pi.waitForScreen("2   The second");
		pi.type("2");
		await pi.waitForScreen("And the other?");
		pi.paste("Delete it,\nthen commit");
		await pi.waitForScreen(/Delete it,\s+then commit/);
		await pi.press("enter");
		await server.waitForRequest((request) => request.results.length === 2, 20_000);
		const { users, results } = server.last();
		expect(users).toHaveLength(1);
		expect(results.map(({ text }) => text)).toEqual([
			"The user answered: The second",
			"The user answered: Delete it,\nthen commit",
		]);
		held.open();
		await pi.waitForScreen("Check [✓]", 20_000);
		expect(eventsOf(project).filter(({ kind }) => kind === "worker_started")).toHaveLength(2);
	});

	it("a process that waited too long is stopped while the dialog stays open; a postponed question reopens", async () => {
		const { project, server, tui } = await openBench({
			files: withTemplates({ t: template }),
			settings: { chronicle: { questionSeconds: 0 } },
			script: { [worker("work")]: [ask(), ask("And the host?"), move("check")], ...checks },
		});
		const pi = await tui({ cols: 80, rows: 24 });
		await pi.submit("/chronicle t Do it");
		await pi.waitForScreen("Which port?", 30_000);
		await expect.poll(() => ledgerOf(project).hold?.cause, { timeout: patient(20_000) }).toBe("question");
		expect(await pi.screen()).toContain("Which port?");
		pi.type("8080");
		await pi.press("enter");
		await pi.waitForScreen("And the host?", 20_000);
		await pi.press("escape");
		await pi.waitForScreen("Alt+A answers", 20_000);
		await pi.press("alt+a");
		await pi.waitForScreen("Your answer", 20_000);
		pi.type("here");
		await pi.press("enter");
		await pi.waitForScreen("Check [✓]", 20_000);
		const { results, users } = server.about(worker("work")).at(-1) ?? { results: [], users: [] };
		expect(users.slice(1)).toEqual([goesOn, goesOn]);
		expect(results.map(({ text }) => text.split("\n")[0])).toEqual([
			"The user answered: 8080",
			"The user answered: here",
		]);
	});
});
