// Ceilings of a tree of runs: whatever the order in which parents and children act, report and are restarted, all of them together stay
// within the limits of the first run, up to the last message of each worker.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../pi-chronicle/test/harness/runs.ts";
import { ceilingsText } from "../../../../postgres/src/child-rows.ts";
import {
	activityOf,
	ceilingsOf,
	childTimeLeft,
	decide,
	type EventBody,
	isRefusal,
	leastOf,
	liveTotals,
	type Run,
	remainderOf,
	type SpendFigures,
	type TreeCeilings,
} from "../../../src/machine/index.ts";
import { parentTemplate, plan } from "../child-steps.ts";
import { open, spend } from "../test-run.ts";

const iso = (ms: number): string => new Date(ms).toISOString();
const message = { tokens: 40, costUsd: 0.04 };
const limits = { tokens: 400, cost_usd: 0.5, minutes: 1 };
const leafTemplate = { name: "leaf", states: { work: { persona: "B", next: ["done"] } } };

/** A run with children, of which it knows what was reported. */
class Parent {
	run: Run;
	readonly #tree: Tree;
	constructor(tree: Tree, template: object) {
		this.#tree = tree;
		this.run = plan(template).run;
	}
	say(body: EventBody): void {
		const batch = decide(this.run, body, iso(this.#tree.now));
		if (!isRefusal(batch)) this.run = batch.run;
	}
	child(index: number) {
		const child = this.run.children?.children[index];
		if (!child) throw new Error(`no child ${index}`);
		return child;
	}
	/** What `Supervisor` does with a report: the spend at once, with who works. */
	hear(index: number, { totals, ...of }: Run): void {
		const { activeMs, attempts, toolCalls, ...all } = totals;
		const activity = activityOf({ totals, ...of } as Run);
		const { visit } = this.run;
		const { id } = this.child(index);
		this.say({
			kind: "child_spent",
			visit,
			child: id,
			...{ spend: all, activeMs, attempts, toolCalls },
			...(activity ? { activity } : {}),
		});
	}
	get isStopping(): boolean {
		return this.run.stage.kind !== "children" || this.run.children?.stopping !== null;
	}
}

/** The run of one worker. */
class Leaf {
	run: Run = { ...open(leafTemplate).run, stage: { kind: "waiting", since: 1 } };
	/** As its host knows them: those of the last update, which goes through a row. */
	ceilings: TreeCeilings | undefined;
	/** Messages that its parent has not heard of. */
	unheard = false;
	readonly parent: Parent;
	readonly index: number;
	constructor(parent: Parent, index: number) {
		this.parent = parent;
		this.index = index;
	}
	get works(): boolean {
		return this.run.stage.kind === "working";
	}
}

class Tree {
	now = Date.UTC(2030, 0, 1, 1);
	readonly root = new Parent(this, parentTemplate({}, { limits }));
	readonly middle = new Parent(this, parentTemplate());
	readonly leaves = [
		new Leaf(this.root, 1),
		new Leaf(this.root, 2),
		...[0, 1, 2].map((index) => new Leaf(this.middle, index)),
	];
	/** Milliseconds that workers have worked, and what they have spent. */
	readonly used = { tokens: 0, costUsd: 0, activeMs: 0 };

	/** What the parents leave a leaf; `row`: as an engine's host of the child reads it. */
	renew(leaf: Leaf): void {
		const outer = leaf.parent === this.middle ? this.#outerOfMiddle() : undefined;
		const ceilings = ceilingsOf(leaf.parent.run, leaf.parent.child(leaf.index), iso(this.now), outer);
		const text = ceilingsText(ceilings);
		leaf.ceilings = text === null ? undefined : (JSON.parse(text) as TreeCeilings);
	}
	#outerOfMiddle(): SpendFigures {
		const now = iso(this.now);
		return remainderOf(ceilingsOf(this.root.run, this.root.child(0), now), this.middle.run, now);
	}
	left(leaf: Leaf): SpendFigures {
		return leaf.ceilings ? remainderOf(leaf.ceilings, leaf.run, iso(this.now)) : {};
	}
	/** Passes what a leaf has done to its parents, and the new remainders to all leaves. */
	report(leaf: Leaf): void {
		leaf.unheard = false;
		leaf.parent.hear(leaf.index, leaf.run);
		if (leaf.parent === this.middle) this.root.hear(0, this.middle.run);
		this.settle();
	}
	/** Stops what a parent stops, and renews all remainders. */
	settle(): void {
		for (const leaf of this.leaves)
			if (leaf.works && (this.root.isStopping || leaf.parent.isStopping)) {
				this.#halt(leaf);
				leaf.parent.hear(leaf.index, leaf.run);
				if (leaf.parent === this.middle) this.root.hear(0, this.middle.run);
			}
		for (const leaf of this.leaves) this.renew(leaf);
	}
	start(leaf: Leaf): void {
		if (leaf.works || this.root.isStopping || leaf.parent.isStopping) return;
		this.renew(leaf);
		if (Object.values(this.left(leaf)).some((figure) => figure <= 0)) return;
		const launch = { visit: 1, attempt: 1, launch: 1 };
		const startedAt = iso(this.now);
		const worker = { pid: 1, model: "m" };
		const stage = {
			kind: "working",
			launch,
			because: "entered",
			since: 1,
			startedAt,
			seenAt: startedAt,
			worker,
		} as const;
		leaf.run = { ...leaf.run, stage };
		this.report(leaf);
	}
	#halt(leaf: Leaf): void {
		const totals = liveTotals(leaf.run, iso(this.now));
		leaf.run = { ...leaf.run, totals, stage: { kind: "waiting", since: 1 } };
	}
	stop(leaf: Leaf): void {
		if (!leaf.works) return;
		this.#halt(leaf);
		this.report(leaf);
	}
	/** A message ends: the worker makes no further request once its remainder is used up, and its last message has been reported by then. */
	speak(leaf: Leaf): void {
		if (!leaf.works) return;
		if (leaf.unheard) this.report(leaf);
		const { tokens = 1, costUsd = 1 } = this.left(leaf);
		if (!leaf.works || tokens <= 0 || costUsd <= 0) return;
		const one = spend(message.tokens, message.costUsd);
		const { totals } = leaf.run;
		leaf.run = {
			...leaf.run,
			totals: { ...totals, ...one, tokens: totals.tokens + one.tokens, costUsd: totals.costUsd + one.costUsd },
		};
		this.used.tokens += one.tokens;
		this.used.costUsd += one.costUsd;
		leaf.unheard = true;
	}
	/** The process of all dies and starts again. */
	restart(): void {
		for (const leaf of this.leaves) if (leaf.works) this.#halt(leaf);
		const opened = { kind: "opened", host: "h", pid: 1, started: "s" } as const;
		this.middle.say(opened);
		this.root.say(opened);
		for (const leaf of this.leaves) this.report(leaf);
	}
	/** Time passes, but no further than to the next timer: of a parent, or of a worker. */
	pass(ms: number): void {
		for (let rest = ms; rest > 0; ) {
			const working = this.leaves.filter(({ works }) => works);
			const timers = [this.root, this.middle].flatMap(({ run }) => childTimeLeft(run, iso(this.now)) ?? []);
			const step = Math.max(
				1,
				Math.min(rest, ...timers.map(Math.ceil), ...working.map((leaf) => this.left(leaf).activeMs ?? rest)),
			);
			this.now += step;
			rest -= step;
			this.used.activeMs += step * working.length;
			for (const leaf of working) if ((this.left(leaf).activeMs ?? 1) <= 0) this.stop(leaf);
			if (timers.some((left) => left <= step)) for (const leaf of working) if (leaf.works) this.report(leaf);
		}
	}
}

