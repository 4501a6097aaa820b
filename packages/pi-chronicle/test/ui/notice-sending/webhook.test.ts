// Webhooks against real receivers on loopback: those that take a notice, and those that hang, fail, redirect or answer slowly.
import { createHmac } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { type Channel, readChannels } from "../../../src/local/index.ts";
import { sendWebhook } from "../../../src/ui/notice-sending/send-webhook.ts";
import { openReceiver } from "./receiver.ts";

type Webhook = Extract<Channel, { channel: "webhook" }>;

function hookTo(url: string, more: object = {}): Webhook {
	const [channel] = readChannels([{ channel: "webhook", url, ...more }]).channels;
	if (channel?.channel !== "webhook") throw new Error("no webhook");
	return channel;
}

it("posts JSON with its key, its signature and the headers of the settings, whose variables are filled in", async () => {
	const receiver = await openReceiver();
	const channel = hookTo("env:URL", { secret: "env:SECRET", headers: { Authorization: "Bearer env:TOKEN" } });
	const env = { URL: receiver.url, SECRET: "s", TOKEN: "t" };
	expect(await sendWebhook(channel, '{"a":1}', "key-1", env)).toEqual({ ok: true, answer: "HTTP 200: thanks" });
	const [{ headers, body } = { headers: {}, body: "" }] = receiver.received;
	expect(body).toBe('{"a":1}');
	expect(headers).toMatchObject({
		authorization: "Bearer t",
		"content-type": "application/json",
		"idempotency-key": "key-1",
		"x-chronicle-signature-256": `sha256=${createHmac("sha256", "s").update(body).digest("hex")}`,
	});
	expect(await sendWebhook(channel, "{}", "k", { URL: receiver.url })).toEqual({
		ok: false,
		answer: "The variable SECRET, TOKEN is not set.",
	});
});

it.each<[what: string, answer: (response: ServerResponse) => void, answered: object]>([
	["hangs", () => {}, { ok: false, answer: "no answer within 0.3s" }],
	[
		"sends its head and hangs",
		(response) => response.writeHead(200).write("x"),
		{ ok: false, answer: "no answer within 0.3s" },
	],
	[
		"answers slowly, but in time",
		(response) => void sleep(100).then(() => response.end("late")),
		{ ok: true, answer: "HTTP 200: late" },
	],
	[
		"answers 500",
		(response) => response.writeHead(500).end("broken\nhere"),
		{ ok: false, answer: "HTTP 500: broken here" },
	],
	[
		"answers 429 and when to come back",
		(response) => response.writeHead(429, { "retry-after": "7" }).end(),
		{ ok: false, answer: "HTTP 429", retryMs: 7000 },
	],
	[
		"redirects",
		(response) => response.writeHead(307, { location: "http://127.0.0.1:1" }).end(),
		{ ok: false, answer: "HTTP 307: redirects are refused" },
	],
	[
		"answers without end",
		(response) => void response.writeHead(200).write("y".repeat(100_000)),
		{ ok: true, answer: `HTTP 200: ${"y".repeat(200)}` },
	],
	["closes the connection", (response) => response.destroy(), { ok: false, answer: "connection reset by peer" }],
])("a receiver that %s", async (_what, answer, answered) => {
	const receiver = await openReceiver(answer);
	expect(await sendWebhook(hookTo(receiver.url), "{}", "k", {}, 300)).toEqual(answered);
	expect(receiver.received).toHaveLength(1);
});

it("a receiver that is not there, or whose certificate nobody vouches for, has nothing", async () => {
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	const overTls = await sendWebhook(hookTo(`https://127.0.0.1:${port}/`), "{}", "k", {}, 2000);
	expect(overTls.ok).toBe(false);
	await new Promise((resolve) => server.close(resolve));
	expect(await sendWebhook(hookTo(`http://127.0.0.1:${port}/`), "{}", "k", {})).toEqual({
		ok: false,
		answer: expect.stringContaining("connection refused"),
	});
});
