// A served page for tests: the command `serve` of the package under test, and a browser without a screen that keeps its cookie.
import { spawn } from "node:child_process";
import { closeLater } from "../../harness/lifetime.ts";
import type { Project } from "../../harness/project.ts";
import { packageUnderTest, piScript } from "../../harness/under-test.ts";

export interface ServedPage {
	/** `http://127.0.0.1:<port>`. */
	readonly origin: string;
	/** The link that works once. */
	readonly link: string;
	/** What the command has written. */
	output(): string;
	readonly pid: number;
}

/** Starts `pi-chronicle serve` in the project, on any free port. `env` may name an engine. */
export async function serve(
	project: Project,
	args: readonly string[] = [],
	env: Readonly<Record<string, string>> = {},
): Promise<ServedPage> {
	const { cli: local, cliWithEngine } = packageUnderTest();
	const cli = env.PI_CHRONICLE_ENGINE === undefined ? local : cliWithEngine;
	const child = spawn(process.execPath, [cli, "serve", "--port", "0", ...args], {
		cwd: project.folder,
		env: project.environment({ PI_CHRONICLE_PI: piScript(), ...env }),
		stdio: ["ignore", "pipe", "pipe"],
	});
	let text = "";
	child.stdout.on("data", (chunk) => {
		text += chunk;
	});
	child.stderr.on("data", (chunk) => {
		text += chunk;
	});
	const ended = new Promise<void>((resolve) => void child.once("exit", () => resolve()));
	closeLater(async () => {
		child.kill("SIGTERM");
		await ended;
	});
	const link = await new Promise<string>((resolve, reject) => {
		child.stdout.on("data", () => {
			const [found] = /http:\/\/[^\s/]+\/open\/\S+/.exec(text) ?? [];
			if (found) resolve(found);
		});
		void ended.then(() => reject(new Error(`serve ended:\n${text}`)));
	});
	return { origin: new URL(link).origin, link, output: () => text, pid: child.pid ?? 0 };
}

export interface Answer {
	readonly status: number;
	readonly text: string;
	readonly headers: Headers;
}

/** A browser: it keeps its cookie, and sends the fields of the form that it shows. */
export class Visitor {
	readonly origin: string;
	cookie = "";
	/** The last page. */
	page: Answer = { status: 0, text: "", headers: new Headers() };

	constructor(origin: string) {
		this.origin = origin;
	}

	/** Opens the link and signs in. */
	async signIn(link: string): Promise<void> {
		await this.get(new URL(link).pathname);
		await this.send("/open");
		const [cookie = ""] = /^[^;]+/.exec(this.page.headers.get("set-cookie") ?? "") ?? [];
		this.cookie = cookie;
	}

	async get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
		return this.#ask(path, { headers: { cookie: this.cookie, ...headers } });
	}

	/** Posts the form of the last page whose address ends with `action`, with these fields. Follows a redirection. */
	async send(action: string, fields: Readonly<Record<string, string>> = {}): Promise<Answer> {
		const form = formOf(this.page.text, action);
		if (!form) throw new Error(`The page has no form for ${action}:\n${wordsOf(this.page.text)}`);
		const answer = await this.post(form.action, { ...form.hidden, ...fields });
		const to = answer.headers.get("location");
		return to === null ? answer : this.get(to);
	}

	async post(
		path: string,
		fields: Readonly<Record<string, string>>,
		headers: Record<string, string> = {},
	): Promise<Answer> {
		return this.#ask(path, {
			method: "POST",
			redirect: "manual",
			body: new URLSearchParams(fields),
			headers: { cookie: this.cookie, origin: this.origin, ...headers },
		});
	}

	async #ask(path: string, init: RequestInit): Promise<Answer> {
		const response = await fetch(new URL(path, this.origin), init);
		this.page = { status: response.status, text: await response.text(), headers: response.headers };
		return this.page;
	}
}

/** The form of a page whose address ends with `action`, with its hidden fields. */
export function formOf(html: string, action: string): { action: string; hidden: Record<string, string> } | undefined {
	for (const [, address = "", content = ""] of html.matchAll(/<form method="post" action="([^"]*)">(.*?)<\/form>/gs)) {
		if (!address.endsWith(action)) continue;
		const inputs = content.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
		return {
			action: address,
			hidden: Object.fromEntries([...inputs].map(([, name = "", value = ""]) => [name, plain(value)])),
		};
	}
	return undefined;
}

/** The text of a page, blanks folded. */
export function wordsOf(html: string): string {
	return plain(html.replace(/<(?:style|script)[\s\S]*?<\/(?:style|script)>/g, " ").replace(/<[^>]+>/g, " ")).replace(
		/\s+/g,
		" ",
	);
}

/** A text of a page without its entities. */
export function plain(text: string): string {
	return text
		.replaceAll("&lt;", "<")
		.replaceAll("&gt;", ">")
		.replaceAll("&quot;", '"')
		.replaceAll("&#39;", "'")
		.replaceAll("&amp;", "&");
}
