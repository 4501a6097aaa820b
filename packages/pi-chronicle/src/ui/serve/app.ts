// The server's routes. No address names a file: projects, runs, visits and templates are looked up by what the page itself listed.
// Every request is checked for its host and its origin before anything is read; everything but the link's page needs a session; what
// changes something is a POST with the token of its form; sizes, rates and streams are bounded.
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { getCookie, setCookie } from "hono/cookie";
import { streamSSE } from "hono/streaming";
import { isRunId } from "../../local/index.ts";
import type { Redact } from "../../safety/index.ts";
import type { Supervisors } from "../commands/index.ts";
import { cleanupAnswers } from "../phrases/index.ts";
import { type Html, type HtmlContent, openHtml, ReportReader } from "../report/index.ts";
import { type Access, isFormToken, type PageSession } from "./access.ts";
import { type ActionResult, type FormFields, startFromPage, steeringVerbs, steerRun } from "./actions.ts";
import { FetchedConversations } from "./fetched-conversations.ts";
import { drawForm, exactly } from "./forms.ts";
import { drawFrame, files } from "./frame.ts";
import { type RunWatch, watchAllRuns, watchOneRun } from "./live.ts";
import { drawOpened, drawOpenPage, drawSentence } from "./open-page.ts";
import { refuseOrigin, type ServedOrigins } from "./origin.ts";
import { QueuedAnswers } from "./queued-answers.ts";
import { drawRunPage } from "./run-page.ts";
import { drawRunsPage, runAddress, type ShownProject } from "./runs-page.ts";
import { drawStartPage } from "./start-page.ts";

export interface AppOptions {
	readonly projects: readonly ShownProject[];
	readonly access: Access;
	readonly origins: ServedOrigins;
	readonly redact: Redact;
	readonly supervisors: Supervisors;
	readonly readOnly: boolean;
	/** Precedes the commands in texts. */
	readonly prefix: string;
	/** The name of the session's cookie: cookies of all ports of a host share their names. */
	readonly cookie: string;
}

/** What the server under the routes says about a request. */
export interface AppBindings {
	readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } };
}

interface Env {
	Variables: { session: PageSession };
	Bindings: AppBindings;
}
type PageCall = Context<Env>;

const maxBody = 64 * 1024;
const maxStreams = 40;
const pingMs = 20_000;
const maxReaders = 6;

const headers: Readonly<Record<string, string>> = {
	"content-security-policy":
		"default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
	"x-content-type-options": "nosniff",
	// Without a referrer at all, a browser would not say which site a form comes from.
	"referrer-policy": "same-origin",
	"cross-origin-opener-policy": "same-origin",
	"cross-origin-resource-policy": "same-origin",
	"cache-control": "no-store",
};

export function openApp(options: AppOptions): Hono<Env> {
	const app = new Hono<Env>();
	const page = new Pages(options);
	app.use(secured(options));
	app.get("/files/:name", (c) => page.file(c));
	app.get("/open/:link", (c) =>
		page.show(c, { title: "Open", body: drawOpenPage(page.html, c.req.param("link").slice(0, 200)) }),
	);
	app.post("/open", limited(), (c) => page.open(c));
	app.use(signedIn(options));
	app.get("/", (c) => page.runs(c));
	app.get("/live", (c) => page.stream(c, watchAllRuns(options.projects)));
	app.get("/p/:project/r/:run", (c) => page.run(c));
	app.get("/p/:project/r/:run/live", (c) => page.runStream(c));
	app.get("/p/:project/r/:run/visits/:visit{[0-9]{1,6}}", (c) => page.run(c));
	app.get("/p/:project/start/:template", (c) => page.start(c));
	app.use(limited(), changes(options));
	app.post("/p/:project/r/:run/:verb", (c) => page.steer(c));
	app.post("/p/:project/start/:template", (c) => page.startFromPage(c));
	app.notFound((c) => page.sentence(c, 404, "Not found", "There is nothing at this address."));
	app.onError((_error, c) => page.sentence(c, 500, "That did not work", "The page could not be made. Load it again."));
	return app;
}

