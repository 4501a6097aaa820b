// Parsing of pi's records and files: conversations, usage, provider errors, tool calls, deadlines. Pure, or on a temporary file.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type Deadline, openDeadlines } from "../../../src/local/worker/deadlines.ts";
import { readSessionFile, relocateSession } from "../../../src/local/worker/session-file.ts";
import { openToolLog } from "../../../src/local/worker/tool-log.ts";
import { classifyProviderError } from "../../../src/pi/index.ts";

let folder: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "records-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const header = { type: "session", version: 3, id: "s", cwd: "/old" };
const usage = (tokens: number) => ({
	input: tokens,
	output: 0,
	cacheRead: 0,
	cacheWrite: 0,
	totalTokens: tokens,
	cost: { total: tokens / 1e6 },
});
const user = (text: string) => ({ type: "message", message: { role: "user", content: [{ type: "text", text }] } });
const assistant = (...calls: [id: string, name: string, args?: object][]) => ({
	type: "message",
	message: {
		role: "assistant",
		content: [
			{ type: "text", text: "x" },
			...calls.map(([id, name, args = {}]) => ({ type: "toolCall", id, name, arguments: args })),
		],
		usage: usage(100),
	},
});
const result = (id: string, isError = false) => ({
	type: "message",
	message: { role: "toolResult", toolCallId: id, content: [], isError },
});
const request = (call: string) => ({ type: "custom", customType: "chronicle:move", data: { call, reply: "asked" } });
const accepted = (id: string) => ({
	type: "message",
	message: { role: "toolResult", toolCallId: id, content: [], isError: false, details: { reply: "accepted" } },
});
const asked: [string, string, object] = ["m", "workflow_transition", { target_state: " next ", summary: "s" }];

async function conversation(...entries: object[]) {
	const path = join(folder, "c.jsonl");
	writeFileSync(path, [header, ...entries].map((entry) => `${JSON.stringify(entry)}\n`).join(""));
	const read = await readSessionFile(path);
	if (read.kind !== "read") throw new Error(read.kind);
	return read.contents;
}

