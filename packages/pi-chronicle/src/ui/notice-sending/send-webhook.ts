// Sends a notice as a POST. TLS is verified, redirects are refused, and the answer is read up to a limit.

import { createHmac } from "node:crypto";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { errorMessage } from "@pi-chronicle/core/definition";
import { type Channel, isAddress } from "../../local/index.ts";
import { setTime } from "../../pi/index.ts";
import type { SendResult } from "./send-result.ts";

type Webhook = Extract<Channel, { channel: "webhook" }>;

/** Milliseconds until a receiver must have answered. */
const answerMs = 10_000;
const answerBytes = 2000;

/** Posts `body`. `key` is the same for every attempt, so that a receiver counts it once. `limitMs`: until it must have answered. */
export async function sendWebhook(
	channel: Webhook,
	body: string,
	key: string,
	env: NodeJS.ProcessEnv,
	limitMs = answerMs,
): Promise<SendResult> {
	const missing: string[] = [];
	const fill = (text: string): string => withVariables(text, env, missing);
	const url = fill(channel.url);
	const secret = channel.secret === undefined ? undefined : fill(channel.secret);
	const own = Object.entries(channel.headers ?? {}).map(([name, value]) => [name, fill(value)] as const);
	if (missing.length > 0) return { ok: false, answer: `The variable ${missing.join(", ")} is not set.` };
	if (!isAddress(url)) return { ok: false, answer: "The address is not one of http or https." };
	const headers = {
		"content-type": isJson(body) ? "application/json" : "text/plain; charset=utf-8",
		"user-agent": "pi-chronicle",
		...Object.fromEntries(own.map(([name, value]) => [name.toLowerCase(), value])),
		"content-length": `${Buffer.byteLength(body)}`,
		"idempotency-key": key,
		...(secret === undefined
			? {}
			: { "x-chronicle-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}` }),
	};
	try {
		return await post(new URL(url), headers, body, limitMs);
	} catch (error) {
		return { ok: false, answer: errorMessage(error) };
	}
}

/** `env:NAME` stands for the variable, in the whole text or as a part of it. */
function withVariables(text: string, env: NodeJS.ProcessEnv, missing: string[]): string {
	return text.replace(/env:([A-Za-z_]\w*)/g, (_, name: string) => {
		const value = env[name];
		if (value === undefined || value === "") missing.push(name);
		return value ?? "";
	});
}

function isJson(body: string): boolean {
	return /^\s*[{[]/.test(body);
}

function post(url: URL, headers: Readonly<Record<string, string>>, body: string, limitMs: number): Promise<SendResult> {
	return new Promise((resolve, reject) => {
		const send = url.protocol === "https:" ? requestHttps : requestHttp;
		const options = {
			method: "POST",
			headers,
			signal: AbortSignal.timeout(limitMs),
			agent: false,
			rejectUnauthorized: true,
		};
		const sending = send(url, options, (response) => {
			const { statusCode = 0 } = response;
			let read = "";
			const end = (): void => resolve(judge(statusCode, read, response.headers["retry-after"]));
			response.setEncoding("utf8");
			response.on("data", (chunk: string) => {
				read += chunk;
				if (read.length < answerBytes) return;
				response.destroy();
				end();
			});
			response.on("end", end);
			// The status counts, however the rest of the answer ends.
			response.on("error", end);
		});
		sending.on("error", (error) =>
			reject(
				error.name === "AbortError" || error.name === "TimeoutError"
					? new Error(`no answer within ${setTime(limitMs)}`)
					: error,
			),
		);
		sending.end(body);
	});
}

function judge(status: number, read: string, retryAfter: string | undefined): SendResult {
	const ok = status >= 200 && status < 300;
	const text = read.replace(/\s+/g, " ").trim().slice(0, 200);
	const what = status >= 300 && status < 400 ? "redirects are refused" : text;
	const seconds = Number(retryAfter);
	const answer = `HTTP ${status}${what === "" ? "" : `: ${what}`}`;
	return { ok, answer, ...(Number.isFinite(seconds) && seconds > 0 ? { retryMs: seconds * 1000 } : {}) };
}