function secured({ origins }: AppOptions): MiddlewareHandler<Env> {
	return async (c, next) => {
		for (const [name, value] of Object.entries(headers)) c.header(name, value);
		const { method } = c.req;
		if (method !== "GET" && method !== "POST" && method !== "HEAD") return c.text("Method not allowed.", 405);
		const refused = refuseOrigin(origins, {
			method: method === "HEAD" ? "GET" : method,
			host: c.req.header("host"),
			origin: c.req.header("origin"),
			site: c.req.header("sec-fetch-site"),
		});
		return refused === undefined ? next() : c.text(refused, 403);
	};
}

function limited(): MiddlewareHandler<Env> {
	return bodyLimit({ maxSize: maxBody, onError: (c) => c.text("The form is too long.", 413) });
}

function signedIn({ access, cookie }: AppOptions): MiddlewareHandler<Env> {
	return async (c, next) => {
		const session = access.session(getCookie(c, cookie));
		if (!session) return c.text("Open the link that the terminal shows.", 401);
		if (!access.admits(session, "request")) return c.text("Too many requests. Wait a minute.", 429);
		c.set("session", session);
		return next();
	};
}

function changes({ access, readOnly }: AppOptions): MiddlewareHandler<Env> {
	return async (c, next) => {
		if (c.req.method !== "POST") return next();
		if (readOnly) return c.text("This page is read-only.", 403);
		const session = c.get("session");
		if (!access.admits(session, "post")) return c.text("Too many answers. Wait a minute.", 429);
		const { token = "" } = await fieldsOf(c);
		return isFormToken(session, c.req.path, token)
			? next()
			: c.text("The form is not of this page. Load it again.", 403);
	};
}

/** The fields of the form, as text. */
async function fieldsOf(c: PageCall): Promise<FormFields> {
	const type = c.req.header("content-type") ?? "";
	if (!type.startsWith("application/x-www-form-urlencoded")) return {};
	const body = await c.req.parseBody();
	const given = Object.entries(body).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []));
	return Object.fromEntries(given.map(([name = "", value = ""]) => [name, value.replaceAll("\r\n", "\n")]));
}

function addressOf(c: PageCall): string {
	return c.env?.incoming?.socket?.remoteAddress?.replace(/^::ffff:/, "") ?? "unknown";
}

/** What a page is made of. */
interface Shown {
	readonly title: string;
	readonly body: HtmlContent;
	readonly live?: string;
	readonly status?: 200 | 404 | 409 | 401 | 429 | 500;
	/** What was done, or why not, above the page. */
	readonly note?: { readonly text: string; readonly tone: "good" | "bad" } | undefined;
}

class Pages {
	readonly html: Html;
	readonly #options: AppOptions;
	/** The ledgers that are shown, as far as they are read. */
	readonly #readers = new Map<string, ReportReader>();
	/** What was done, by its number in an address. */
	readonly #notes = new Map<string, string>();
	readonly #queued = new QueuedAnswers();
	readonly #conversations = new FetchedConversations();
	#streams = 0;

	constructor(options: AppOptions) {
		this.#options = options;
		this.html = openHtml(options.redact);
	}

	show(c: PageCall, { title, body, live, status = 200, note }: Shown): Response | Promise<Response> {
		const { html } = this;
		const session = c.get("session") as PageSession | undefined;
		const top = session
			? html`<nav class="top" aria-label="Place"><a href="/">All runs</a><span class="who">${session.name}${this.#options.readOnly ? " · read-only" : undefined}</span></nav><p id="live" role="status"></p>`
			: undefined;
		const said =
			note === undefined
				? undefined
				: html`<p class="said-note ${note.tone}" role="status" dir="auto">${html.cut(note.text, 8000)}</p>`;
		const content = html`<div class="sheet"><a class="skip" href="#content">Skip to content</a>${top}${said}${body}</div>`;
		return c.html(drawFrame(html, { title, body: content, ...(live === undefined ? {} : { live }) }), status);
	}

	sentence(c: PageCall, status: 404 | 401 | 429 | 500, title: string, text: string): Response | Promise<Response> {
		return this.show(c, { title, status, body: drawSentence(this.html, title, text) });
	}

	file(c: PageCall): Response | Promise<Response> {
		const found = files.get(c.req.param("name") ?? "");
		if (!found) return this.sentence(c, 404, "Not found", "There is nothing at this address.");
		c.header("content-type", found.type);
		c.header("cache-control", "private, max-age=86400");
		return c.body(found.text);
	}

