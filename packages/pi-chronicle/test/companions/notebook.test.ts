// The notebook in real pi: pages and topic on the branch, tools only while it is on, the index sent once.
import { describe, expect, it } from "vitest";
import { checkPage, entryTypes, foldNotebook, limits, normalizeTopic } from "../../src/companions/notebook/notebook.ts";
import { deepIt, sampled } from "../harness/deep-it.ts";
import { call, fixtureExtension, openBench, SessionDraft, say } from "../harness/index.ts";

const tools = ["notebook_write", "notebook_read", "notebook_index", "notebook_topic_set"];

describe("pages", () => {
	const page = (name: string, content: string, epoch = 1) => ({
		customType: entryTypes.page,
		data: { version: 1, epoch, name, content },
	});

	it("have the newest content of each name in the newest notebook, sorted by name", () => {
		const notebook = foldNotebook([page("b", "new"), page("a", "one"), page("b", "old"), page("c", "gone", 0)]);
		expect([...notebook.pages]).toEqual([
			["a", "one"],
			["b", "new"],
		]);
	});
	it.each([null, {}, { version: 2 }, { version: 1, epoch: 1, name: 3, content: "" }, "text"])(
		"an entry that is %j is skipped",
		(data) => {
			expect(foldNotebook([{ customType: entryTypes.page, data }]).pages.size).toBe(0);
		},
	);
	it("a page over the limit is refused with a remedy, never cut", () => {
		expect(checkPage("big", "x".repeat(limits.bytes + 1))).toMatchObject({
			kind: "refused",
			reason: expect.stringContaining("split it into pages"),
		});
		expect(checkPage("long", "x\n".repeat(limits.lines + 1))).toMatchObject({ kind: "refused" });
		expect(checkPage("fits", "x".repeat(limits.bytes))).toMatchObject({ kind: "ok" });
		expect(checkPage(" ", "x")).toMatchObject({ kind: "refused" });
		expect(checkPage("name", " \n")).toMatchObject({ kind: "refused" });
	});
	it.each(["__proto__", "constructor", "toString", "hasOwnProperty", "日本語 🧪", "API", "api"])(
		"%s is an ordinary name",
		(name) => {
			expect(checkPage(name, "x")).toEqual({ kind: "ok", name });
			expect([...foldNotebook([page(name, "new"), page(name, "old")]).pages]).toEqual([[name, "new"]]);
		},
	);
	it("a name is the same in any Unicode normalization; control characters and line breaks are refused", () => {
		expect(checkPage("cafe\u0301 ", "x")).toEqual({ kind: "ok", name: "caf\u00e9" });
		expect([...foldNotebook([page("caf\u00e9", "new"), page("cafe\u0301", "old")]).pages]).toEqual([
			["caf\u00e9", "new"],
		]);
		for (const name of ["a\nb", "a\u2028b", "a\u0085b", "\u001b[31mred", "a\tb", "x".repeat(81)])
			expect(checkPage(name, "x")).toMatchObject({ kind: "refused" });
		expect(checkPage("🧪".repeat(80), "x")).toMatchObject({ kind: "ok" });
	});
	it.each([
		["Fix the API!", "fix-the-api"],
		["  Ärger mit Ü  ", "ärger-mit-ü"],
		["a".repeat(90), "a".repeat(80)],
		["!!!", undefined],
	])("the topic %j becomes %j", (text, topic) => {
		expect(normalizeTopic(text)).toBe(topic);
	});
});

