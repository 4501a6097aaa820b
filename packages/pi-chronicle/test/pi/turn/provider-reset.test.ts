// When a provider can be tried again: the words of messages, and the headers of answers.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resetIn, resetInHeaders } from "../../../src/pi/turn/provider-reset.ts";
import { runs } from "../../harness/runs.ts";

const now = Date.UTC(2026, 10, 29, 14, 20, 30);
const minute = 60_000;
const hour = 60 * minute;
const at = (iso: string): number => Date.parse(iso);
const named = (message: string): number | undefined => resetIn(message, now, "UTC");

describe("a message that names when to try again", () => {
	it.each<[string, number]>([
		["429 Rate limit reached for gpt-5 in organization org-1. Please try again in 20s.", 20_000],
		["Please try again in 6m0s. Visit https://example.invalid/limits", 6 * minute],
		["Rate limited: try again in 20 minutes", 20 * minute],
		["Too many requests. Try again in an hour.", hour],
		["Too many requests, please wait a minute", minute],
		["Please wait 90 seconds before your next request", 90_000],
		["You have hit your ChatGPT usage limit (plus plan). Try again in ~45 min.", 45 * minute],
		["Your limit resets in 1h30m", 90 * minute],
		["limit will reset in 1 hour and 5 minutes", 65 * minute],
		["resets in 1 day, 2 hours", 26 * hour],
		["Please retry in 34.074824224s.", 34_075],
		["Server requested 120s retry delay (max: 60s). 429", 120_000],
		['{"error":{"code":429,"details":[{"@type":"RetryInfo","retryDelay":"34s"}]}}', 34_000],
		['429 {"error":{"message":"slow down","retry_after":12}}', 12_000],
		['{"retry_after_ms": 2500}', 2500],
		["Retry-After: 30", 30_000],
		['{"resets_in_seconds": 3600}', hour],
		["Please try again in 250ms", 250],
	])("%s", (message, ms) => {
		expect(named(message)).toBe(now + ms);
	});

	it.each<[string, string]>([
		["You've hit your limit · resets 3pm", "2026-11-29T15:00:00Z"],
		["You've hit your limit · resets 3:30 PM (UTC)", "2026-11-29T15:30:00Z"],
		["limit reached, resets at 3:00", "2026-11-29T15:00:00Z"],
		["resets at 03:00", "2026-11-30T03:00:00Z"],
		["resets at 12am", "2026-11-30T00:00:00Z"],
		["resets at 2:15pm", "2026-11-29T14:20:30Z"],
		["Your limit will reset at 10am (America/New_York).", "2026-11-29T15:00:00Z"],
		["resets 7am PST", "2026-11-29T15:00:00Z"],
		["Claude AI usage limit reached|1796006400", "2026-11-30T02:40:00Z"],
		['{"type":"usage_limit_reached","resets_at":1796006400}', "2026-11-30T02:40:00Z"],
		['{"resetsAt":1796006400000}', "2026-11-30T02:40:00Z"],
		["try again at 2026-11-29T15:04:05Z", "2026-11-29T15:04:05Z"],
		["try again after 2026-11-29 17:00+02:00", "2026-11-29T15:00:00Z"],
		["try again on Nov 30, 2026 at 5pm", "2026-11-30T17:00:00Z"],
		["Your limit resets Jan 2 at 9:00 AM", "2027-01-02T09:00:00Z"],
	])("%s: %s", (message, iso) => {
		expect(new Date(named(message) ?? 0).toISOString()).toBe(new Date(at(iso)).toISOString());
	});

	it.each([
		["529 overloaded_error: Overloaded"],
		["Request timed out after 60s"],
		["fetch failed: connect ECONNREFUSED 127.0.0.1:443"],
		["503 Service Unavailable (request 20261129)"],
		["failed after 3 retries in 20 seconds"],
		["Please try again later."],
		["Please try again later. Request id 8843212"],
		["The stream was reset. Error 500"],
		["resets at 2019-01-01T00:00:00Z"],
		[""],
	])("none: %s", (message) => {
		expect(named(message)).toBeUndefined();
	});

	const units = [
		[["h", "hr", "hrs", "hour", "hours"], hour],
		[["m", "min", "mins", "minute", "minutes"], minute],
		[["s", "sec", "secs", "second", "seconds"], 1000],
	] as const;
	const before = [
		"try again in ",
		"Please retry in ",
		"resets in ~",
		"Your limit will reset in about ",
		"retry after ",
	];

	it("finds any duration in any of the usual forms, and never one in the past", () => {
		const piece = fc.tuple(fc.nat(2), fc.nat(4), fc.integer({ min: 1, max: 59 }), fc.constantFrom("", " "));
		const pieces = fc.uniqueArray(piece, { minLength: 1, maxLength: 3, selector: ([unit]) => unit });
		fc.assert(
			fc.property(pieces, fc.constantFrom(...before), fc.constantFrom(" ", ", ", " and "), (all, words, between) => {
				const sorted = all.toSorted(([one], [other]) => one - other);
				const text = sorted.map(([unit, name, count, gap]) => `${count}${gap}${units[unit]?.[0][name]}`).join(between);
				const ms = sorted.reduce((sum, [unit, , count]) => sum + count * (units[unit]?.[1] ?? 0), 0);
				expect(named(`429 Too many requests: ${words}${text}. See the docs.`)).toBe(now + ms);
			}),
			{ numRuns: runs(2) },
		);
		fc.assert(
			fc.property(fc.string({ maxLength: 60 }), (text) => {
				for (const message of [text, `try again in ${text}`, `resets at ${text}`]) {
					const found = named(message);
					if (found !== undefined) expect(found).toBeGreaterThanOrEqual(now);
				}
			}),
			{ numRuns: runs(2) },
		);
	});

	it("of a day's time is the next moment at which clocks show it, in any zone, over changes of the clock", () => {
		const zones = ["UTC", "America/New_York", "Europe/Berlin", "Asia/Kolkata", "Pacific/Auckland"];
		const moment = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) });
		fc.assert(
			fc.property(
				moment,
				fc.constantFrom(...zones),
				fc.integer({ min: 1, max: 12 }),
				fc.constantFrom("am", "pm"),
				(from, zone, hours, half) => {
					const found = resetIn(`resets ${hours}${half}`, from, zone) ?? 0;
					expect(found).toBeGreaterThanOrEqual(from);
					expect(found).toBeLessThanOrEqual(from + 25 * hour);
					const shown = new Intl.DateTimeFormat("en-US", {
						timeZone: zone,
						hour: "numeric",
						minute: "2-digit",
						hour12: true,
					}).format(found);
					// In the hour that a change of the clock skips, the next one is shown.
					const isSkipped = half === "am" && (hours === 2 || hours === 3);
					if (!isSkipped && found > from) expect(shown.replace(/\s/g, "")).toBe(`${hours}:00${half.toUpperCase()}`);
				},
			),
			{ numRuns: runs(2) },
		);
	});
});

