// The page refuses what is not its own: other names and sites, guessed links, forged forms, large and slow requests, paths, and markup in texts.

import { request } from "node:http";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { ask, definition, open, start } from "../../../../core/test/machine/test-run.ts";
import { pageOfRun } from "../../../src/local/index.ts";
import { Access, formToken, isFormToken } from "../../../src/ui/serve/access.ts";
import { refuseOrigin, servedOrigins } from "../../../src/ui/serve/origin.ts";
import { deepIt } from "../../harness/deep-it.ts";
import { patient } from "../../harness/patience.ts";
import { restWith } from "../report/ledgers.ts";
import { formOf, Visitor, wordsOf } from "./page-bench.ts";
import { serveRun } from "./shown-runs.ts";

const gated = {
	plan: { persona: "P", next: ["build"], requires_approval: true },
	build: { persona: "B", next: ["done"] },
	done: {},
};

/** A run that asks for an approval, with this text wherever one fits. */
function asking(text = "The plan stands.") {
	const play = open(definition(gated, { name: text.slice(0, 80) }), { task: text });
	start(play);
	play.say({ kind: "told", text });
	ask(play, "build", text);
	restWith(play, [{ path: `${text.slice(0, 60)}.ts`, change: "M", added: 1, removed: 1 }]);
	return play;
}

/** A request with exactly these headers. */
function raw(
	port: number,
	path: string,
	headers: Record<string, string>,
	method = "GET",
	body = "",
): Promise<{ status: number; text: string }> {
	return new Promise((resolve, reject) => {
		const sent = request({ host: "127.0.0.1", port, path, method, headers }, (answer) => {
			let text = "";
			answer.on("data", (chunk) => {
				text += chunk;
			});
			answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
		});
		sent.on("error", reject);
		sent.end(body);
	});
}

describe("a request for another name, or from another site", () => {
	it("is refused before anything is read", async () => {
		const { port, run, signIn } = await serveRun(asking().events);
		const { cookie } = await signIn();
		const host = `127.0.0.1:${port}`;
		for (const name of [
			"evil.example",
			`evil.example:${port}`,
			"127.0.0.1",
			`127.0.0.1:${port + 1}`,
			`localhost.evil.example:${port}`,
			`127.0.0.1:${port}@evil.example`,
		])
			expect((await raw(port, run, { host: name, cookie })).status, name).not.toBe(200);
		expect((await raw(port, run, { host, cookie })).status).toBe(200);
		expect((await raw(port, run, { host: `localhost:${port}`, cookie })).status).toBe(200);
		for (const origin of [
			"http://evil.example",
			"null",
			`https://127.0.0.1:${port}`,
			`http://127.0.0.1:${port}.evil.example`,
			"http://127.0.0.1",
		])
			expect((await raw(port, run, { host, cookie, origin })).status, origin).toBe(403);
	});

	it.each([
		[{ method: "POST", host: "127.0.0.1:1" }, false],
		[{ method: "POST", host: "127.0.0.1:1", site: "cross-site" }, false],
		[{ method: "POST", host: "127.0.0.1:1", site: "same-origin" }, true],
		[{ method: "POST", host: "127.0.0.1:1", origin: "http://127.0.0.1:1" }, true],
		[{ method: "POST", host: "desk.example", origin: "https://desk.example" }, true],
		[{ method: "POST", host: "desk.example", origin: "http://desk.example" }, false],
		[{ method: "GET", host: undefined as unknown as string }, false],
	])("%j: %s", (given, allowed) => {
		expect(refuseOrigin(servedOrigins("127.0.0.1", 1, ["https://desk.example"]), given) === undefined).toBe(allowed);
	});
});

