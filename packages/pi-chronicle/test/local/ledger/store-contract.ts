// The contract of every ledger store, as tests to run against each implementation.

import type { LedgerEvent, UserEvent } from "@pi-chronicle/core/machine";
import type { LedgerStore, PostListener } from "@pi-chronicle/core/ports";
import { describe, expect, it } from "vitest";
import { baseline, created, id, tell, value, visit } from "./sample-events.ts";

const hear = (event: PostListener["event"]): PostListener => ({
	event,
	unread: async () => {
		throw new Error("nothing is unreadable here");
	},
});

async function all(events: AsyncIterable<LedgerEvent>): Promise<LedgerEvent[]> {
	const found: LedgerEvent[] = [];
	for await (const event of events) found.push(event);
	return found;
}

/** Registers the tests of a store. `open` gives a new one without any run; `left`: how a run is listed that could continue and has no holder. */
export function testLedgerStore(name: string, open: () => LedgerStore, left = "interrupted"): void {
	describe(`a store of ${name}`, () => {
		it("has written the run, readable, before create resolves", async () => {
			const store = open();
			const ledger = value(await store.create(created()));
			expect(ledger.run).toMatchObject({ id, state: "a", status: "running", seq: 1 });
			expect(value(await store.read(id)).run).toEqual(ledger.run);
			expect((await store.create(created())).ok).toBe(false);
			await ledger.releaseLease();
		});
		it("numbers events, keeps their order, and returns what was appended", async () => {
			const store = open();
			const ledger = value(await store.create(created()));
			const events = value(
				await ledger.append(
					[
						{ kind: "told", text: "ü\n\u2028😀" },
						{ kind: "told", text: "two" },
					],
					"soon",
				),
			);
			expect(events.map(({ seq }) => seq)).toEqual([2, 3]);
			expect(events[0]).toMatchObject({ kind: "told", text: "ü\n\u2028😀", fence: ledger.fence });
			expect(Date.parse(events[1]?.at ?? "")).toBeGreaterThan(0);
			expect((await all(ledger.events())).slice(1)).toEqual(events);
			expect((await all(ledger.events(2))).map(({ seq }) => seq)).toEqual([3]);
			await ledger.releaseLease();
		});
		it("finds runs by the beginning of an id, and has ids, entries and the runs that changed last", async () => {
			const store = open();
			const others = ["22222222-2222-4333-8444-555555555555", "23222222-2222-4333-8444-555555555555"];
			for (const other of [id, ...others]) await value(await store.create(created({ id: other }))).releaseLease();
			expect(value(await store.find("22"))).toBe(others[0]);
			expect(await store.find("2")).toMatchObject({ ok: false, failure: { reason: "ambiguous" } });
			expect(await store.find("9")).toMatchObject({ ok: false, failure: { reason: "unknown" } });
			expect([...(await store.ids())].sort()).toEqual([id, ...others]);
			expect(await store.entry(id)).toEqual((await store.list()).find((entry) => entry.id === id));
			expect(await store.entry("33333333-2222-4333-8444-555555555555")).toBeUndefined();
			expect((await store.recent(10)).map((entry) => entry.id).sort()).toEqual([id, ...others]);
			expect(await store.recent(1)).toHaveLength(1);
		});
		it("redacts texts of workers and tools before it stores them", async () => {
			process.env.PLANTED_API_TOKEN = "planted-value-7";
			const store = open();
			delete process.env.PLANTED_API_TOKEN;
			const ledger = value(await store.create(created()));
			const [event] = value(
				await ledger.append(
					[
						{
							kind: "tool_started",
							visit: 1,
							attempt: 1,
							call: "c",
							tool: "bash",
							args: '{"command":"curl -H \'x: planted-value-7\' DB_PASSWORD=abcdef"}',
						},
					],
					"durable",
				),
			);
			expect(JSON.stringify(event)).not.toMatch(/planted-value-7|abcdef/);
			expect(JSON.stringify(await all(ledger.events()))).not.toMatch(/planted-value-7|abcdef/);
			await ledger.releaseLease();
		});
		it("the next process finds the same state, with and without a checkpoint", async () => {
			const store = open();
			const first = value(await store.create(created()));
			let run = await tell(first, first.run, baseline);
			for (const body of visit(run)) run = await tell(first, run, body);
			value(await first.checkpoint(run));
			for (const body of visit(run)) run = await tell(first, run, body);
			await first.releaseLease();
			const second = value(await store.open(id));
			expect(second.run).toEqual(run);
			expect(second.fence).toBeGreaterThan(first.fence);
			expect(second.repairs).toEqual([]);
			await second.releaseLease();
		});
		it("has one holder at a time; others read", async () => {
			const store = open();
			const ledger = value(await store.create(created()));
			const second = await store.open(id);
			expect(second.ok).toBe(false);
			expect(!second.ok && second.failure.reason).toBe("held");
			expect(value(await store.read(id)).holder?.alive).toBe("yes");
			expect(await ledger.holdsLease()).toBe(true);
			await ledger.releaseLease();
			expect(await ledger.holdsLease()).toBe(false);
			expect(value(await store.read(id)).holder).toBeUndefined();
			const third = value(await store.open(id));
			expect([await ledger.holdsLease(), await third.holdsLease()]).toEqual([false, true]);
			expect((await ledger.append([{ kind: "told", text: "x" }], "durable")).ok).toBe(false);
			expect((await ledger.checkpoint(ledger.run)).ok).toBe(false);
			expect(value(await third.append([{ kind: "told", text: "y" }], "durable"))[0]?.seq).toBe(2);
			await third.releaseLease();
		});
		it("refuses a checkpoint that is not at the end of the log", async () => {
			const store = open();
			const ledger = value(await store.create(created()));
			value(await ledger.append([{ kind: "told", text: "x" }], "soon"));
			expect((await ledger.checkpoint(ledger.run)).ok).toBe(false);
			await ledger.releaseLease();
		});
		it("lists runs newest first and finds them by id, prefix and `last`", async () => {
			const store = open();
			const ids = [
				"aaaaaaaa-0000-4000-8000-000000000001",
				"aaaaaaab-0000-4000-8000-000000000002",
				"bbbbbbbb-0000-4000-8000-000000000003",
			];
			for (const one of ids) await value(await store.create(created({ id: one, task: one }))).releaseLease();
			const entries = await store.list();
			expect(entries.map(({ id: one }) => one)).toEqual([...ids].reverse());
			expect(entries[0]).toMatchObject({
				kind: "run",
				summary: { template: "T", state: "a", status: left, task: ids[2] },
			});
			expect(value(await store.find("last"))).toBe(ids[2]);
			expect(value(await store.find("bb"))).toBe(ids[2]);
			expect(value(await store.find("aaaaaaab"))).toBe(ids[1]);
			const reasons = await Promise.all(["aaaaaaa", "c", ""].map(async (name) => store.find(name)));
			expect(reasons.map((found) => !found.ok && found.failure.reason)).toEqual(["ambiguous", "unknown", "unknown"]);
		});
		it("keeps commands to a run until its holder has handled them, in order", async () => {
			const store = open();
			await value(await store.create(created())).releaseLease();
			const said: UserEvent[] = [
				{ kind: "told", text: "one" },
				{ kind: "pause_requested", cause: "person", detail: "x" },
				{ kind: "told", text: "three" },
			];
			for (const event of said) value(await store.post(id, event));
			const heard: UserEvent[] = [];
			const ledger = value(await store.open(id));
			await new Promise<void>((resolve) => {
				void ledger.onPosted(
					hear(async (event) => {
						heard.push(event);
						if (heard.length === 2) value(await store.post(id, { kind: "told", text: "four" }));
						if (heard.length === 4) resolve();
						return undefined;
					}),
				);
			});
			expect(heard).toMatchObject([...said, { kind: "told", text: "four" }]);
			await ledger.releaseLease();
			const again = value(await store.open(id));
			await again.onPosted(
				hear(async () => {
					throw new Error("heard twice");
				}),
			);
			await again.releaseLease();
		});
		it("keeps unhandled commands for the next holder, in order", async () => {
			const store = open();
			await value(await store.create(created())).releaseLease();
			for (const text of ["one", "two"]) value(await store.post(id, { kind: "told", text }));
			const first = value(await store.open(id));
			await first.onPosted(
				hear(async () => {
					throw new Error("the disk is full");
				}),
			);
			await first.releaseLease();
			const heard: UserEvent[] = [];
			const second = value(await store.open(id));
			await second.onPosted(
				hear(async (event) => {
					heard.push(event);
					return undefined;
				}),
			);
			expect(heard.map((event) => event.kind === "told" && event.text)).toEqual(["one", "two"]);
			await second.releaseLease();
		});
		it("tells the sender whether a command was handled, and lets them withdraw it until then", async () => {
			const store = open();
			await value(await store.create(created())).releaseLease();
			const posts = [];
			for (const text of ["one", "two", "three"]) posts.push(value(await store.post(id, { kind: "told", text })));
			expect(await Promise.all(posts.map((post) => post.state()))).toEqual(posts.map(() => ({ kind: "waiting" })));
			expect(await posts[2]?.withdraw()).toBe(true);
			const ledger = value(await store.open(id));
			const heard: unknown[] = [];
			await ledger.onPosted(
				hear(async (event) => {
					heard.push(event.kind === "told" && event.text);
					return heard.length === 2 ? "This was decided in an earlier visit." : undefined;
				}),
			);
			expect(heard).toEqual(["one", "two"]);
			expect(await posts[0]?.state()).toEqual({ kind: "taken" });
			expect(await posts[0]?.withdraw()).toBe(false);
			expect(await posts[1]?.state()).toEqual({ kind: "refused", reason: "This was decided in an earlier visit." });
			await ledger.releaseLease();
		});
		it("reports an unknown run", async () => {
			const store = open();
			const other = "99999999-0000-4000-8000-000000000001";
			for (const result of [await store.open(other), await store.read(other)])
				expect(!result.ok && result.failure.reason).toBe("unknown");
			expect(await store.list()).toEqual([]);
		});
	});
}
