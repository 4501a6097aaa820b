// Expressions that may explode, tried on a thread of their own. H1 an answer comes, or the thread is ended once one expression has been
// tried on one text for longer than the limit, or all of them for longer than four times that, and it is named; H2 the thread starts with the first question and keeps no process
// alive; H3 a machine that is slow to deliver an answer that is there is waited for.
import { Worker } from "node:worker_threads";

export interface Question {
	readonly source: string;
	readonly flags: string;
}

export type Tried =
	/** For every text the indexes of the questions that match it, in one list: `text * questions + question`. */
	| { readonly kind: "done"; readonly hits: readonly number[] }
	/** The question that did not end in time. */
	| { readonly kind: "too-slow"; readonly question: number }
	| { readonly kind: "failed"; readonly reason: string };

export interface RegexThread {
	/** Tries every question on every text. One call at a time; calls queue. */
	try(questions: readonly Question[], texts: readonly string[]): Promise<Tried>;
	close(): Promise<void>;
}

/** What the thread runs. It tells through shared memory which question it is at (0), how many attempts it has begun (1), and its end (-1). */
const program = `
const { parentPort, workerData } = require("node:worker_threads");
const at = new Int32Array(workerData);
parentPort.on("message", ({ questions, texts }) => {
	const hits = [];
	questions.forEach(({ source, flags }, question) => {
		const expression = new RegExp(source, flags);
		Atomics.store(at, 0, question);
		texts.forEach((text, index) => {
			Atomics.add(at, 1, 1);
			expression.lastIndex = 0;
			if (expression.test(text)) hits.push(index * questions.length + question);
		});
	});
	Atomics.store(at, 0, -1);
	parentPort.postMessage(hits);
});
parentPort.postMessage("ready");
`;

interface Running {
	readonly worker: Worker;
	readonly at: Int32Array;
	/** What becomes of the next word from the thread. */
	listener: (word: { readonly hits: readonly number[] } | { readonly failed: string }) => void;
}

/** Opens the thread's place; the thread itself starts when it is first needed. `limitMs`: for one expression on one text, at least. */
export function openRegexThread(limitMs: number): RegexThread {
	let running: Running | undefined;
	let queue: Promise<unknown> = Promise.resolve();
	let closed = false;

	const start = (): Promise<Running> => {
		if (running) return Promise.resolve(running);
		const memory = new SharedArrayBuffer(8);
		const worker = new Worker(program, { eval: true, workerData: memory, execArgv: [], env: {} });
		const thread: Running = { worker, at: new Int32Array(memory), listener: () => {} };
		return new Promise((resolve, reject) => {
			const fail = (failed: string) => {
				if (running === thread) running = undefined;
				thread.listener({ failed });
				reject(new Error(failed));
			};
			worker.on("message", (word: "ready" | readonly number[]) => {
				if (word !== "ready") return thread.listener({ hits: word });
				running = thread;
				worker.unref();
				resolve(thread);
			});
			worker.on("error", (error) => fail(error instanceof Error ? error.message : String(error)));
			worker.on("exit", () => fail("the thread ended"));
		});
	};

	const stop = async (): Promise<void> => {
		const ended = running;
		running = undefined;
		await ended?.worker.terminate();
	};

	const attempt = async (questions: readonly Question[], texts: readonly string[]): Promise<Tried> => {
		if (closed) return { kind: "failed", reason: "the session is closing" };
		try {
			const thread = await start();
			const { worker, at } = thread;
			return await new Promise<Tried>((resolve) => {
				const finish = (tried: Tried) => {
					clearInterval(timer);
					thread.listener = () => {};
					resolve(tried);
				};
				Atomics.store(at, 0, 0);
				let begun = -1;
				let waits = 0;
				const timer = setInterval(() => {
					const question = Atomics.load(at, 0);
					const attempts = Atomics.load(at, 1);
					waits++;
					if (question === -1 || (attempts !== begun && waits < 4)) {
						begun = attempts;
						return;
					}
					finish({ kind: "too-slow", question });
					void stop();
				}, limitMs);
				thread.listener = (word) =>
					finish("hits" in word ? { kind: "done", hits: word.hits } : { kind: "failed", reason: word.failed });
				worker.postMessage({ questions, texts });
			});
		} catch (error) {
			await stop();
			return { kind: "failed", reason: error instanceof Error ? error.message : String(error) };
		}
	};

	return {
		try(questions, texts) {
			const answer = queue.then(() => attempt(questions, texts));
			queue = answer.catch(() => {});
			return answer;
		},
		async close() {
			closed = true;
			await stop();
		},
	};
}
