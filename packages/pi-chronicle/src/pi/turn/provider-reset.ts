// When a provider can be tried again, from the words of its error message or the headers of its answer. Pure; moments are milliseconds since
// the epoch. Sources: RFC 9110 (Retry-After), the rate limit headers of Anthropic, OpenAI and OpenRouter, Google's RetryInfo, and the
// messages of subscriptions ("resets at 3pm", "Try again in ~20 min.").

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** A moment that has just passed counts as now: messages are written a little earlier than they are read. */
const justPassedMs = 10 * minuteMs;
const farthestMs = 366 * dayMs;

/** Words after which a message names the moment. */
const keywords =
	/try(?:ing)? again|try your request again|retry[-_ ]?(?:after|delay|in|at)?(?:[-_]?(?:ms|seconds))?|reset(?:s|ting)?(?:[-_]?(?:at|in|after))?(?:[-_]?(?:ms|seconds))?|resetsAt|retryAfter(?:Ms)?|retryDelay|please wait|wait|available(?: again)?|limit reached\|/gi;

/** The moment that an error message names; `undefined`: none. `zone`: that of clock times without one, an IANA name; default: the system's. */
export function resetIn(message: string, now: number, zone?: string): number | undefined {
	const requested = /requested (\d+(?:\.\d+)?)s retry delay/i.exec(message)?.[1];
	if (requested !== undefined) return plausible(now + Number(requested) * secondMs, now);
	for (const found of message.matchAll(keywords)) {
		const tail = message.slice(found.index + found[0].length, found.index + found[0].length + 120);
		const at = momentIn(tail, found[0], { now, zone });
		const valid = at === undefined ? undefined : plausible(at, now);
		if (valid !== undefined) return valid;
	}
	return undefined;
}

/** The moment that the headers of a refused request name; `undefined`: none. Names are in lower case. */
export function resetInHeaders(headers: Readonly<Record<string, string>>, now: number): number | undefined {
	const after = headers["retry-after-ms"];
	if (after !== undefined && Number.isFinite(Number(after))) return plausible(now + Number(after), now);
	const retry = headers["retry-after"];
	const named = retry === undefined ? undefined : afterOf(retry, now);
	if (named !== undefined) return plausible(named, now);
	const resets = Object.entries(headers).flatMap(([name, value]) => {
		const isUsedUp = /reset/.test(name) && /rate-?limit/.test(name) && remainingOf(name, headers) === 0;
		const at = isUsedUp ? afterOf(value, now) : undefined;
		return at === undefined ? [] : [at];
	});
	return resets.length === 0 ? undefined : plausible(Math.max(...resets), now);
}

/** What is left of the limit whose reset is in the header `name`. */
function remainingOf(name: string, headers: Readonly<Record<string, string>>): number {
	const remaining = headers[name.replace("reset", "remaining")];
	const status = headers[name.replace("reset", "status")];
	if (remaining !== undefined) return Number(remaining);
	return status === undefined || status === "rejected" ? 0 : 1;
}

/** A number of seconds, a duration, an epoch or a date. */
function afterOf(value: string, now: number): number | undefined {
	const text = value.trim();
	const number = Number(text);
	if (text !== "" && Number.isFinite(number)) return number >= 1e9 ? epochMs(number) : now + number * secondMs;
	const ms = durationAt(text);
	if (ms !== undefined) return now + ms;
	const date = Date.parse(text);
	return Number.isNaN(date) ? undefined : date;
}

function plausible(at: number, now: number): number | undefined {
	if (!Number.isFinite(at) || at > now + farthestMs || at < now - justPassedMs) return undefined;
	return Math.max(Math.ceil(at), now);
}

function epochMs(value: number): number {
	return value >= 1e11 ? value : value * secondMs;
}

interface Reading {
	readonly now: number;
	readonly zone: string | undefined;
}

function momentIn(tail: string, keyword: string, { now, zone }: Reading): number | undefined {
	const article = /^\D{0,20}?\b(?:an?|one) (minute|hour|day)\b/i.exec(tail)?.[1];
	// What follows in the same clause: a full stop ends it, unless digits come after.
	const clause = /^(?:[^.\d\n]|\.(?=\d)){0,48}?(?=\d|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec))/i.exec(
		tail,
	);
	if (!clause) return article === undefined ? undefined : now + unitMs(article);
	const rest = tail.slice(clause[0].length);
	return (
		dateAt(rest, now, zone) ??
		epochAt(rest) ??
		addTo(now, durationAt(rest)) ??
		bareAt(rest, keyword, now) ??
		clockAt(rest, now, zone)
	);
}

function addTo(now: number, ms: number | undefined): number | undefined {
	return ms === undefined ? undefined : now + ms;
}

const part =
	/^(\d+(?:\.\d+)?)\s*(milliseconds?|millis|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w)(?![a-z])/i;
const compactPart = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)(?=\d)/i;

/** The duration that a text begins with, in ms: `1h30m`, `20 minutes`, `1 hour and 5 min`, `34.5s`. */
function durationAt(text: string): number | undefined {
	let rest = text;
	let sum: number | undefined;
	for (;;) {
		const found = compactPart.exec(rest) ?? part.exec(rest);
		if (!found) return sum;
		const [whole, amount = "", unit = ""] = found;
		sum = (sum ?? 0) + Number(amount) * unitMs(unit);
		rest = rest.slice(whole.length).replace(/^(?:\s*,)?\s*(?:and\s+)?(?=\d)/i, "");
	}
}

function unitMs(unit: string): number {
	const word = unit.toLowerCase();
	if (/^(?:ms|milli)/.test(word)) return 1;
	switch (word.charAt(0)) {
		case "s":
			return secondMs;
		case "m":
			return minuteMs;
		case "h":
			return hourMs;
		case "d":
			return dayMs;
		default:
			return 7 * dayMs;
	}
}