describe("a session file", () => {
	it("sums messages, tool results, compactions and other usage, each once", async () => {
		const { spend } = await conversation(
			user("a"),
			assistant(["1", "bash"]),
			{ type: "message", message: { role: "toolResult", toolCallId: "1", content: [], usage: usage(7) } },
			{ type: "compaction", summary: "", usage: usage(30) },
			{ type: "usage", kind: "cache_warm", usage: usage(5) },
			{ type: "custom", customType: "other", data: { usage: usage(999) } },
		);
		expect(spend).toMatchObject({ tokens: 142, costUsd: 0.000142, unmeteredTokens: 0 });
	});

	it("counts the messages of the model and of the user, and nothing else", async () => {
		const told = { type: "message", message: { role: "custom", content: [] } };
		const { messages } = await conversation(user("a"), assistant(["1", "bash"]), result("1"), told, { type: "custom" });
		expect(messages).toBe(2);
	});

	it("lists the calls of the last message that have no result", async () => {
		const half = await conversation(user("a"), assistant(["1", "bash", { command: "x" }], ["2", "read"]), result("2"));
		expect(half.open).toEqual([{ call: "1", tool: "bash", args: { command: "x" } }]);
		expect((await conversation(user("a"), assistant(["1", "bash"]), user("b"))).open).toEqual([]);
	});

	it.each<[string, object[], boolean]>([
		["asked, all calls ended", [assistant(asked), result("m")], true],
		["next to a call that ended", [assistant(["1", "bash"], asked), result("1"), result("m")], true],
		[
			"before an aborted, empty message",
			[
				assistant(asked),
				result("m"),
				{ type: "message", message: { role: "assistant", content: [], stopReason: "aborted" } },
			],
			true,
		],
		["next to a call that has not ended", [assistant(["1", "bash"], asked), result("m")], false],
		["that the supervisor was asked for", [assistant(["1", "bash"], asked), request("m")], true],
		["accepted", [assistant(asked), request("m"), accepted("m")], false],
		["refused by the supervisor", [assistant(asked), request("m"), result("m", true)], false],
		["asked for in an earlier message", [assistant(asked), request("m"), assistant()], false],
		["without a result", [assistant(asked)], false],
		["refused by the tool", [assistant(asked), result("m", true)], false],
		[
			"answered",
			[
				assistant(asked),
				result("m"),
				{ type: "custom", customType: "chronicle:move", data: { call: "m", reply: "accepted" } },
			],
			false,
		],
		["followed by words of a person", [assistant(asked), result("m"), user("no")], false],
		[
			"followed by a message of ours",
			[assistant(asked), result("m"), { type: "custom_message", customType: "chronicle:move", content: "no" }],
			false,
		],
		["followed by the model", [assistant(asked), result("m"), assistant()], false],
	])("a move %s", async (_, entries, there) => {
		const { unanswered } = await conversation(user("a"), ...entries);
		expect(unanswered).toEqual(there ? { call: "m", target: "next", summary: "s" } : undefined);
	});

	it("drops its torn end, wherever it is torn", async () => {
		const path = join(folder, "torn.jsonl");
		const whole = Buffer.from(
			[header, user("ä\u2028"), assistant(["1", "bash"])].map((entry) => `${JSON.stringify(entry)}\n`).join(""),
		);
		const ends = [...whole.keys()].filter((at) => whole[at] === 0x0a).map((at) => at + 1);
		for (let cut = 0; cut <= whole.length; cut += 1) {
			writeFileSync(path, whole.subarray(0, cut));
			const read = await readSessionFile(path);
			const kept = Math.max(0, ...ends.filter((end) => end <= cut));
			expect(statSync(path).size).toBe(kept);
			expect(read.kind).toBe(kept >= (ends[1] ?? 0) ? "read" : "absent");
		}
	});

	it("is relocated to another folder without any other change", async () => {
		const path = join(folder, "moved.jsonl");
		writeFileSync(path, `${JSON.stringify(header)}\n${"x".repeat(700_000)}\n{"a":1}\n`);
		await relocateSession(path, "/new ö");
		const [first = "", ...rest] = readFileSync(path, "utf8").split("\n");
		expect(JSON.parse(first)).toEqual({ ...header, cwd: "/new ö" });
		expect(rest).toEqual(["x".repeat(700_000), '{"a":1}', ""]);
		expect(statSync(path).mode & 0o077).toBe(0);
	});

	it("is broken if it is not a session or not a file", async () => {
		const path = join(folder, "odd.jsonl");
		writeFileSync(path, '{"type":"message"}\n');
		expect(await readSessionFile(path)).toMatchObject({ kind: "broken" });
		expect(await readSessionFile(folder)).toMatchObject({ kind: "broken" });
		expect(await readSessionFile(join(folder, "none"))).toEqual({ kind: "absent" });
	});
});

describe("the cause of a provider failure", () => {
	it.each([
		["429 You exceeded your current quota, please check your plan and billing details.", "quota"],
		["Your credit balance is too low to access the Anthropic API.", "quota"],
		["402 Insufficient credits. Add more using https://example.invalid", "quota"],
		["insufficient_quota", "quota"],
		["You've hit your usage limit. Try again in 3 hours", "transient"],
		["You have hit your ChatGPT usage limit (plus plan).", "transient"],
		["Monthly usage limit reached. Enable usage from your available balance", "quota"],
		["503 The authentication service is unavailable", "transient"],
		["500 billing backend failed", "transient"],
		["connect ECONNREFUSED 127.0.0.1:443", "transient"],
		["Connection error.: getaddrinfo EAI_AGAIN api.example.invalid", "transient"],
		["401 invalid x-api-key", "auth"],
		["Incorrect API key provided: sk-…", "auth"],
		["403 Forbidden", "auth"],
		["OAuth token has expired", "auth"],
		["No API key found for anthropic", "auth"],
		["529 overloaded_error: Overloaded", "transient"],
		["429 rate_limit_error", "transient"],
		["fetch failed", "transient"],
		["read ECONNRESET", "transient"],
		["503 Service Unavailable", "transient"],
		["Request timed out.", "transient"],
		["terminated", "transient"],
		["400 messages.1: tool_use ids were found without tool_result blocks", "provider_error"],
		["404 model not found", "provider_error"],
		["", "provider_error"],
	])("%s: %s", (message, kind) => {
		expect(classifyProviderError(message)).toBe(kind);
	});
});

