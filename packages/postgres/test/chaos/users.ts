// The users of a chaos test: they submit runs, answer each question (several of them at the same time, from far away), and give commands. Whoever gets no
// result for a command gives it again, as a person does.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Run, UserEvent } from "@pi-chronicle/core/machine";
import type { Post } from "@pi-chronicle/core/ports";
import { created } from "../../../pi-chronicle/test/local/ledger/sample-events.ts";
import type { Database, openPostgresStore } from "../../src/index.ts";
import { storeOf } from "../open-engine.ts";
import { submitsFiles } from "../shared-repository.ts";
import type { Answers, Commands, Schedule } from "./schedule.ts";
import type { World } from "./world.ts";

const limits = { retries: 100, attempts: 400, no_progress: 400, moves: 1000, pair_moves: 1000 };
const child = (more: object) => ({ states: { make: { persona: "Builder", next: ["done"], ...more } }, limits });
/** An approval, two children of which one is approved, a last state. */
const definition = {
	name: "T",
	states: {
		plan: { persona: "Planner", requires_approval: true, next: ["build"] },
		build: {
			branches: {
				one: { run: child({ requires_approval: true }), task: "one" },
				two: { run: child({}), task: "two" },
			},
			next: ["check"],
		},
		check: { persona: "Checker", next: ["done"] },
	},
	limits,
};

/** The id of the n-th run. */
const idOf = (n: number): string => `aaaaaaaa-0000-4000-8000-${String(n).padStart(12, "0")}`;

/** A command that a user gave. */
export interface Given {
	readonly run: string;
	readonly event: UserEvent;
	/** How often it was given until there was a result. */
	readonly tries: number;
	readonly post: Post;
}

interface Asking {
	readonly id: string;
	readonly root: string;
	readonly status: string;
}

const waitingText = `
SELECT id::text, COALESCE(parent, id)::text AS root, status FROM chronicle.run
WHERE holder IS NULL AND job IS NULL AND status IN ('awaiting_approval', 'paused', 'human_intervention') ORDER BY id`;

export class Users {
	readonly given: Given[] = [];
	/** Runs that a user has aborted. */
	readonly aborted = new Set<string>();
	/** Why runs were parked that nobody had paused. */
	readonly parked: string[] = [];
	readonly #world: World;
	readonly #schedule: Schedule;
	readonly #stores: readonly ReturnType<typeof openPostgresStore>[];
	/** Questions that have been answered, by run and event. */
	readonly #answered = new Set<string>();
	/** By run: how many questions it has asked. */
	readonly #counts = new Map<string, number>();
	#tells = 0;

	constructor(world: World, schedule: Schedule) {
		this.#world = world;
		this.#schedule = schedule;
		this.#stores = world.users.map((database) => this.#storeOn(database));
	}

	#storeOn(database: Database) {
		const { cwd, remote, root } = this.#world;
		const folderOf = (run: string) => join(root, "users", run);
		const creates = submitsFiles(
			{ remote, cwd },
			(run) => join(folderOf(run), "work"),
			() => null,
		);
		return storeOf(database, "submitted", { folderOf, creates });
	}

	/** Submits the n-th run, however long that takes. */
	async submit(n: number): Promise<void> {
		for (;;) {
			const made = await this.#stores[0]?.create(created({ id: idOf(n), definition, task: `run ${n}` }));
			// The result of the first try was lost.
			if (made?.ok || made?.failure.reason === "exists") return;
			await sleep(300);
		}
	}

	/** Answers every question that is new. */
	async answerAll(): Promise<void> {
		const { rows } = await this.#world.database.query<Asking>(waitingText);
		await Promise.all(rows.map((row) => this.#answer(row)));
	}

	async command({ kind, run: n }: Commands): Promise<void> {
		const run = idOf(n);
		const told = () => this.#tellOf(run);
		const abort: UserEvent = { kind: "abort_requested" };
		if (kind.startsWith("abort")) this.aborted.add(run);
		const events = {
			tell: () => [told()],
			"tell twice": () => [told(), told()],
			abort: () => [abort],
			"abort and tell": () => [abort, told()],
		}[kind]();
		await this.#giveAll(run, events);
	}

	async #answer({ id, root, status }: Asking): Promise<void> {
		const read = await this.#stores[0]?.read(id);
		if (!read?.ok) return;
		const { run } = read.value;
		const { stage } = run;
		if (stage.kind === "asking") {
			const key = `${id} ${stage.question.seq}`;
			if (this.#answered.has(key)) return;
			this.#answered.add(key);
			const count = (this.#counts.get(root) ?? 0) + 1;
			this.#counts.set(root, count);
			const given = await this.#giveAll(
				id,
				this.#eventsOf(run, this.#schedule.answersOf(Number(root.slice(-4)), count)),
			);
			// An answer may have been refused for what came before it, such as a message that the next worker is to read.
			const states = await Promise.all(given.map(({ post }) => this.#stateOf(post)));
			// As the command line does; every third user is cut off before that.
			if (id !== root && count % 3 !== 0) await this.#giveAll(root, [{ kind: "child_signaled", child: id }]);
			if (states.every((state) => state === "refused")) this.#answered.delete(key);
		} else if (stage.kind === "waiting" && status !== "awaiting_approval" && run.parent === null) {
			const key = `${id} ${stage.since}`;
			if (this.#answered.has(key)) return;
			this.#answered.add(key);
			this.parked.push(`${id} (${status}): ${run.hold?.detail}`);
			await this.#giveAll(id, [{ kind: "resumed", answers: stage.since }]);
		}
	}

	#eventsOf({ id, stage }: Run, answers: Answers): UserEvent[] {
		if (stage.kind !== "asking") return [];
		const { seq, diff } = stage.question;
		return answers.map((how): UserEvent => {
			if (how === "approve") return { kind: "approved", answers: seq, diff };
			if (how === "reject") return { kind: "rejected", answers: seq, words: "Again, please." };
			return this.#tellOf(id);
		});
	}

	#tellOf(run: string): UserEvent {
		this.#tells += 1;
		return { kind: "told", text: `Message ${this.#tells} for ${run}` };
	}

	/** Gives commands at the same time, each from another machine than the one before. */
	#giveAll(run: string, events: readonly UserEvent[]): Promise<Given[]> {
		return Promise.all(events.map((event, index) => this.#give(run, event, index))).then((given) => given.flat());
	}

	async #give(run: string, event: UserEvent, machine: number): Promise<Given[]> {
		for (let tries = 1; ; tries += 1) {
			const posted = await this.#stores[machine % this.#stores.length]?.post(run, event);
			if (posted?.ok) {
				const given = { run, event, tries, post: posted.value };
				this.given.push(given);
				return [given];
			}
			// It has not been submitted yet, or was removed.
			if (posted?.failure.reason === "unknown") return [];
			await sleep(300);
		}
	}

	async #stateOf(post: Post): Promise<string> {
		for (;;) {
			const state = await post.state().catch(() => undefined);
			if (state) return state.kind;
			await sleep(300);
		}
	}
}
