// The server's routes. No address names a file: projects, runs, visits and templates are looked up by what the page itself listed.
// Every request is checked for its host and its origin before anything is read; everything but the link's page needs a session; what
// changes something is a POST with the token of its form; sizes, rates and streams are bounded.
import { Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { getCookie } from "hono/cookie";
import { isFormToken } from "./access.ts";
import { watchAllRuns } from "./live.ts";
import { drawOpenPage } from "./open-page.ts";
import { refuseOrigin } from "./origin.ts";
import { type AppOptions, type Env, fieldsOf, Pages } from "./pages.ts";

export type { AppBindings } from "./pages.ts";

const maxBody = 64 * 1024;

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
	app.use(signedIn(options, page));
	app.get("/", (c) => page.runs(c));
	app.get("/live", (c) => page.stream(c, watchAllRuns(options.projects)));
	app.get("/p/:project/r/:run", (c) => page.run(c));
	app.get("/p/:project/r/:run/beside", (c) => page.beside(c));
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

function signedIn({ access, cookie }: AppOptions, page: Pages): MiddlewareHandler<Env> {
	return async (c, next) => {
		const session = access.session(getCookie(c, cookie));
		if (!session) return page.signIn(c);
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