const leaf = fc.nat(4);
const step = fc.oneof(
	fc.record({ kind: fc.constant("start" as const), leaf }),
	fc.record({ kind: fc.constant("start" as const), leaf }),
	fc.record({ kind: fc.constant("speak" as const), leaf }),
	fc.record({ kind: fc.constant("report" as const), leaf }),
	fc.record({ kind: fc.constant("stop" as const), leaf }),
	fc.record({ kind: fc.constant("pass" as const), leaf: fc.integer({ min: 1, max: 30_000 }) }),
	fc.record({ kind: fc.constant("restart" as const), leaf }),
);

describe("the ceilings of a tree", () => {
	it("hold for all workers together, in any order of starts, messages, reports, stops and restarts", () => {
		fc.assert(
			fc.property(fc.array(step, { minLength: 20, maxLength: 120 }), (steps) => {
				const tree = new Tree();
				for (const { kind, leaf: of } of steps) {
					const at = tree.leaves[of];
					if (kind === "pass") tree.pass(of);
					else if (kind === "restart") tree.restart();
					else if (at) tree[kind](at);
				}
				const workers = tree.leaves.length;
				expect(tree.used.tokens).toBeLessThanOrEqual(limits.tokens + workers * message.tokens);
				expect(tree.used.costUsd).toBeLessThanOrEqual(limits.cost_usd + workers * message.costUsd + 1e-9);
				// Moments are recorded in milliseconds, and a mean is rounded.
				expect(tree.used.activeMs).toBeLessThanOrEqual(limits.minutes * 60_000 + 20 * workers);
			}),
			{ numRuns: runs(2) },
		);
	});

	it("let the tree use all of its time", () => {
		const tree = new Tree();
		for (const one of tree.leaves) tree.start(one);
		tree.pass(11_000);
		expect(tree.root.run.hold).toBeNull();
		tree.pass(2_000);
		expect(tree.root.run.hold).toMatchObject({ cause: "budget", status: "budget_exceeded" });
		expect(tree.used.activeMs).toBeGreaterThanOrEqual(60_000);
	});

	it("are as of a moment: what the child has used since, the time that runs included, is subtracted once", () => {
		const figure = fc.nat(100_000);
		fc.assert(
			fc.property(figure, figure, figure, fc.boolean(), (left, counted, more, running) => {
				const at = Date.UTC(2030, 0, 1, 1);
				const { run } = open(leafTemplate);
				const of = { costUsd: counted, tokens: counted, activeMs: counted };
				const ceilings = { left: { costUsd: left, tokens: left, activeMs: left }, counted: of, countCacheReads: true };
				const worker = { pid: 1, model: "m" };
				const stage = {
					...({
						kind: "working",
						launch: { visit: 1, attempt: 1, launch: 1 },
						because: "entered",
						since: 1,
						worker,
					} as const),
					...{ startedAt: iso(at), seenAt: iso(at) },
				};
				const used = counted + more;
				const activeMs = running ? counted : used;
				const now: Run = {
					...run,
					totals: { ...run.totals, costUsd: used, tokens: used, activeMs },
					...(running ? { stage } : {}),
				};
				const rest = Math.max(0, left - more);
				const expected = { costUsd: rest, tokens: rest, activeMs: rest };
				expect(remainderOf(ceilings, now, iso(at + (running ? more : 0)))).toEqual(expected);
			}),
			{ numRuns: runs(1) },
		);
	});

	it("are none where the tree has none; tokens that the tree counts differently are left to the tree", () => {
		const { run } = open(leafTemplate);
		const none = { costUsd: 0, tokens: 0, activeMs: 0 };
		expect(ceilingsText({ left: {}, counted: none, countCacheReads: true })).toBeNull();
		const left = { tokens: 5, costUsd: 5 };
		expect(remainderOf({ left, counted: none, countCacheReads: true }, run, "")).toEqual(left);
		expect(remainderOf({ left, counted: none, countCacheReads: false }, run, "")).toEqual({ costUsd: 5 });
	});

	it("leave each figure the smaller of what the run and its parents leave", () => {
		const figures = fc.record({ costUsd: fc.nat(9), tokens: fc.nat(9), activeMs: fc.nat(9) }, { requiredKeys: [] });
		fc.assert(
			fc.property(figures, fc.option(figures, { nil: undefined }), (own, outer) => {
				const least = leastOf(own, outer);
				for (const key of ["costUsd", "tokens", "activeMs"] as const) {
					const all = [own[key], outer?.[key]].filter((value) => value !== undefined);
					expect(least[key]).toBe(all.length === 0 ? undefined : Math.min(...all));
				}
			}),
			{ numRuns: runs(1) },
		);
	});
});
