// One living worker: pi's records become reports, its questions are answered, and it ends in one of few ways.
// W1 reports are in the order of pi's records; W2 a worker ends once, by the first reason there is; W3 every wait for it has a bound;
// W4 nothing is reported after `ended`; W5 a message counts as given only once it is in the conversation.
import {
	type Child,
	HOST_COMMAND,
	hostAnswer,
	hostNotice,
	hostQuestion,
	openAwakeClock,
	type RpcDialog,
	type RpcLink,
	type RpcListener,
	type RpcRecord,
} from "../../pi/index.ts";
import { redactText } from "../../safety/index.ts";
import { addSpend, type Spend, type WorkerOutcome } from "../machine/index.ts";
import type { Worker, WorkerHost, WorkerLimits, WorkerReport } from "../supervisor/index.ts";
import { readConversation } from "./conversation.ts";
import { openDeadlines } from "./deadlines.ts";
import { answerOf, questionOf } from "./dialogs.ts";
import type { Refusal } from "./inside/index.ts";
import { classifyProviderError } from "./provider-stop.ts";
import { openToolLog } from "./tool-log.ts";
import { spendOf } from "./usage.ts";

export interface LiveOptions {
	readonly child: Child;
	readonly host: WorkerHost;
	readonly limits: WorkerLimits;
	/** What the conversation had used before this process. */
	readonly before: Spend;
	/** pi's session file, for what the pipe did not bring when the process was killed. */
	readonly conversation: string;
	readonly started: Worker["started"];
}

export interface Live extends Worker {
	/** Where the link's records go from now on. */
	readonly listener: RpcListener;
	/** Puts a move to the supervisor that an earlier process was asked for. */
	askMove(target: string, summary: string): Promise<void>;
}

/** Milliseconds that a worker gets: after an accepted move, for tools that run at a boundary, for a message that streams, after SIGTERM. */
const WAIT = { moved: 3000, tools: 10_000, message: 120_000, term: 1500 };

