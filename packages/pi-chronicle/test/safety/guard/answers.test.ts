// Remembered answers to guard questions in real pi: once, for a session, always, never; and what must never count as such an answer.
import { existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { deepIt } from "../../harness/deep-it.ts";
import { call, openBench, type Reply, say } from "../../harness/index.ts";

const rulesFile = ".pi/damage-control-rules.yaml";
const rules = `effects:
  publish: ask
  recursive-delete: { decision: deny, reason: whole folders stay }
  git-stash-drop: ask
readOnlyPaths:
  - { path: notes.txt, ask: true }
zeroAccessPaths: [.env]
`;
const files = { [rulesFile]: rules, ".env": "KEY=1\n", "notes.txt": "old\n", "src/a.ts": "x\n", "sub/.keep": "" };
const drop = "git stash drop";

function bash(command: string): Reply {
	return call("bash", { command });
}

async function bench(...script: Reply[]) {
	const opened = await openBench({ files, git: true, script: [...script, say("Done.")] });
	const answers = join(opened.project.home, ".pi/agent/guard-answers.json");
	return { ...opened, answers };
}

describe("an answer to a question", () => {
	it("is chosen from a list with the safe answer first, which shows exactly what is remembered", async () => {
		const { rpc } = await bench(bash(drop));
		const pi = await rpc();
		await pi.prompt("Go");
		const dialog = await pi.screen.dialog("Allow bash?");
		expect(dialog.method).toBe("select");
		expect(dialog.options).toEqual([
			"No",
			"Yes, once",
			"Yes, in this session",
			"Yes, always",
			"No, never",
			"For commands like this…",
		]);
		expect(dialog.title).toContain(`the command \`${drop}\` in `);
		expect(dialog.title).toContain(".pi/damage-control-rules.yaml:4");
		expect(dialog.title).not.toContain(`${process.cwd()}`);
		pi.screen.answer(dialog, null);
		await pi.settled();
		expect(pi.toolResults()[0]?.text).toContain("The user was asked and said no");
	});

	it("for this session holds for the same command only", async () => {
		const others = [
			`${drop}; echo more`,
			`X=1 ${drop}`,
			"git stash drop 1",
			`cd sub && ${drop}`,
			`${drop} > out.txt`,
			'git stash "$(echo drop)"',
		];
		const { rpc, answers } = await bench(bash(drop), bash(" git   'stash' drop "), ...others.map(bash));
		let asked = 0;
		const pi = await rpc({
			answers: ({ title }) => {
				if (!title.startsWith("Allow bash?")) return true;
				return asked++ === 0 ? "Yes, in this session" : false;
			},
		});
		await pi.run("Go");
		// One question for the first, none for the second, one for every other.
		expect(asked).toBe(1 + others.length);
		expect(pi.toolResults()[1]?.text).not.toContain("Refused");
		expect(existsSync(answers)).toBe(false);
		await pi.prompt("/guard");
		await pi.screen.notified(/allowed in this session: the command `git stash drop` in /);
	});

	it("always is stored in the user's own file, holds in the next session, is listed, and can be forgotten", async () => {
		const { rpc, answers, project } = await bench(bash(drop), say("Done."), bash(drop), say("Done."), bash(drop));
		const first = await rpc();
		await first.prompt("Go");
		first.screen.answer(await first.screen.dialog("Allow bash?"), "Yes, always");
		await first.settled();
		await first.close();
		expect(statSync(answers).mode & 0o777).toBe(0o600);
		expect(project.list().some((file) => file.includes("guard-answers"))).toBe(false);

		const second = await rpc();
		await second.run("Go");
		expect(second.screen.dialogs).toHaveLength(0);
		expect(second.toolResults()[0]?.text).not.toContain("Refused");
		expect(await second.customEntries("chronicle:decision")).toMatchObject([{ outcome: "allowed" }]);
		await second.prompt("/guard forget 1");
		await second.screen.notified(/Forgotten:\n.*git stash drop/);
		await second.prompt("Go");
		second.screen.answer(await second.screen.dialog("Allow bash?"), "No, never");
		await second.settled();
		expect(JSON.parse(readFileSync(answers, "utf8"))).toMatchObject({ version: 1, answers: [{ answer: "no" }] });
	});

	it("for commands like this holds for the shape that the user picks, as long as only the same rules ask", async () => {
		const others = ["git stash drop 1 && echo more", "git -C .. stash drop"];
		const { rpc, answers } = await bench(bash(drop), bash("git stash drop 1 -q"), ...others.map(bash));
		const asked: string[] = [];
		const replies = ["For commands like this…", "git stash drop *", "Yes, for an hour"];
		const pi = await rpc({
			answers: (dialog) => {
				asked.push(dialog.title.split("\n")[0] ?? "");
				return replies.shift() ?? false;
			},
		});
		await pi.run("Go");
		expect(asked.slice(0, 3)).toEqual(["Allow bash?", "For which commands?", "For how long?"]);
		expect(asked.slice(3)).toEqual(others.map(() => "Allow bash?"));
		expect(pi.toolResults()[1]?.text).not.toContain("Refused");
		const [stored] = JSON.parse(readFileSync(answers, "utf8")).answers;
		expect(stored.subject).toMatchObject({ text: "git stash drop *" });
		expect(Date.parse(stored.until) - Date.parse(stored.at)).toBe(3_600_000);
		await pi.prompt("/guard");
		await pi.screen.notified(/allowed until \d\d:\d\d: commands `git stash drop \*` in .* and below/);
	});

	deepIt("never refuses without asking again", async () => {
		const { rpc } = await bench(bash(drop), bash(drop));
		const pi = await rpc();
		await pi.prompt("Go");
		pi.screen.answer(await pi.screen.dialog("Allow bash?"), "No, never");
		await pi.settled();
		expect(pi.screen.dialogs).toHaveLength(1);
		expect(pi.toolResults()[1]?.text).toContain("said no");
	});

	it("covers a path for file tools, regardless of the content, and the target of a link", async () => {
		const write = (content: string) => call("write", { path: "notes.txt", content });
		const { rpc, project } = await bench(write("a"), write("b"), say("Done."), write("c"));
		const pi = await rpc();
		await pi.prompt("Go");
		pi.screen.answer(await pi.screen.dialog("Allow write?"), "Yes, in this session");
		await pi.settled();
		expect(project.read("notes.txt")).toBe("b");
		expect(pi.screen.dialogs).toHaveLength(1);
		// The name leads elsewhere now.
		project.write("elsewhere.txt", "kept");
		rmSync(project.path("notes.txt"), { force: true });
		symlinkSync(project.path("elsewhere.txt"), project.path("notes.txt"));
		await pi.prompt("Go");
		pi.screen.answer(await pi.screen.dialog("Allow write?"), false);
		await pi.settled();
		expect(project.read("elsewhere.txt")).toBe("kept");
	});

	it("is not remembered if the text has unknown parts: only yes or no", async () => {
		const { rpc } = await bench(bash('x=drop; git stash "$x"'), bash("git stash drop $(cat .keep)"));
		const pi = await rpc();
		await pi.prompt("Go");
		for (let index = 0; index < 2; index++) {
			const dialog = await pi.screen.dialog("Allow bash?");
			expect(dialog.method).toBe("confirm");
			pi.screen.answer(dialog, true);
		}
		await pi.settled();
	});

	deepIt("is not used if nobody can be asked", async () => {
		const { rpc, print, server, answers } = await bench(bash(drop), say("Done."), bash(drop));
		const pi = await rpc();
		await pi.prompt("Go");
		pi.screen.answer(await pi.screen.dialog("Allow bash?"), "Yes, always");
		await pi.settled();
		await pi.close();
		expect(existsSync(answers)).toBe(true);
		await print("Go");
		expect(server.requests.at(-1)?.lastResult?.text).toContain("nobody can be asked now");
	});

	deepIt("overrides no refusal, and no question of a rule that did not ask then", async () => {
		const { rpc, project } = await bench(
			bash("npm publish"),
			say("Done."),
			bash("npm publish"),
			say("Done."),
			bash("npm publish"),
		);
		const pi = await rpc();
		await pi.prompt("Go");
		pi.screen.answer(await pi.screen.dialog("Allow bash?"), "Yes, in this session");
		await pi.settled();
		project.write(rulesFile, `${rules}bashToolPatterns:\n  - { pattern: 'npm publish', reason: new, ask: true }\n`);
		await pi.prompt("/guard reload");
		await pi.prompt("Go");
		pi.screen.answer(await pi.screen.dialog("Allow bash?"), false);
		await pi.settled();
		project.write(rulesFile, rules.replace("publish: ask", "publish: deny"));
		await pi.prompt("/guard reload");
		await pi.run("Go");
		expect(pi.toolResults().at(-1)?.text).toContain("Refused");
	});

	deepIt("does not count if the file cannot be read, which is reported, and the file stays unchanged", async () => {
		const { rpc, answers } = await bench(bash(drop));
		const text = '{"version":2,"answers":[]}';
		writeFileSync(answers, text);
		const pi = await rpc();
		await pi.prompt("Go");
		const dialog = await pi.screen.dialog("Allow bash?");
		expect(dialog.options).toEqual(["No", "Yes, once", "Yes, in this session"]);
		pi.screen.answer(dialog, false);
		await pi.settled();
		await pi.prompt("/guard");
		await pi.screen.notified(/guard-answers\.json cannot be read/);
		expect(readFileSync(answers, "utf8")).toBe(text);
	});
});

describe("/guard allow once", () => {
	it("allows exactly the refused call, once", async () => {
		const { rpc, project } = await bench(
			bash("rm -rf src"),
			say("I may not."),
			bash("rm -rf src ./"),
			bash("rm  -rf 'src'"),
			bash("rm -rf src"),
			call("read", { path: ".env" }),
		);
		const pi = await rpc();
		await pi.run("Go");
		expect(project.exists("src/a.ts")).toBe(true);
		await pi.prompt("/guard allow once");
		await pi.screen.notified(/Allowed once: the command `rm -rf src` in /);
		await pi.run("Again");
		const said = pi.toolResults().map(({ text }) => text.startsWith("Refused"));
		expect(said).toEqual([true, true, false, true, true]);
		expect(project.exists("src/a.ts")).toBe(false);
	});

	deepIt("is not available to the agent, and overrides no protection of the rules", async () => {
		const { rpc, answers, project } = await bench(
			bash(`echo '{}' > ${rulesFile}`),
			say("I may not."),
			bash("echo x > ~/.pi/agent/guard-answers.json"),
			bash("cp notes.txt $HOME/.pi/agent/guard-answers.json"),
			bash("ln -s $PWD/notes.txt ~/.pi/agent/guard-answers.json"),
			bash("mv ~/.pi/agent ~/elsewhere"),
			call("write", { path: "~/.pi/agent/guard-answers.json", content: "{}" }),
			call("write", { path: "link/guard-answers.json", content: "{}" }),
		);
		// Even if the user does not want their own files protected.
		project.write("../.pi/damage-control-rules.yaml", "selfProtection: off\n");
		symlinkSync(join(project.home, ".pi/agent"), project.path("link"));
		const pi = await rpc({ answers: () => true });
		await pi.prompt("/guard allow once");
		await pi.screen.notified(/No call was refused in this session/);
		await pi.run("Go");
		await pi.run("Go");
		expect(pi.toolResults().filter(({ text }) => text.startsWith("Refused"))).toHaveLength(6);
		await pi.prompt("/guard allow once");
		await pi.screen.notified(/cannot be allowed here/);
		await pi.prompt("/guard allow always");
		await pi.screen.notified(/Use `\/guard allow once`/);
		expect(existsSync(answers)).toBe(false);
	});
});
