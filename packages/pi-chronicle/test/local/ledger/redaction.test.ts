// Redaction of texts before they enter the ledger.

import { createHash } from "node:crypto";
import { NO_SPEND } from "@pi-chronicle/core/machine";
import { describe, expect, it } from "vitest";
import { redactEvent } from "../../../src/local/ledger/index.ts";
import { openRedaction } from "../../../src/safety/index.ts";
import { cpuMs } from "../../harness/cpu.ts";
import { within } from "../../harness/patience.ts";

const redact = openRedaction({
	STRIPE_API_KEY: "whatever9value",
	HOME: "/home/someone",
	GH_TOKEN: "true",
	MAX_TOKENS: "4096",
	QUOTED_SECRET: 'a"b\\c d',
});
// Put together here, so that no scanner takes this file for a leak.
const github = `ghp_${"0123456789".repeat(4)}`;
const pem = ["-----BEGIN RSA PRIVATE KEY-----", "MIIEpAIBAAKCAQEA", "-----END RSA PRIVATE KEY-----"].join("\n");

describe("redaction", () => {
	it.each([
		['{"command":"export API_TOKEN=planted-secret-123 && make"}', "planted-secret-123"],
		["DB_PASSWORD=correcthorse", "correcthorse"],
		["DATABASE_PASSWORD='correct horse'", "correct"],
		["MY_SECRET_PROD = s3cretvalue", "s3cretvalue"],
		["AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG", "wJalrXUtnFEMI"],
		["stripe_key: sk_test_abcdefghijklmnop", "abcdefghijklmnop"],
		['{"password": "hunter"}', "hunter"],
		['{\\"apiKey\\": \\"abcdEFGH\\"}', "abcdEFGH"],
		["password: hunter2", "hunter2"],
		["--token abcdefgh", "abcdefgh"],
		['--password "xyz123"', "xyz123"],
		['curl -H "Authorization: Bearer abcdef123456"', "abcdef123456"],
		["curl -H 'authorization: Token abcdef123456'", "abcdef123456"],
		["bearer abcdef123456", "abcdef123456"],
		["postgres://user:p4ssw0rd@host/db", "p4ssw0rd"],
		["https://x.y/?api_key=zzzz1111&b=2", "zzzz1111"],
		[`git clone https://${github}@github.com/x`, github],
		[`echo ${github}`, github],
		["AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"],
		[`eyJhbGciOiJI${"Uz"}.eyJzdWIiOiIx${"MjM"}.abcdefghijk`, "eyJhbGci"],
		[`key is ${pem} there`, "MIIEpAIBAAKCAQEA"],
		[`cut short ${pem.slice(0, 45)}`, "MIIEpAIBAAK"],
		["the value whatever9value stands alone", "whatever9value"],
		['{"x":"a\\"b\\\\c d"}', 'a\\"b'],
	])("%s", (text, secret) => {
		expect(redact(text)).not.toContain(secret);
		expect(redact(text)).toContain("•••");
		expect(redact(redact(text))).toBe(redact(text));
	});
	it.each([
		"The password: must be long",
		"max_tokens=4096 tokens: 12345",
		"the cache key: user_id",
		"commit 0123456789abcdef0123456789abcdef01234567",
		"The API port is 8081, not 8080.",
		"keyboard: qwerty-layout",
		"monkey=banana1",
		"sort --key 2 file.txt",
		"GH_TOKEN is true",
		"tests/secrets.test.ts has 12 cases",
	])("leaves %s", (text) => {
		expect(redact(text)).toBe(text);
	});
	it("takes time in proportion to the text", async () => {
		const texts = [
			"a_".repeat(200_000),
			"token ".repeat(60_000),
			"-----BEGIN PRIVATE KEY-----".repeat(5000),
			"password:".repeat(40_000),
			"a:".repeat(150_000),
			'\\"'.repeat(150_000),
			"://".repeat(100_000),
		];
		expect(await cpuMs(() => texts.map((text) => redact(text)))).toBeLessThan(within(3000));
	});
	it("redacts every text of an event and leaves identifiers unchanged", () => {
		const event = redactEvent(
			{
				kind: "snapshot_updated",
				visit: 1,
				attempt: 1,
				by: "worker",
				data: {
					findings: [
						{ key: "db_password", text: "plain word" },
						{ text: "API_KEY=abcdef" },
						{ text: "", fields: { id: "API_KEY=abcdef", password: "hunter", line: 3 } },
						{ key: "db_password", text: "", fields: { value: "plain" } },
					],
					pendingTasks: [{ text: "rotate API_KEY=abcdef" }],
				},
			},
			redact,
		);
		expect(event.data).toEqual({
			findings: [
				{ key: "db_password", text: "•••" },
				{ text: "API_KEY=•••" },
				{ text: "", fields: { id: "API_KEY=•••", password: "•••", line: 3 } },
				{ key: "db_password", text: "•••" },
			],
			pendingTasks: [{ text: "rotate API_KEY=•••" }],
		});
		const move = {
			kind: "move_requested",
			visit: 1,
			attempt: 1,
			target: "token=abcdef",
			summary: "token=abcdef",
		} as const;
		expect(redactEvent(move, redact)).toEqual({ ...move, summary: "token=•••" });
	});
	it("redacts the user's texts too, and leaves approved commands unchanged", () => {
		const states = { a: { instructions: "token=abcdef", cleanup: ["curl -u x --token abcdef"], next: ["b"] } };
		const created = {
			kind: "created",
			schemaVersion: 1,
			id: "x",
			template: { name: "t", hash: "h", definition: { states } },
			task: "token=abcdef",
		} as const;
		expect(redactEvent(created, redact)).toEqual({
			...created,
			task: "token=•••",
			template: { ...created.template, definition: { states: { a: { ...states.a, instructions: "token=•••" } } } },
		});
		for (const event of [
			{ kind: "told", text: "token=abcdef" },
			{ kind: "approved", answers: 1, diff: "", words: "token=abcdef" },
			{ kind: "rejected", answers: 1, words: "token=abcdef" },
			{ kind: "resumed", answers: 1, words: "token=abcdef" },
			{ kind: "released", answers: 1, words: "token=abcdef" },
			{ kind: "reopened", answers: 1, to: "a", words: "token=abcdef" },
			{ kind: "abort_requested", words: "token=abcdef" },
			{ kind: "snapshot_updated", visit: 1, attempt: 1, by: "person", data: { findings: [{ text: "token=abcdef" }] } },
		] as const)
			expect(JSON.stringify(redactEvent(event, redact))).not.toContain("abcdef");
	});
});

