// Redaction of finished conversations: their records stay, their secrets go.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { redactSessions } from "../../../src/local/worker/redact-sessions.ts";
import { openRedaction } from "../../../src/safety/index.ts";

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "retire-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
const record = (text: string) =>
	JSON.stringify({ type: "message", message: { role: "toolResult", content: [{ type: "text", text }] } });
const write = (name: string, ...lines: string[]) =>
	writeFileSync(join(folder, name), `${lines.join("\n")}\n`, { mode: 0o600 });
const read = (name: string) => readFileSync(join(folder, name), "utf8");

it("redacts every session except the current one, and no other file", () => {
	write("1.1.jsonl", record("plain"), record(`token ${secret} and PASSWORD=hunter2hunter2`), '{"torn');
	write("2.1.jsonl", record(secret));
	write("notes.jsonl", record(secret));
	const done = new Set<string>();
	redactSessions(folder, "2.1", openRedaction({ MY_API_KEY: "planted-value-77" }), done);
	expect(read("1.1.jsonl")).not.toContain(secret);
	expect(read("1.1.jsonl")).not.toContain("hunter2hunter2");
	expect(read("1.1.jsonl").split("\n")[0]).toBe(record("plain"));
	for (const line of read("1.1.jsonl").split("\n").slice(0, 2)) expect(() => JSON.parse(line)).not.toThrow();
	expect(read("2.1.jsonl")).toContain(secret);
	expect(read("notes.jsonl")).toContain(secret);
	expect(statSync(join(folder, "1.1.jsonl")).mode & 0o777).toBe(0o600);
	redactSessions(folder, undefined, openRedaction(), done);
	expect(read("2.1.jsonl")).not.toContain(secret);
});

it("redacts drafts that a crash left, and workers' briefs", () => {
	write("1.1.jsonl", record("plain"));
	write("1.1.jsonl.moved", record(secret), `{"type":"message","text":"${secret}`);
	write(".1.1.jsonl.123.tmp", record(secret));
	write("1.1.persona.md", "You are careful.", `-----BEGIN PRIVATE KEY-----\n${"QkFE".repeat(12)}`);
	write("1.1.brief.json", JSON.stringify({ version: 1, rules: { text: `deny ${secret}` } }));
	redactSessions(folder, "1.1", openRedaction(), new Set());
	expect(read("1.1.jsonl.moved")).not.toContain(secret);
	expect(read(".1.1.jsonl.123.tmp")).not.toContain(secret);
	expect(read("1.1.brief.json")).toContain(secret);
	redactSessions(folder, undefined, openRedaction(), new Set());
	expect(read("1.1.brief.json")).not.toContain(secret);
	expect(read("1.1.persona.md")).not.toContain("QkFE");
});

it("keeps the links between a session's records, and its images", () => {
	const call = `call_${secret.slice(4)}`;
	const lines = [
		{
			type: "message",
			id: "1a2b3c4d",
			parentId: null,
			message: {
				role: "assistant",
				content: [{ type: "toolCall", id: call, name: "bash", arguments: { password: "plain", command: "x" } }],
			},
		},
		{
			type: "message",
			message: {
				role: "toolResult",
				toolCallId: call,
				content: [{ type: "image", data: secret.slice(4), mimeType: "image/png" }],
			},
		},
	];
	write("1.1.jsonl", ...lines.map((line) => JSON.stringify(line)));
	redactSessions(folder, undefined, openRedaction(), new Set());
	const [first, second] = read("1.1.jsonl")
		.trimEnd()
		.split("\n")
		.map((line) => JSON.parse(line));
	expect(first).toMatchObject({
		id: "1a2b3c4d",
		message: { content: [{ id: call, arguments: { password: "•••", command: "x" } }] },
	});
	expect(second).toEqual(lines[1]);
});

it("keeps values that are not strings, wherever they are", () => {
	const values = { none: null, count: 0, flag: false, list: [null, 1.5, true, []], group: {} };
	const lines = [values, { type: "message", ...values, text: secret }, null, 7, [values]];
	write("1.1.jsonl", ...lines.map((line) => JSON.stringify(line)));
	redactSessions(folder, undefined, openRedaction(), new Set());
	const [first, second, ...rest] = read("1.1.jsonl")
		.trimEnd()
		.split("\n")
		.map((line) => JSON.parse(line));
	expect([first, ...rest]).toEqual([values, null, 7, [values]]);
	expect(second).toEqual({ type: "message", ...values, text: expect.not.stringContaining(secret) });
});

it("a missing folder is no error, and is not created", () => {
	const missing = join(folder, "nowhere");
	expect(() => redactSessions(missing, undefined, openRedaction(), new Set())).not.toThrow();
	expect(existsSync(missing)).toBe(false);
});
