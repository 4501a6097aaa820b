// One living worker: pi's records become reports, its questions are answered, and it ends in one of few ways.
// W1 reports are in the order of pi's records; W2 a worker ends once, by the first reason there is; W3 every wait for it has a bound;
// W4 nothing is reported after `ended`; W5 a message counts as given only once it is in the conversation.
import {
	classifyProviderError,
	hostAnswer,
	hostNotice,
	hostQuestion,
	literalText,
	openAwakeClock,
	orderExtension,
	type RpcDialog,
	type RpcLink,
	type RpcListener,
	type RpcRecord,
	sendLiteral,
	takeNextModel,
	takeoverText,
} from "../../../pi/index.ts";
import type { Child } from "../../../process/index.ts";
import { redactText } from "../../../safety/index.ts";
import type { Worker, WorkerHost, WorkerLimits, WorkerReport } from "../../core/index.ts";
import { addSpend, type Spend, type WorkerOutcome } from "../../core/index.ts";
import { openDeadlines } from "./deadlines.ts";
import { answerOf, questionOf } from "./dialogs.ts";
import type { RefusedCall } from "./extension/index.ts";
import { readSessionFile } from "./session-file.ts";
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
	/** `provider/id` of the models that take over, one after another, where the provider fails. */
	readonly fallbacks: readonly string[];
}

export interface Live extends Worker {
	/** Where the link's records go from now on. */
	readonly listener: RpcListener;
	/** Puts a move to the supervisor that an earlier process was asked for. */
	askMove(target: string, summary: string): Promise<void>;
}

/** Milliseconds that a worker gets: after an accepted move, for tools that run at a boundary, after SIGTERM. */
const WAIT = { moved: 3000, tools: 10_000, term: 1500 };

/** Takes over a worker that has passed its handshake. */
export function openLive(options: LiveOptions, link: RpcLink): Live {
	const { child, host, limits, before, conversation, started } = options;
	const fallbacks = [...options.fallbacks];
	let { model } = started;
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
	const use = (usage: unknown, requests = 0): void => {
		const used = spendOf(usage);
		if (used.tokens === 0 && used.costUsd === 0 && requests === 0) return;
		spend = addSpend(spend, used);
		report({ kind: "used", spend, ...(requests > 0 ? { requests } : {}) });
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
			orderExtension(link, "stop");
			hurry = setTimeout(() => void child.stop(WAIT.term), log.open > 0 ? WAIT.tools : (limits.pauseMs ?? 60_000));
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

	/** The provider has failed: the next model goes on with `text`, or the supervisor decides what comes next. */
	const recover = async (error: string, text: string): Promise<void> => {
		const next = await takeNextModel(link, fallbacks);
		if (gone || ending) return;
		const detail = redactText(error, 400);
		if (next === undefined) return report({ kind: "turn_settled", stop: classifyProviderError(error), detail });
		report({ kind: "model_switched", from: model, to: next, detail });
		model = next;
		const sent = await sendLiteral(link, text);
		if (sent.kind === "refused") await recover(sent.reason, text);
	};

	const settled = (aborted: boolean): void => {
		running = false;
		phase();
		if (moved || ending) {
			finish();
			return;
		}
		const stop = last?.stop;
		if (stop === "error") void recover(last?.error ?? "", takeoverText);
		else if (aborted || stop === "aborted") report({ kind: "turn_settled", stop: "aborted" });
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
			// What an abort leaves behind may never have been asked for.
			use(usage, stopReason === "aborted" ? 0 : 1);
		} else use(usage);
	};

	const event = (record: RpcRecord): void => {
		const notice = hostNotice(record);
		if (notice) {
			if (notice.topic === "refused") log.refused(notice.payload as RefusedCall);
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
			const read = readSessionFile(conversation);
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
			const text = literalText(words);
			const taken = new Promise<boolean>((done) => given.push({ text, done }));
			const sent = await sendLiteral(link, words);
			if (sent.kind === "refused") {
				if (fallbacks.length === 0) {
					const at = given.findIndex((one) => one.text === text);
					if (at !== -1) given.splice(at, 1)[0]?.done(false);
				}
				// A message that no model took is not in the conversation yet.
				if (!gone && !ending) await recover(sent.reason, words);
			}
			return taken;
		},
		setLimits({ activeMs, costUsd, tokens }) {
			deadlines.allow(activeMs);
			orderExtension(link, `allow ${JSON.stringify({ costUsd, tokens })}`);
		},
		stop: (how) => endBy({ kind: "stopped" }, how),
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
