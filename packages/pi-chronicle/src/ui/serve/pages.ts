// The pages of the server, one method for each: what is shown at an address, and what a form at it does. Projects, runs, visits and templates are looked
// up by what the page itself listed.
import type { Failure } from "@pi-chronicle/core/ports";
import type { Context } from "hono";
import { setCookie } from "hono/cookie";
import { streamSSE } from "hono/streaming";
import { isRunId } from "../../local/index.ts";
import type { Redact } from "../../safety/index.ts";
import type { Supervisors } from "../commands/index.ts";
import { cleanupAnswers } from "../phrases/index.ts";
import { type Compared, drawFrame, type Html, type HtmlContent, openHtml, ReportReader } from "../report/index.ts";
import type { Access, PageSession } from "./access.ts";
import { type ActionResult, type FormFields, startFromPage, steeringVerbs, steerRun } from "./actions.ts";
import { drawBeside, findSubject, readSubject } from "./comparison-page.ts";
import { FetchedConversations } from "./fetched-conversations.ts";
import { files, pageFiles } from "./files.ts";
import { drawForm, exactly } from "./forms.ts";
import { keep } from "./kept.ts";
import { type RunWatch, watchOneRun } from "./live.ts";
import { drawOpened, drawSentence, drawSignIn } from "./open-page.ts";
import type { ServedOrigins } from "./origin.ts";
import { isAway } from "./patient-store.ts";
import { QueuedAnswers } from "./queued-answers.ts";
import { drawRunPage } from "./run-page.ts";
import { drawRunsPage, runAddress, type ShownProject } from "./runs-page.ts";
import type { ShownRun } from "./shown-run.ts";
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

export interface Env {
	Variables: { session: PageSession };
	Bindings: AppBindings;
}
export type PageCall = Context<Env>;

const maxStreams = 40;
const pingMs = 20_000;
const maxReaders = 6;
const maxNotes = 200;
/** Seconds until a page that could not be made is loaded again. */
const againSeconds = 3;

/** The fields of the form, as text. */
export async function fieldsOf(c: PageCall): Promise<FormFields> {
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
	readonly status?: 200 | 404 | 409 | 401 | 429 | 500 | 503;
	/** What was done, or why not, above the page. */
	readonly note?: { readonly text: string; readonly tone: "good" | "bad" } | undefined;
}

export class Pages {
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
		return c.html(drawFrame(html, { title, head: pageFiles(html, live), body: content }), status);
	}

	sentence(
		c: PageCall,
		status: 404 | 401 | 429 | 500 | 503,
		title: string,
		text: string,
	): Response | Promise<Response> {
		return this.show(c, { title, status, body: drawSentence(this.html, title, text) });
	}

	/** Who follows a link from another program brings no cookie: it comes with the next request, from this page. */
	signIn(c: PageCall): Response | Promise<Response> {
		const body = drawSignIn(this.html, c.req.method === "GET" ? c.req.path : "/");
		return this.show(c, { title: "Sign in", status: 401, body });
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
		if (opened === "unknown")
			return this.sentence(
				c,
				401,
				"This link does not work",
				"It was used, or is too old. Press Enter in the terminal for a new one.",
			);
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
		const read = await this.#read(c, c.req.param("run") ?? "");
		if ("reason" in read) return this.#unread(c, read);
		const visit = c.req.param("visit");
		const page = { ...read, visit: visit === undefined ? undefined : Number(visit) };
		const { run } = page.report;
		const title = `${run.plan.name}: ${run.task}`;
		return this.show(c, { title, body: await drawRunPage(page), live: `${page.base}/live`, note, status });
	}

	async beside(c: PageCall): Promise<Response> {
		const subjects = await Promise.all(
			[c.req.query("one"), c.req.query("other")].map((name) => this.#subject(c, name)),
		);
		const [one, other] = subjects;
		if (!one || !other)
			return this.sentence(c, 404, "Nothing to compare", "Choose two runs, visits or attempts on the page of a run.");
		if (one.page.report.run.template.name !== other.page.report.run.template.name)
			return this.sentence(c, 404, "Nothing to compare", "These are runs of two templates.");
		return this.show(c, { title: `Side by side: ${one.name}`, body: drawBeside(this.html, one, other) });
	}

	async #subject(c: PageCall, text: string | undefined): Promise<Compared | undefined> {
		const name = readSubject(text);
		const page = name && (await this.#read(c, name.run));
		return name && page && !("reason" in page) ? findSubject(page, name) : undefined;
	}

	/** An engine's database that is away comes back by itself, and so does the page. */
	#unread(c: PageCall, failure: Failure): Response | Promise<Response> {
		const comesBack = isAway(failure) && this.#served(c)?.project.engine !== undefined;
		if (comesBack && c.req.method === "GET") c.header("refresh", String(againSeconds));
		return this.sentence(c, comesBack ? 503 : 404, "This run cannot be shown", failure.message);
	}

	/** What the pages of run `id` show, or why there is no such run. */
	async #read(c: PageCall, id: string): Promise<ShownRun | Failure> {
		const served = this.#served(c);
		const read = served && isRunId(id) ? await served.project.store.read(id) : undefined;
		if (!served || !read) return { reason: "unknown", message: "It may have been removed.", remedy: "" };
		if (!read.ok) return read.failure;
		const { redact, prefix } = this.#options;
		const report = await this.#reader(served, id).catchUp(read.value);
		return {
			...{ html: this.html, redact, project: served.project, read: read.value, report, prefix },
			base: runAddress(served.key, id),
			addressOf: (other) => runAddress(served.key, other),
			...{ session: this.#writer(c), conversations: this.#conversations },
		};
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
					await stream.writeSSE({ event: "alive", data: "-" });
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
		keep(this.#readers, name, known, maxReaders);
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
				keep(this.#notes, number, result.text, maxNotes);
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