	async open(c: PageCall): Promise<Response> {
		const { access, cookie, origins } = this.#options;
		const { link = "" } = await fieldsOf(c);
		const opened = access.exchange(link.slice(0, 200), addressOf(c));
		if (opened === "too many") return this.sentence(c, 429, "Too many tries", "Wait a minute, then use a new link.");
		if (opened === "unknown") {
			const help = "It was used, or is too old. Press Enter in the terminal for a new one.";
			return this.sentence(c, 401, "This link does not work", help);
		}
		const secure = [...origins.origins].some((origin) => origin === `https://${c.req.header("host")}`);
		setCookie(c, cookie, opened.cookie, {
			httpOnly: true,
			sameSite: "Strict",
			path: "/",
			secure,
			maxAge: 7 * 24 * 3600,
		});
		return this.show(c, { title: "Signed in", body: drawOpened(this.html) });
	}

	async runs(c: PageCall): Promise<Response> {
		const session = this.#writer(c);
		const body = await drawRunsPage(this.html, this.#options.projects, session);
		return this.show(c, { title: "Runs", body, live: "/live", note: this.#noteOf(c) });
	}

	async run(c: PageCall, note = this.#noteOf(c), status: 200 | 409 = 200): Promise<Response> {
		const served = this.#served(c);
		const id = c.req.param("run") ?? "";
		const read = served && isRunId(id) ? await served.project.store.read(id) : undefined;
		if (!served || !read) return this.sentence(c, 404, "No such run", "It may have been removed.");
		if (!read.ok) return this.sentence(c, 404, "No such run", read.failure.message);
		const { redact, prefix } = this.#options;
		const report = await this.#reader(served, id).catchUp(read.value);
		const base = runAddress(served.key, id);
		const visit = c.req.param("visit");
		const body = await drawRunPage({
			...{ html: this.html, redact, project: served.project, read: read.value, report, base, prefix },
			addressOf: (other) => runAddress(served.key, other),
			...{ session: this.#writer(c), conversations: this.#conversations },
			visit: visit === undefined ? undefined : Number(visit),
		});
		return this.show(c, {
			title: `${report.run.plan.name}: ${report.run.task}`,
			body,
			live: `${base}/live`,
			note,
			status,
		});
	}

	async steer(c: PageCall): Promise<Response> {
		const served = this.#served(c);
		const id = c.req.param("run") ?? "";
		const verb = c.req.param("verb") ?? "";
		if (!served || !isRunId(id) || !steeringVerbs.includes(verb))
			return this.sentence(c, 404, "Not found", "There is nothing at this address.");
		const fields = await fieldsOf(c);
		const earlier = await this.#queued.find(served.project, id, fields.answers);
		const result: ActionResult =
			earlier === undefined
				? await steerRun(this.#action(c, served, fields), id, verb)
				: {
						kind: "refused",
						text: `${earlier} has answered this already. The answer waits until a process continues the run.`,
					};
		if (result.kind === "done" && result.isQueued)
			await this.#queued.note(served.project, id, fields.answers, c.get("session").name);
		return this.#answer(c, served, { result, fields, id });
	}

	async start(c: PageCall): Promise<Response> {
		const served = this.#served(c);
		const template = served?.project.templates().templates.get(c.req.param("template") ?? "");
		const session = this.#writer(c);
		if (!served || !template?.read || !session)
			return this.sentence(c, 404, "No such template", "It does not load, or it was removed.");
		const body = drawStartPage(this.html, session, { template, action: c.req.path });
		return this.show(c, { title: `Start ${template.key}`, body });
	}

	async startFromPage(c: PageCall): Promise<Response> {
		const served = this.#served(c);
		if (!served) return this.sentence(c, 404, "Not found", "There is nothing at this address.");
		const fields = await fieldsOf(c);
		const result = await startFromPage(this.#action(c, served, fields), c.req.param("template") ?? "");
		const id = result.kind === "done" ? result.id : undefined;
		return this.#answer(c, served, { result, fields, id });
	}

	runStream(c: PageCall): Response | Promise<Response> {
		const served = this.#served(c);
		const id = c.req.param("run") ?? "";
		if (!served || !isRunId(id)) return this.sentence(c, 404, "Not found", "There is nothing at this address.");
		return this.stream(c, watchOneRun(served.project, id));
	}

	/** Sends an event for each change. A page that connects again is told at once if it has missed one. */
	stream(c: PageCall, watch: RunWatch): Response | Promise<Response> {
		if (this.#streams >= maxStreams) return c.text("Too many open pages.", 503);
		this.#streams += 1;
		let last = c.req.header("last-event-id");
		return streamSSE(c, async (stream) => {
			let sending = Promise.resolve();
			const stop = watch((mark) => {
				if (mark === last) return;
				last = mark;
				sending = sending.then(() => stream.writeSSE({ id: mark, data: "changed" })).catch(() => {});
			});
			try {
				while (!stream.aborted && !stream.closed) {
					await stream.write(": alive\n\n");
					await Promise.race([stream.sleep(pingMs), new Promise((ended) => stream.onAbort(() => ended(undefined)))]);
				}
			} finally {
				stop();
				this.#streams -= 1;
			}
		});
	}

	#served(c: PageCall): ShownProject | undefined {
		return this.#options.projects.find(({ key }) => key === c.req.param("project"));
	}

	/** The session, unless the page is only read. */
	#writer(c: PageCall): PageSession | undefined {
		return this.#options.readOnly ? undefined : c.get("session");
	}

	#action(c: PageCall, { project }: ShownProject, fields: FormFields) {
		const { supervisors, prefix } = this.#options;
		const via = `the page (${c.get("session").name}, ${addressOf(c)})`;
		return { project, fields, supervisors, prefix, via };
	}

	#reader({ key }: ShownProject, id: string): ReportReader {
		const name = `${key} ${id}`;
		const known = this.#readers.get(name) ?? new ReportReader(this.#options.redact);
		this.#readers.delete(name);
		this.#readers.set(name, known);
		const [oldest] = this.#readers.keys();
		if (this.#readers.size > maxReaders && oldest !== undefined) this.#readers.delete(oldest);
		return known;
	}

	async #answer(
		c: PageCall,
		served: ShownProject,
		{
			result,
			fields,
			id,
		}: { readonly result: ActionResult; readonly fields: FormFields; readonly id: string | undefined },
	): Promise<Response> {
		switch (result.kind) {
			case "done": {
				const number = Math.random().toString(36).slice(2, 12);
				this.#notes.set(number, result.text);
				const [oldest] = this.#notes.keys();
				if (this.#notes.size > 200 && oldest !== undefined) this.#notes.delete(oldest);
				return c.redirect(`${id === undefined ? "/" : runAddress(served.key, id)}?note=${number}`, 303);
			}
			case "refused": {
				const note = { text: result.text, tone: "bad" } as const;
				if (c.req.param("run") !== undefined) return this.run(c, note, 409);
				return this.show(c, {
					title: "Not started",
					body: drawSentence(this.html, "Nothing was started", ""),
					note,
					status: 409,
				});
			}
			case "asks":
				return this.#ask(c, result, fields);
		}
	}

	/** Asks whether to do what cannot be taken back. */
	#ask(c: PageCall, { question, confirm }: ActionResult & { kind: "asks" }, { token: _, ...fields }: FormFields) {
		const { html } = this;
		const session = c.get("session");
		const action = c.req.path;
		const lines = html`<div class="subject" dir="auto">${html.cut(question.lines.join("\n"), 20_000)}</div>`;
		const yes = drawForm(
			{ html, session },
			{ action, hidden: { ...fields, confirm }, button: question.yes, look: "danger" },
		);
		const without =
			c.req.param("template") === undefined
				? undefined
				: drawForm({ html, session }, { action, hidden: { ...fields, cleanup: "none" }, button: cleanupAnswers.none });
		const back = c.req.param("run") === undefined ? "/" : action.replace(/\/[a-z]+$/, "");
		const left = html`<p><a href="${exactly(back)}">${question.no}</a></p>`;
		const body = html`<main id="content"><section class="ask"><h1>${question.title}</h1>${lines}${yes}${without}${left}</section></main>`;
		return this.show(c, { title: question.title, body });
	}

	#noteOf(c: PageCall): Shown["note"] {
		const text = this.#notes.get(c.req.query("note") ?? "");
		return text === undefined || text === "" ? undefined : { text, tone: "good" };
	}
}