describe("a link", () => {
	it("works once; the cookie is neither readable by scripts nor sent by other sites", async () => {
		const { links, origin, run } = await serveRun(asking().events);
		const [link = ""] = links("phone");
		const [first, second] = [new Visitor(origin), new Visitor(origin)];
		await first.signIn(link);
		expect(first.page.headers.get("set-cookie")).toMatch(/; HttpOnly; SameSite=Strict$/);
		expect((await first.get(run)).status).toBe(200);
		await second.get(new URL(link).pathname);
		expect((await second.send("/open")).status).toBe(401);
		expect((await second.get(run)).status).toBe(401);
	});

	it("to a run, from a notice, opens in a browser that is signed in; its page leads to no other server", async () => {
		const { port, run, project, signIn } = await serveRun(asking().events);
		const { cookie } = await signIn();
		const link = pageOfRun(project.sessions, run.split("/").at(-1) ?? "") ?? "";
		expect(link).toBe(`http://127.0.0.1:${port}${run}`);
		const host = `127.0.0.1:${port}`;
		const first = await raw(port, new URL(link).pathname, { host, "sec-fetch-site": "cross-site" });
		expect(first.status).toBe(401);
		expect(first.text).toContain(`<a href="${run}">Continue</a>`);
		expect((await raw(port, run, { host, cookie, "sec-fetch-site": "same-origin" })).status).toBe(200);
		for (const path of ["//evil.example/", "/\\evil.example", "///evil.example", "/%2f/evil.example"])
			expect((await raw(port, path, { host })).text, path).not.toMatch(/href="(?:[/\\]{2}|https?:)/);
	});

	it("is not used up by who only looks at it", async () => {
		const { links, origin } = await serveRun(asking().events);
		const [link = ""] = links("phone");
		for (let count = 0; count < 3; count += 1) await new Visitor(origin).get(new URL(link).pathname);
		const visitor = new Visitor(origin);
		await visitor.signIn(link);
		expect(visitor.cookie).not.toBe("");
	});

	it("cannot be guessed: after ten tries a minute, none counts", () => {
		let now = 0;
		const access = new Access(() => now);
		const token = access.newLink("phone");
		for (let count = 0; count < 10; count += 1) expect(access.exchange(`guess ${count}`, "10.0.0.9")).toBe("unknown");
		expect(access.exchange(token, "10.0.0.9")).toBe("too many");
		now = 60_000;
		expect(access.exchange(token, "10.0.0.9")).toMatchObject({ cookie: expect.stringMatching(/^[\w-]{32}$/) });
		expect(access.exchange(token, "10.0.0.9")).toBe("unknown");
	});

	it("is tried again a minute after the clock was set back by a day", () => {
		let now = Date.UTC(2030, 0, 2);
		const access = new Access(() => now);
		for (let tried = 0; tried < 10; tried += 1) access.exchange("guess", "1.2.3.4");
		now -= 86_400_000;
		expect(access.exchange(access.newLink("phone"), "1.2.3.4")).toBe("too many");
		now += 60_000;
		expect(access.exchange(access.newLink("phone"), "1.2.3.4")).toMatchObject({ cookie: expect.any(String) });
	});

	it("ends after fifteen minutes, and a session after seven days", () => {
		let now = 0;
		const access = new Access(() => now);
		const [late, token] = [access.newLink("late"), access.newLink("phone")];
		const opened = access.exchange(token, "a");
		if (typeof opened === "string") throw new Error(opened);
		expect(access.session(opened.cookie)?.name).toBe("phone");
		now = 15 * 60_000;
		expect(access.exchange(late, "a")).toBe("unknown");
		now = 7 * 24 * 3_600_000;
		expect(access.session(opened.cookie)).toBeUndefined();
	});

	it("of a form belongs to one session and one address", () => {
		const access = new Access();
		const sessions = ["one", "two"].map((name) => {
			const opened = access.exchange(access.newLink(name), name);
			const session = typeof opened === "string" ? undefined : access.session(opened.cookie);
			if (!session) throw new Error("no session");
			return session;
		});
		const [one, two] = sessions;
		if (!one || !two) throw new Error("no sessions");
		const token = formToken(one, "/p/a/r/1/approve");
		expect(isFormToken(one, "/p/a/r/1/approve", token)).toBe(true);
		expect(isFormToken(one, "/p/a/r/1/abort", token)).toBe(false);
		expect(isFormToken(two, "/p/a/r/1/approve", token)).toBe(false);
		for (const forged of ["", token.slice(1), `${token}=`])
			expect(isFormToken(one, "/p/a/r/1/approve", forged)).toBe(false);
	});
});

describe("a form", () => {
	it("without its token, with that of another form, or on a read-only page changes nothing", async () => {
		const { run, posted, signIn } = await serveRun(asking().events);
		const visitor = await signIn();
		await visitor.get(run);
		const { hidden = {} } = formOf(visitor.page.text, "/approve") ?? {};
		const { token = "", ...rest } = hidden;
		for (const given of [
			rest,
			{ ...rest, token: "x" },
			{ ...rest, token: formOf(visitor.page.text, "/tell")?.hidden.token ?? "" },
		])
			expect((await visitor.post(`${run}/approve`, given)).status).toBe(403);
		expect((await visitor.post(`${run}/approve`, hidden, { origin: "http://evil.example" })).status).toBe(403);
		expect(posted).toEqual([]);
		await visitor.post(`${run}/approve`, hidden);
		expect(posted).toMatchObject([
			{ kind: "approved", answers: Number(rest.answers), diff: rest.tree, via: "the page (first, 127.0.0.1)" },
		]);

		// Nobody has read the first answer yet: a second one to the same question is told so.
		const second = await visitor.post(`${run}/approve`, hidden);
		expect(second.status).toBe(409);
		expect(wordsOf(second.text)).toContain("first has answered this already.");
		expect(posted).toHaveLength(1);

		const looked = await serveRun(asking().events, { readOnly: true });
		const reader = await looked.signIn();
		await reader.get(looked.run);
		expect(reader.page.text).not.toContain("<form");
		expect((await reader.post(`${looked.run}/approve`, { token })).status).toBe(403);
		expect(looked.posted).toEqual([]);
	});

	it("that is out of date is refused, and the question of now is shown", async () => {
		const play = asking();
		const { run, posted, show, signIn } = await serveRun(play.events);
		const visitor = await signIn();
		await visitor.get(run);
		const { hidden = {} } = formOf(visitor.page.text, "/approve") ?? {};
		play.say({ kind: "rejected", answers: Number(hidden.answers), words: "Not yet." });
		start(play);
		ask(play, "build", "Now with tests.");
		restWith(play, []);
		show(play.events);
		const refused = await visitor.post(`${run}/approve`, hidden);
		expect(refused.status).toBe(409);
		expect(wordsOf(refused.text)).toContain("no longer waits for an answer");
		expect(wordsOf(refused.text)).toContain("Now with tests.");
		expect(posted).toEqual([]);
	});

	it("that is too long is refused, and so are too many", async () => {
		const { run, signIn, posted, port } = await serveRun(asking().events);
		const visitor = await signIn();
		await visitor.get(run);
		const { hidden = {} } = formOf(visitor.page.text, "/tell") ?? {};
		expect((await visitor.post(`${run}/tell`, { ...hidden, words: "x".repeat(70_000) })).status).toBe(413);
		const host = `127.0.0.1:${port}`;
		expect((await raw(port, "/", { host, cookie: "a".repeat(20_000) })).status).toBe(431);
		const statuses: number[] = [];
		for (let count = 0; count < 70; count += 1)
			statuses.push((await visitor.post(`${run}/tell`, { token: "no" })).status);
		expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(5);
		expect(posted).toEqual([]);
	});
});

it("an address names no file: paths that climb, encodings and unknown names are not found", async () => {
	const { run, port, signIn } = await serveRun(asking().events);
	const { cookie } = await signIn();
	const host = `127.0.0.1:${port}`;
	const tricks = [
		"/../../etc/passwd",
		"/files/../../package.json",
		"/files/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
		"/files/..%5c..%5cpackage.json",
		"/files//etc/passwd",
		"/p/shop/r/..%2f..%2fsecret",
		"/p/shop/r/%00",
		`${run}/visits/..%2f1`,
		`${run}/visits/99999999`,
		"/p/__proto__/r/constructor",
		"/p/shop/start/..%2f..%2fevil",
		"//evil.example/",
		`${run}/../../../live`,
	];
	for (const path of tricks) {
		const { status, text } = await raw(port, path, { host, cookie });
		expect(status, path).toBeGreaterThanOrEqual(400);
		expect(text, path).not.toMatch(/root:|"dependencies"/);
	}
	for (const method of ["PUT", "DELETE", "TRACE", "OPTIONS", "PATCH"])
		expect((await raw(port, run, { host, cookie }, method)).status, method).toBeGreaterThanOrEqual(400);
	for (const verb of ["remove", "prune", "run", "constructor", "toString", "init"])
		expect(
			(
				await raw(
					port,
					`${run}/${verb}`,
					{ host, cookie, origin: `http://${host}`, "content-type": "application/x-www-form-urlencoded" },
					"POST",
					"token=x",
				)
			).status,
			verb,
		).toBeGreaterThanOrEqual(400);
});

it("every answer forbids inline code, frames and caches", async () => {
	const { run, signIn } = await serveRun(asking().events);
	const visitor = await signIn();
	for (const path of ["/", run, "/nothing", "/open/x"]) {
		const { headers, text } = await visitor.get(path);
		expect(headers.get("content-security-policy"), path).toMatch(
			/^default-src 'none'; style-src 'self'; script-src 'self';.*frame-ancestors 'none'/,
		);
		expect(headers.get("x-content-type-options")).toBe("nosniff");
		expect(headers.get("cache-control")).toBe("no-store");
		expect(text).not.toMatch(/<style|<script(?! src=")| on\w+="| style="/);
	}
});

it.each([
	"<script>alert(1)</script>",
	'"><img src=x onerror=alert(1)>',
	"</textarea></form><form action=//evil.example>",
	"</title></svg><svg onload=alert(1)>",
	"' onfocus='alert(1)' autofocus='",
	"javascript:alert(1)",
])("markup in every text of a run stays text: %s", async (text) => {
	const { run, signIn } = await serveRun(asking(text).events);
	const visitor = await signIn();
	for (const path of [run, "/"]) {
		const page = await visitor.get(path);
		expect(page.status).toBe(200);
		expect(page.text).not.toMatch(
			/<script(?! src="\/files\/live\.js)|<img|<svg onload|<form (?!method="post" action="\/)|javascript:alert\(1\)"/,
		);
		expect(wordsOf(page.text)).toContain(text.slice(0, 40));
	}
	await visitor.get(run);
	await visitor.post(`${run}/rewind`, { ...formOf(visitor.page.text, "/rewind")?.hidden, to: text });
	expect(visitor.page.text).not.toMatch(/<script(?! src=")|<img/);
});

deepIt(
	"a client that sends slowly is closed, and does not keep others waiting",
	{ timeout: patient(30_000) },
	async () => {
		const { port, run, signIn } = await serveRun(asking().events);
		const visitor = await signIn();
		const slow = Array.from({ length: 20 }, () => connect({ host: "127.0.0.1", port }));
		const closed = slow.map(
			(socket) =>
				new Promise((resolve) =>
					socket
						.on("close", resolve)
						.on("error", () => {})
						.resume(),
				),
		);
		for (const socket of slow) socket.write("GET / HTTP/1.1\r\nHost: 127");
		expect((await visitor.get(run)).status).toBe(200);
		await Promise.all(closed);
	},
);