describe("data that a worker hands over", () => {
	it("keeps checksums where the name of the field says that they are some, and only there", () => {
		const digest = createHash("sha256").update("a file").digest("hex");
		const data = (value: string) => ({
			files: [{ file: "a.js", sha256: value }],
			...{ file_sha256: value, checksums: [value], commit: digest.slice(0, 40), note: value, reset_token: value },
		});
		const event = { kind: "move_requested", visit: 1, attempt: 1, target: "done", summary: "Ok." } as const;
		const { data: clean } = redactEvent({ ...event, data: data(digest) }, redact);
		expect(clean).toEqual({ ...data(digest), note: "•••", reset_token: "•••" });
		const { data: leaked } = redactEvent({ ...event, data: data(github) }, redact);
		expect(JSON.stringify(leaked)).not.toContain(github);
	});

	const data = { state: github, list: [{ id: github, n: 1 }], password: "hunter", port: 8080, [github]: true };
	const clean = { state: "•••", list: [{ id: "•••", n: 1 }], password: "•••", port: 8080, "•••": true };

	it("is redacted in a move, regardless of its field names", () => {
		const event = { kind: "move_requested", visit: 1, attempt: 1, target: "done", summary: github, data } as const;
		expect(redactEvent(event, redact)).toEqual({ ...event, summary: "•••", data: clean });
	});

	it("is redacted in what a child hands over", () => {
		const total = { spend: NO_SPEND, activeMs: 0, attempts: 1, toolCalls: 0 };
		const handover = { summary: github, data: {}, output: data };
		const event = {
			kind: "child_ended",
			visit: 1,
			child: "c",
			status: "done",
			detail: "",
			tree: "t",
			total,
			handover,
		} as const;
		expect(redactEvent(event, redact)).toEqual({ ...event, handover: { summary: "•••", data: {}, output: clean } });
	});
});

it("keeps branch and commit, which are compared", () => {
	const checkedOut = { branch: "main", commit: "1f2e3d4c5b6a79880123456789abcdef01234567" };
	const event = { kind: "files_measured", visit: 1, purpose: "baseline", tree: "t", checkedOut } as const;
	expect(redactEvent(event, redact)).toEqual(event);
});