describe("headers that name when to try again", () => {
	it.each<[Record<string, string>, number | undefined]>([
		[{ "retry-after": "120" }, now + 120_000],
		[{ "retry-after": "0" }, now],
		[{ "retry-after": "Sun, 29 Nov 2026 15:00:00 GMT" }, at("2026-11-29T15:00:00Z")],
		[{ "retry-after-ms": "1500", "retry-after": "2" }, now + 1500],
		[{ "x-ratelimit-reset-requests": "6m0s", "x-ratelimit-remaining-requests": "0" }, now + 6 * minute],
		[{ "x-ratelimit-reset-requests": "6m0s", "x-ratelimit-remaining-requests": "7" }, undefined],
		[
			{ "anthropic-ratelimit-tokens-reset": "2026-11-29T15:00:00Z", "anthropic-ratelimit-tokens-remaining": "0" },
			at("2026-11-29T15:00:00Z"),
		],
		[
			{ "anthropic-ratelimit-unified-reset": "1796006400", "anthropic-ratelimit-unified-status": "rejected" },
			1_796_006_400_000,
		],
		[{ "anthropic-ratelimit-unified-reset": "1796006400", "anthropic-ratelimit-unified-status": "allowed" }, undefined],
		[{ "x-ratelimit-reset": "1796006400000" }, 1_796_006_400_000],
		[{ "content-type": "application/json" }, undefined],
		[{ "retry-after": "soon" }, undefined],
	])("%j", (headers, expected) => {
		expect(resetInHeaders(headers, now)).toBe(expected);
	});
});