describe("the tool log", () => {
	it("times calls that pi did not time, and records which rule blocked which call", () => {
		let now = 0;
		const log = openToolLog(() => now);
		log.read({ type: "tool_execution_start", toolCallId: "a", toolName: "bash", args: { command: "x" } });
		log.read({ type: "tool_execution_start", toolCallId: "b", toolName: "read", args: {} });
		expect(log.open).toBe(2);
		const record = {
			version: 1,
			outcome: "denied",
			call: "b",
			tool: "read",
			input: "",
			policy: "guard",
			rule: ".env",
			reason: "r",
		};
		log.read({ type: "entry_appended", entry: { type: "custom", customType: "chronicle:decision", data: record } });
		now = 250;
		expect(
			log.read({ type: "tool_execution_end", toolCallId: "b", toolName: "read", result: {}, isError: true }),
		).toMatchObject({ ms: 250, error: true, blocked: "guard: .env" });
		expect(
			log.read({
				type: "tool_execution_end",
				toolCallId: "a",
				toolName: "bash",
				result: { content: [{ type: "text", text: "öx" }] },
				durationMs: 7,
			}),
		).toMatchObject({ ms: 7, bytes: 3 });
		expect(log.open).toBe(0);
	});
});

describe("a result above the record limit", () => {
	it("still ends its call", () => {
		const log = openToolLog(() => 0);
		log.read({ type: "tool_execution_start", toolCallId: "call_x|fc_1", toolName: "read", args: {} });
		const head =
			'{"type":"tool_execution_end","toolCallId":"call_x|fc_1","toolName":"read","result":{"content":[{"type":"image","da';
		expect(log.readLong(head, 20_000_000)).toMatchObject({ call: "call_x|fc_1", tool: "read", bytes: 20_000_000 });
		expect(log.open).toBe(0);
		expect(log.readLong('{"type":"message_end","message":{', 20_000_000)).toBeUndefined();
	});
});

describe("deadlines", () => {
	beforeEach(() => void vi.useFakeTimers());
	afterEach(() => void vi.useRealTimers());

	async function first(
		limits: Parameters<typeof openDeadlines>[0],
		during: (d: ReturnType<typeof openDeadlines>) => Promise<void>,
	) {
		const seen: [Deadline, number][] = [];
		const start = performance.now();
		const deadlines = openDeadlines(limits, (which) => seen.push([which, performance.now() - start]));
		await during(deadlines);
		await vi.advanceTimersByTimeAsync(400);
		deadlines.close();
		return seen;
	}

	it("the nearest one expires, once", async () => {
		const seen = await first({ wallMs: 100, idleMs: 200, activeMs: 150 }, async (d) => d.phase("model"));
		expect(seen).toMatchObject([["wall", expect.any(Number)]]);
	});

	it("silence counts only during a model request, from the last output", async () => {
		expect(await first({ idleMs: 150 }, async () => {})).toEqual([]);
		expect(await first({ idleMs: 150 }, async (d) => d.phase("tool"))).toEqual([]);
		const seen = await first({ idleMs: 150 }, async (d) => {
			d.phase("model");
			for (let n = 0; n < 4; n++) {
				await vi.advanceTimersByTimeAsync(100);
				d.sign();
			}
		});
		expect(seen).toHaveLength(1);
		expect(seen[0]?.[1]).toBeGreaterThanOrEqual(500);
	});

	it("time spent waiting for the user counts toward none", async () => {
		const seen = await first({ wallMs: 200, idleMs: 200 }, async (d) => {
			d.phase("model");
			d.asking(1);
			await vi.advanceTimersByTimeAsync(500);
			d.asking(0);
		});
		expect(seen).toHaveLength(1);
		expect(seen[0]?.[1]).toBeGreaterThanOrEqual(650);
	});

	it("none expires once closed", async () => {
		expect(await first({ wallMs: 50, idleMs: 50 }, async (d) => d.close())).toEqual([]);
	});
});