/** Takes over a worker that has passed its handshake. */
export function openLive({ child, host, limits, before, conversation, started }: LiveOptions, link: RpcLink): Live {
	const log = openToolLog(() => performance.now());
	let spend = before;
	let running = false;
	let moved = false;
	let questions = 0;
	let last: { readonly stop: string; readonly error: string } | undefined;
	let ending: WorkerOutcome | undefined;
	let hurry: NodeJS.Timeout | undefined;
	let gone = false;
	const given: { readonly text: string; readonly done: (took: boolean) => void }[] = [];

	const report = (one: WorkerReport): void => {
		if (!gone) host.report(one);
	};
	const use = (usage: unknown): void => {
		const used = spendOf(usage);
		if (used.tokens === 0 && used.costUsd === 0) return;
		spend = addSpend(spend, used);
		report({ kind: "used", spend });
	};

	const finish = (): void => {
		clearTimeout(hurry);
		child.endInput();
		hurry = setTimeout(() => void child.stop(WAIT.term), WAIT.moved);
	};
	const endBy = (outcome: WorkerOutcome, how: "boundary" | "now"): void => {
		ending ??= outcome;
		clearTimeout(hurry);
		if (how === "now") void child.stop(WAIT.term);
		else if (!running) finish();
		else {
			void link.send({ type: "prompt", message: `/${HOST_COMMAND} stop` });
			hurry = setTimeout(() => void child.stop(WAIT.term), log.open > 0 ? WAIT.tools : WAIT.message);
		}
	};
	const clock = openAwakeClock();
	const deadlines = openDeadlines(limits, (limit) => endBy({ kind: "timed_out", limit }, "now"), clock.now);
	const phase = (): void => deadlines.phase(!running ? "rest" : log.open > 0 ? "tool" : "model");

	const askMove = async (target: string, summary: string): Promise<{ kind: string; text: string }> => {
		const reply = await host.requestMove(target, summary).catch(failed);
		if (reply.kind === "accepted") {
			moved = true;
			ending ??= { kind: "stopped" };
		}
		return reply;
	};
	const answer = async (dialog: RpcDialog): Promise<void> => {
		questions += 1;
		deadlines.asking(questions);
		try {
			const question = hostQuestion(dialog);
			if (question?.topic === "move") {
				const { target, summary } = (question.payload ?? {}) as { target?: unknown; summary?: unknown };
				const reply = await askMove(String(target ?? ""), String(summary ?? ""));
				await link.answer(dialog, hostAnswer(reply));
				if (moved) hurry ??= setTimeout(finish, WAIT.moved);
			} else if (question?.topic === "snapshot") {
				const data = (question.payload as { data?: unknown } | undefined)?.data;
				await link.answer(dialog, hostAnswer(await host.updateSnapshot(data).catch(failed)));
			} else if (question?.topic === "ask") {
				const { title, text } = (question.payload ?? {}) as { title?: unknown; text?: unknown };
				const asked = { kind: "confirm", title: String(title ?? ""), text: String(text ?? "") } as const;
				const said = await host.ask(asked).catch(() => ({ kind: "undecided" }) as const);
				const kind = said.kind === "confirmed" ? "yes" : said.kind === "denied" ? "no" : "nobody";
				await link.answer(dialog, hostAnswer({ kind, text: "" }));
			} else if (question) await link.answer(dialog, undefined);
			else
				await link.answer(
					dialog,
					answerOf(await host.ask(questionOf(dialog)).catch(() => ({ kind: "undecided" }) as const)),
				);
		} finally {
			questions -= 1;
			deadlines.asking(questions);
		}
	};

	const settled = (aborted: boolean): void => {
		running = false;
		phase();
		if (moved || ending) {
			finish();
			return;
		}
		const stop = last?.stop;
		if (stop === "error") {
			const error = last?.error ?? "";
			report({ kind: "turn_settled", stop: classifyProviderError(error), detail: redactText(error, 400) });
		} else if (aborted || stop === "aborted") report({ kind: "turn_settled", stop: "aborted" });
		else report({ kind: "turn_settled", stop: stop === "length" ? "length" : "finished" });
	};

	const message = (value: unknown): void => {
		if (typeof value !== "object" || value === null) return;
		const { role, stopReason, errorMessage, content, usage } = value as Readonly<Record<string, unknown>>;
		if (role === "user") {
			const text = textOf(content);
			const at = given.findIndex((one) => one.text === text);
			if (at !== -1) given.splice(at, 1)[0]?.done(true);
		} else if (role === "assistant") {
			last = { stop: String(stopReason), error: typeof errorMessage === "string" ? errorMessage : "" };
			use(usage);
		} else use(usage);
	};

	const event = (record: RpcRecord): void => {
		const notice = hostNotice(record);
		if (notice) {
			if (notice.topic === "refused") log.refused(notice.payload as Refusal);
			return;
		}
		switch (record.type) {
			case "agent_start":
				running = true;
				last = undefined;
				break;
			case "agent_settled":
				settled(record.aborted === true);
				break;
			case "message_end":
				message(record.message);
				break;
			case "compaction_end":
				use((record.result as { usage?: unknown } | undefined)?.usage);
				break;
			default: {
				const line = log.read(record);
				if (line) report(line);
			}
		}
		phase();
		// At a boundary the message has ended and its calls run: they have less time than a message that streams.
		if (ending && hurry && record.type === "tool_execution_start") {
			clearTimeout(hurry);
			hurry = setTimeout(() => void child.stop(WAIT.term), WAIT.tools);
		}
	};

	const ended = child.exited.then((exit): WorkerOutcome => {
		clearTimeout(hurry);
		deadlines.close();
		clock.close();
		for (const { done } of given.splice(0)) done(false);
		const clean = exit.kind === "exited" && exit.code === 0;
		if (!clean) {
			const read = readConversation(conversation);
			if (read.kind === "read" && read.conversation.spend.tokens > spend.tokens) {
				report({ kind: "used", spend: read.conversation.spend });
			}
		}
		gone = true;
		if (ending) return ending;
		const detail = redactText(child.stderr().trim().slice(-600), 300);
		const said = detail === "" ? {} : { detail };
		switch (exit.kind) {
			case "exited":
				return { kind: "exited", code: exit.code, ...said };
			case "killed":
				return { kind: "killed", signal: exit.signal, ...said };
			case "unstarted":
				return { kind: "exited", code: -1, detail: exit.reason };
		}
	});

	return {
		started,
		ended,
		listener: {
			activity: () => deadlines.sign(),
			event,
			dialog: (dialog) => void answer(dialog),
			// A result of many images can be that long; the conversation on disk has it.
			oversized(head, bytes) {
				const line = log.readLong(head, bytes);
				if (line) report(line);
				phase();
			},
		},
		async send(words) {
			if (gone || ending) return false;
			// pi would take a text that begins with a slash for one of its commands.
			const text = /^\s*\//.test(words) ? `Message: ${words}` : words;
			const taken = new Promise<boolean>((done) => given.push({ text, done }));
			const response = await link.send({ type: "prompt", message: text, streamingBehavior: "steer" });
			if (!response.ok) {
				const at = given.findIndex((one) => one.text === text);
				if (at !== -1) given.splice(at, 1)[0]?.done(false);
				if (!gone && !ending)
					report({
						kind: "turn_settled",
						stop: classifyProviderError(response.error),
						detail: redactText(response.error, 400),
					});
			}
			return taken;
		},
		allow({ activeMs, costUsd, tokens }) {
			deadlines.allow(activeMs);
			void link.send({ type: "prompt", message: `/${HOST_COMMAND} allow ${JSON.stringify({ costUsd, tokens })}` });
		},
		end: (how) => endBy({ kind: "stopped" }, how),
		async askMove(target, summary) {
			questions += 1;
			deadlines.asking(questions);
			const reply = await askMove(target, summary);
			questions -= 1;
			deadlines.asking(questions);
			if (reply.kind === "accepted") finish();
			else await this.send(reply.text);
		},
	};
}

function failed(error: unknown): { readonly kind: "refused"; readonly text: string } {
	const cause = error instanceof Error ? error.message : String(error);
	return { kind: "refused", text: `The supervisor could not take this (${cause}). Try once more.` };
}

function textOf(content: unknown): string {
	if (typeof content === "string") return content;
	return (Array.isArray(content) ? content : []).map((part: { text?: unknown }) => String(part.text ?? "")).join("");
}