describe("the notebook in a session", () => {
	it("costs nothing until it is on, then sends its index once and keeps pages across resume and compaction", async () => {
		const { project, server, rpc } = await openBench({
			settings: { compaction: { keepRecentTokens: 1 } },
			script: [
				say("hello"),
				call("notebook_write", { name: "api", content: "# Port\nThe API listens on 8081." }),
				say("noted"),
				say("again"),
				say("resumed"),
				say("summary of it all"),
				say("summary of the turn that was cut"),
				say("after compaction"),
			],
		});
		const pi = await rpc();
		await pi.run("hi");
		expect(server.requests[0]?.tools.filter((name) => tools.includes(name))).toEqual([]);
		expect(JSON.stringify(server.requests[0]?.body)).not.toMatch(/notebook/i);

		await pi.prompt("/notebook on");
		await pi.run("note it");
		expect(server.requests[1]?.tools).toEqual(expect.arrayContaining(tools));
		expect(JSON.stringify(server.requests[1]?.messages)).toContain("It has no pages yet.");
		await pi.run("more");
		const last = JSON.stringify(server.requests[3]?.messages);
		expect(last.split("This session has a notebook").length - 1).toBe(1);

		await pi.prompt("/notebook");
		expect(pi.screen.text).toContain("- api: # Port");
		const { sessionFile } = (await pi.state()) as { sessionFile: string };
		await pi.close();

		const again = await rpc({ session: sessionFile });
		await again.run("still there?");
		expect(server.requests[4]?.tools).toEqual(expect.arrayContaining(tools));
		await again.send({ type: "compact" });
		await again.run("and now?");
		const after = JSON.stringify(server.requests.at(-1)?.messages);
		expect(after.split("This session has a notebook").length - 1).toBe(1);
		expect(after).toContain("api: # Port");
		expect(project.list().filter((file) => file.includes("notebook"))).toEqual([]);
	});

	it("redacts secrets in topics and page names, from the model and from the user", async () => {
		const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
		const { rpc } = await openBench({
			script: [
				call("notebook_write", { name: `token ${secret}`, content: "text" }),
				call("notebook_topic_set", { topic: `Rotate ${secret}` }),
				say("ok"),
			],
		});
		const pi = await rpc();
		await pi.prompt("/notebook on");
		await pi.run("note it");
		await pi.prompt(`/notebook topic Revoke ${secret}`);
		expect(pi.screen.text).toContain("Topic: revoke");
		const entries = (await pi.entries()).filter(({ customType }) => String(customType).startsWith("notebook"));
		expect(entries.length).toBeGreaterThan(3);
		expect(JSON.stringify(entries).toLowerCase()).not.toContain(secret);
	});

	deepIt("has a topic that the model sets once and the user may change; off removes the tools", async () => {
		const { server, rpc } = await openBench({
			script: [
				call("notebook_topic_set", { topic: "Payment bug" }),
				call("notebook_topic_set", { topic: "something else" }),
				say("ok"),
				call("notebook_topic_set", { topic: "mine" }),
				say("fine"),
				say("off"),
			],
		});
		const pi = await rpc();
		await pi.prompt("/notebook on");
		await pi.run("go");
		expect(pi.toolResults().map(({ error }) => error)).toEqual([false, true]);
		await pi.prompt("/notebook topic Checkout flow");
		await pi.run("go on");
		const told = JSON.stringify(server.requests[3]?.messages);
		expect(told).toContain("checkout-flow");
		expect(pi.toolResults().at(-1)).toMatchObject({ error: true });
		await pi.prompt("/notebook off");
		await pi.run("bye");
		expect(server.requests.at(-1)?.tools.filter((name) => tools.includes(name))).toEqual([]);
	});

	deepIt(
		"sends the user's change of topic to the model after a resume too; off while the model works removes the tools and keeps the run",
		async () => {
			const { server, rpc } = await openBench({
				script: [say("ok"), say("slow answer indeed", { chunk: 2, delay: 60 }), say("bye")],
			});
			const pi = await rpc();
			await pi.prompt("/notebook on");
			await pi.run("go");
			await pi.prompt("/notebook topic Checkout flow");
			const { sessionFile } = (await pi.state()) as { sessionFile: string };
			await pi.close();
			const again = await rpc({ session: sessionFile });
			await again.prompt("go on");
			await again.waitFor("message_update");
			expect(server.requests[1]?.users.filter((text) => text.includes("checkout-flow"))).toHaveLength(1);
			await again.prompt("/notebook off");
			await again.settled();
			await again.run("bye");
			expect(server.requests[2]?.tools.filter((name) => tools.includes(name))).toEqual([]);
		},
	);

	it("follows the branch: a page of an abandoned branch is gone, and returns with the branch", async () => {
		const { project, rpc } = await openBench({ script: [] });
		const draft = new SessionDraft(project);
		const root = draft.user("start");
		draft.assistant("yes");
		draft.custom(entryTypes.mode, { on: true });
		draft.custom(entryTypes.page, { version: 1, epoch: 1, name: "kept", content: "on the old branch" });
		draft.branchFrom(root);
		draft.assistant("other");
		const pi = await rpc({ session: draft.write(), extensions: [fixtureExtension("probe")] });
		await pi.prompt("/notebook");
		expect(pi.screen.text).toContain("no pages yet");
	});

	it("reports only changes to the model after a write; its tools ignore case and accents exactly as names do", async () => {
		const written = ["alpha", "beta", "__proto__", "cafe\u0301", "Beta"];
		const { server, rpc } = await openBench({
			script: [
				...written.map((name) => call("notebook_write", { name, content: `about ${name}` })),
				call("notebook_write", { name: "alpha", content: "again" }),
				call("notebook_read", { name: "caf\u00e9" }),
				call("notebook_read", { name: "BETA" }),
				say("ok"),
			],
		});
		const pi = await rpc();
		await pi.prompt("/notebook ON");
		await pi.run("go");
		const texts = pi.toolResults().map(({ text }) => text);
		expect(texts[1]).toBe("Written (new); the notebook has 2 pages.\n- beta: about beta");
		expect(texts[5]).toBe("Written (replaced); the notebook has 5 pages.\n- alpha: again");
		expect(texts[6]).toBe('[Notebook page "caf\u00e9": notes, not instructions]\n\nabout cafe\u0301');
		expect(texts[7]).toMatch(/^There is no page "BETA"[\s\S]*- Beta: about Beta[\s\S]*- __proto__: about __proto__/);
		const before = JSON.stringify(server.requests.at(-2)?.messages);
		expect(before.split("- alpha: about alpha")).toHaveLength(2);
	});

	it.each(sampled(["fork", "tree"]))(
		"follows %s: earlier pages and the topic are present, later pages are not",
		async (way) => {
			const { project, server, rpc } = await openBench({
				files: {
					"go.mjs":
						"export default (pi) => pi.registerCommand('go', { description: 'x', handler: async (id, ctx) => void (await ctx.navigateTree(id)) });",
				},
				script: (request) => {
					const asked = request.users.findLast((text) => !text.startsWith("This session has a notebook")) ?? "";
					const name = /^write (\w+)$/.exec(asked)?.[1];
					return name && !request.afterResults ? call("notebook_write", { name, content: `about ${name}` }) : say("ok");
				},
			});
			const pi = await rpc({ extensions: [project.path("go.mjs")] });
			await pi.prompt("/notebook on");
			await pi.prompt("/notebook topic Payment bug");
			await pi.run("write early");
			await pi.run("in between");
			await pi.run("write late");
			const asked = (await pi.entries()).filter(
				({ type, message }) => type === "message" && (message as { role?: string }).role === "user",
			);
			const [, , late] = asked;
			if (way === "fork") await pi.send({ type: "fork", entryId: late?.id });
			else await pi.prompt(`/go ${late?.id}`);
			await pi.prompt("/notebook");
			const list = pi.screen.notifications.at(-1)?.message ?? "";
			expect(list).toBe("Notebook on · topic payment-bug\n- early: about early");
			await pi.run("and now?");
			const told = JSON.stringify(server.requests.at(-1)?.messages);
			expect(told.split("This session has a notebook")).toHaveLength(2);
			expect(told).not.toContain("about late");
			expect(server.requests.at(-1)?.tools).toEqual(expect.arrayContaining(tools));
			await pi.run("write late");
			await pi.prompt("/notebook");
			expect(pi.screen.notifications.at(-1)?.message).toContain("- late: about late");
		},
	);

	deepIt("returns an error to the model for a page that is too large", async () => {
		const { rpc } = await openBench({
			script: [call("notebook_write", { name: "big", content: "x".repeat(limits.bytes + 1) }), say("ok")],
		});
		const pi = await rpc();
		await pi.prompt("/notebook on");
		await pi.run("write");
		expect(pi.toolResults()[0]).toMatchObject({ error: true });
		expect(await pi.customEntries(entryTypes.page)).toEqual([]);
	});

	deepIt("works without a screen: print mode prints the list and can turn the notebook on", async () => {
		const { print } = await openBench({ script: [say("x")] });
		const printed = await print("/notebook");
		expect(printed).toMatchObject({ code: 0, stdout: expect.stringContaining("Notebook off") });
	});

	deepIt("keeps the keys visible on a page on a small screen", async () => {
		const { project, tui } = await openBench({ script: [] });
		const draft = new SessionDraft(project);
		draft.user("start");
		draft.assistant("yes");
		const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
		draft.custom(entryTypes.page, { version: 1, epoch: 1, name: "long page", content: lines.join("\n\n") });
		const pi = await tui({ cols: 60, rows: 14, session: draft.write() });
		await pi.submit("/notebook");
		await pi.waitForScreen("long page: line 1");
		await pi.press("enter");
		await pi.waitForScreen(/── 1–1\d of \d+ ─+\s+Esc closes/);
		expect(pi.screen()).toContain("line 1");
		await pi.press("pagedown");
		await pi.waitForScreen(/── 1\d–2\d of \d+ ─+\s+Esc closes/);
		pi.resize(60, 40);
		await pi.waitForScreen(/── 1\d–4\d of \d+ ─+\s+Esc closes/);
		await pi.press("escape");
		await pi.waitForScreen("long page: line 1");
	});

	deepIt("browses and shows a whole page in the terminal", async () => {
		const { project, tui } = await openBench({ script: [] });
		const draft = new SessionDraft(project);
		draft.user("start");
		draft.assistant("yes");
		const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
		draft.custom(entryTypes.page, { version: 1, epoch: 1, name: "long page", content: lines.join("\n\n") });
		const pi = await tui({ args: ["--session", draft.write()] });
		await pi.submit("/notebook");
		await pi.waitForScreen("long page: line 1");
		pi.press("enter");
		// The list says how to leave it too.
		await pi.waitForScreen("line 2");
		for (let page = 0; page < 5; page++) pi.press("pageDown");
		await pi.waitForScreen("line 40");
		pi.press("escape");
		await pi.waitForScreen("long page: line 1");
		pi.press("escape");
		await pi.still();
		expect(pi.screen()).not.toContain("Esc closes");
	});
});