/** A number alone, which the keyword makes one of seconds or milliseconds. */
function bareAt(text: string, keyword: string, now: number): number | undefined {
	const number = /^(\d+(?:\.\d+)?)(?![\d:]|\s*(?:am|pm)\b)/i.exec(text)?.[1];
	if (number === undefined || !/after|delay|seconds|ms$/i.test(keyword)) return undefined;
	return now + Number(number) * (/ms$/i.test(keyword) ? 1 : secondMs);
}

function epochAt(text: string): number | undefined {
	const digits = /^(\d{10}(?:\.\d+)?|\d{13})(?!\d)/.exec(text)?.[1];
	return digits === undefined ? undefined : epochMs(Number(digits));
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** `2026-11-29T15:00:00Z`, `2026-11-29 15:00`, `Nov 30, 2026, 5pm`, `Dec 1 at 9:00 AM`. */
function dateAt(text: string, now: number, zone: string | undefined): number | undefined {
	const iso =
		/^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?/i.exec(
			text,
		);
	if (iso) {
		const [, year, month, day, hour = "0", minute = "0", second = "0", offset] = iso;
		const wall = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
		return offset === undefined ? fromWall(wall, zoneAfter(text) ?? zone) : wall - offsetMs(offset);
	}
	const named = /^([A-Z]{3})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?(?:,)?(?: at)?\s*/i.exec(text);
	const month = months.indexOf(named?.[1]?.toLowerCase() ?? "");
	if (!named || month < 0) return undefined;
	const [whole, , day, year] = named;
	const time = timeOf(text.slice(whole.length))[0] ?? 0;
	const thisYear = new Date(now).getUTCFullYear();
	const wallIn = (of: number): number => fromWall(Date.UTC(of, month, Number(day)) + time, zoneAfter(text) ?? zone);
	if (year !== undefined) return wallIn(Number(year));
	const at = wallIn(thisYear);
	return at < now - dayMs ? wallIn(thisYear + 1) : at;
}

/** The next moment at which clocks show the time that a text begins with. */
function clockAt(text: string, now: number, zone: string | undefined): number | undefined {
	const where = zoneAfter(text) ?? zone;
	const today = Math.floor((now + zoneOffset(now, where)) / dayMs) * dayMs;
	const all = timeOf(text).flatMap((time) => [-1, 0, 1].map((days) => fromWall(today + days * dayMs + time, where)));
	const next = all.filter((at) => at >= now - justPassedMs);
	return next.length === 0 ? undefined : Math.min(...next);
}

/** The times of day that a text may begin with, in ms: one, or two where it lacks am and pm. */
function timeOf(text: string): number[] {
	const [, hours, minutes, half] = /^(\d{1,2})(?::(\d{2}))?(?::\d{2})?\s*([ap])\.?m\b/i.exec(text) ?? [];
	if (hours !== undefined && Number(hours) >= 1 && Number(hours) <= 12)
		return [((Number(hours) % 12) + (half?.toLowerCase() === "p" ? 12 : 0)) * hourMs + Number(minutes ?? 0) * minuteMs];
	const [, hour, minute] = /^(\d{1,2}):(\d{2})(?::\d{2})?(?!\d)/.exec(text) ?? [];
	if (hour === undefined || Number(hour) > 23 || Number(minute) > 59) return [];
	const time = Number(hour) * hourMs + Number(minute) * minuteMs;
	// `3:00` may be in the afternoon; `03:00` and `15:00` are of 24 hours.
	return hour.length === 1 ? [time, time + 12 * hourMs] : [time];
}

/** The zone that follows a time: `UTC`, `(America/New_York)`, `PST`. */
function zoneAfter(text: string): string | undefined {
	const found = /^[^()\n]{0,30}?\(?\b(UTC|GMT|[A-Z][A-Za-z]+\/[A-Za-z_/+-]+|[PMCE][SD]T|CES?T)\b/.exec(text)?.[1];
	const name = found === undefined ? undefined : (shortZones[found] ?? found);
	return name === undefined || isZone(name) ? name : undefined;
}

const shortZones: Readonly<Record<string, string>> = {
	PST: "America/Los_Angeles",
	PDT: "America/Los_Angeles",
	MST: "America/Denver",
	MDT: "America/Denver",
	CST: "America/Chicago",
	CDT: "America/Chicago",
	EST: "America/New_York",
	EDT: "America/New_York",
	CET: "Europe/Berlin",
	CEST: "Europe/Berlin",
};

function isZone(name: string): boolean {
	try {
		return new Intl.DateTimeFormat("en", { timeZone: name }).format() !== "";
	} catch {
		return false;
	}
}

function offsetMs(offset: string): number {
	const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(offset) ?? [];
	return sign === undefined ? 0 : (sign === "-" ? -1 : 1) * (Number(hours) * hourMs + Number(minutes) * minuteMs);
}

/** Milliseconds by which clocks in a zone are ahead of UTC. */
function zoneOffset(at: number, zone: string | undefined): number {
	if (zone === undefined) return -new Date(at).getTimezoneOffset() * minuteMs;
	const parts = new Intl.DateTimeFormat("en-US", {
		timeZone: zone,
		hourCycle: "h23",
		...{ year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" },
	}).formatToParts(at);
	const of = (type: string): number => Number(parts.find((one) => one.type === type)?.value);
	const wall = Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
	return wall - Math.floor(at / secondMs) * secondMs;
}

/** The moment at which clocks in a zone show `wall`, which is given as if it were UTC. */
function fromWall(wall: number, zone: string | undefined): number {
	const near = wall - zoneOffset(wall, zone);
	return wall - zoneOffset(near, zone);
}
