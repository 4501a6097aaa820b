// Formats the times in the report, all in one time zone, which is named once. Pure.
import { type Html, type Markup, trusted } from "./markup.ts";

export interface Moments {
	readonly zone: string;
	/** Day and time. */
	full(at: number): Markup;
	/** As short as the run allows: without the day if all of the run was on one day. */
	short(at: number): Markup;
}

/** `zone`: an IANA name; an unknown name becomes UTC. */
export function openMoments(html: Html, zone: string, beganAt: number, endedAt: number): Moments {
	const known = knownZone(zone);
	const format = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
		new Intl.DateTimeFormat("en-GB", { timeZone: known, hourCycle: "h23", ...options });
	const day = format({ dateStyle: "medium" });
	const full = format({ dateStyle: "medium", timeStyle: "short" });
	const oneDay = day.format(beganAt) === day.format(endedAt);
	const short = oneDay
		? format({ timeStyle: "medium" })
		: format({ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
	const element = (at: number, text: string): Markup => {
		if (!isTime(at)) return trusted("unknown");
		return html`<time datetime="${new Date(at).toISOString()}">${text}</time>`;
	};
	return {
		zone: known,
		full: (at) => element(at, isTime(at) ? full.format(at) : ""),
		short: (at) => element(at, isTime(at) ? short.format(at) : ""),
	};
}

function isTime(at: number): boolean {
	return Number.isFinite(at) && at > 0 && at < 8.64e15;
}

function knownZone(zone: string): string {
	try {
		return new Intl.DateTimeFormat("en-GB", { timeZone: zone }).resolvedOptions().timeZone;
	} catch {
		return "UTC";
	}
}
