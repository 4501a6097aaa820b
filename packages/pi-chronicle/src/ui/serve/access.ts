// Who may use the page: links that work once, sessions in cookies, tokens of forms, and bounds on guesses and requests.
// A token is 128 random bits or more, and only its hash is kept; a link works once, within its time; the token of a form is bound to a
// session and to the form's address; every table is bounded.
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { keep } from "./kept.ts";

/** A device that has used a link. */
export interface PageSession {
	/** The name of its link, which every answer is recorded with. */
	readonly name: string;
	readonly key: Buffer;
}

const linkMs = 15 * 60_000;
const sessionMs = 7 * 24 * 3_600_000;
const maxLinks = 20;
const maxSessions = 50;
/** Links that one address, and all together, may try a minute. */
const triesOfOne = 10;
const triesOfAll = 60;
/** Requests of one session a minute, and those of them that change something. */
const requestsOfOne = 600;
const postsOfOne = 60;

interface Timed<T> {
	readonly value: T;
	readonly until: number;
}

export class Access {
	readonly #now: () => number;
	readonly #links = new Map<string, Timed<string>>();
	readonly #sessions = new Map<string, Timed<PageSession>>();
	readonly #tries: Rate;
	readonly #allTries: Rate;
	readonly #requests: Rate;
	readonly #posts: Rate;

	/** `now`: milliseconds since the epoch. */
	constructor(now: () => number = Date.now) {
		this.#now = now;
		this.#tries = new Rate(triesOfOne, now);
		this.#allTries = new Rate(triesOfAll, now);
		this.#requests = new Rate(requestsOfOne, now);
		this.#posts = new Rate(postsOfOne, now);
	}

	/** The token of a new link with that name. */
	newLink(name: string): string {
		const token = newToken();
		keep(this.#links, hashText(token), { value: name, until: this.#now() + linkMs }, maxLinks);
		return token;
	}

	/** Exchanges the token of a link for the value of a session's cookie. `from`: the address of the device. */
	exchange(token: string, from: string): { readonly cookie: string } | "unknown" | "too many" {
		if (!this.#tries.take(from) || !this.#allTries.take("")) return "too many";
		const link = this.#take(this.#links, token);
		if (link === undefined) return "unknown";
		this.#links.delete(hashText(token));
		const cookie = newToken();
		const session = { name: link, key: randomBytes(32) };
		keep(this.#sessions, hashText(cookie), { value: session, until: this.#now() + sessionMs }, maxSessions);
		return { cookie };
	}

	/** The session of a cookie. */
	session(cookie: string | undefined): PageSession | undefined {
		return cookie === undefined ? undefined : this.#take(this.#sessions, cookie);
	}

	/** Whether the session may make another request now. */
	admits({ key }: PageSession, what: "request" | "post"): boolean {
		return (what === "post" ? this.#posts : this.#requests).take(key.toString("hex"));
	}

	#take<T>(kept: Map<string, Timed<T>>, token: string): T | undefined {
		const found = kept.get(hashText(token));
		return found && found.until > this.#now() ? found.value : undefined;
	}
}

/** The token of the form that posts to `path`. */
export function formToken({ key }: PageSession, path: string): string {
	return createHmac("sha256", key).update(path).digest("base64url");
}

export function isFormToken(session: PageSession, path: string, token: string): boolean {
	const [right, given] = [Buffer.from(formToken(session, path)), Buffer.from(token)];
	return right.length === given.length && timingSafeEqual(right, given);
}

function newToken(): string {
	return randomBytes(24).toString("base64url");
}

/** A short text that differs where `text` does, and does not tell it. */
export function hashText(text: string): string {
	return createHash("sha256").update(text).digest("base64url");
}

const maxKeys = 1000;

/** At most `most` a minute for each key. */
class Rate {
	readonly #most: number;
	readonly #now: () => number;
	readonly #left = new Map<string, { readonly left: number; readonly at: number }>();

	constructor(most: number, now: () => number) {
		this.#most = most;
		this.#now = now;
	}

	take(key: string): boolean {
		const now = this.#now();
		const known = this.#left.get(key) ?? { left: this.#most, at: now };
		const left = Math.min(this.#most, known.left + (Math.max(0, now - known.at) / 60_000) * this.#most);
		keep(this.#left, key, { left: left < 1 ? left : left - 1, at: now }, maxKeys);
		return left >= 1;
	}
}
