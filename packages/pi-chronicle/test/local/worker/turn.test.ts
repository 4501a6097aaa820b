// The time in which a worker's calls may run: from its adoption to the end of its state.
import type { Usage } from "@earendil-works/pi-ai";
import { describe, expect, it } from "vitest";
import type { ProcessAllowance } from "../../../src/local/worker/brief.ts";
import { openTurn, type Turn } from "../../../src/local/worker/extension/turn.ts";

const tools = ["read", "bash", "workflow_transition", "workflow_update_snapshot", "anything"];

describe("a worker's turn", () => {
	it.each(tools)("refuses %s until it has begun, and makes no request", (tool) => {
		const turn = openTurn();
		expect(turn.refuse(tool)?.rule).toBe("not-begun");
		expect(turn.over).toBe(true);
		turn.allow({});
		expect(turn.refuse(tool)?.rule, "a new allowance does not begin it").toBe("not-begun");
		turn.begin({ countCacheReads: true });
		expect(turn.refuse(tool)).toBeUndefined();
		expect(turn.over).toBe(false);
	});
});

const usage = (totalTokens: number, total = 0, cacheRead = 0) => ({ totalTokens, cacheRead, cost: { total } }) as Usage;
const workflowTools = ["workflow_transition", "workflow_update_snapshot"];
const all = { countCacheReads: true };
function begun(allowance: Partial<ProcessAllowance> = {}): Turn {
	const turn = openTurn();
	turn.begin({ ...all, ...allowance });
	return turn;
}
const rules = (turn: Turn) => tools.map((tool) => turn.refuse(tool)?.rule);
const free = tools.map(() => undefined);
const onlyWorkflow = (rule: string) => tools.map((tool) => (workflowTools.includes(tool) ? undefined : rule));

describe("an allowance", () => {
	it.each<[what: string, allowance: Partial<ProcessAllowance>, use: (turn: Turn) => void, last: (turn: Turn) => void]>([
		["10 tokens", { tokens: 10 }, (turn) => turn.spend(usage(9)), (turn) => turn.spend(usage(1))],
		["half a dollar", { costUsd: 0.5 }, (turn) => turn.spend(usage(99, 0.25)), (turn) => turn.spend(usage(0, 0.25))],
		["2 requests", { requests: 2 }, (turn) => turn.count("request"), (turn) => turn.count("request")],
		["2 calls", { calls: 2 }, (turn) => turn.count("call"), (turn) => turn.count("call")],
		[
			"10 tokens without cache reads",
			{ tokens: 10, countCacheReads: false },
			(turn) => turn.spend(usage(30, 0, 21)),
			(turn) => turn.spend(usage(5, 0, 4)),
		],
		[
			"10 tokens with cache reads",
			{ tokens: 10 },
			(turn) => turn.spend(usage(9, 0, 9)),
			(turn) => turn.spend(usage(1, 0, 1)),
		],
	])("of %s ends the turn once it is spent; saving stays possible", (_what, allowance, use, last) => {
		const turn = begun(allowance);
		use(turn);
		turn.spend(undefined);
		expect([turn.over, rules(turn)]).toEqual([false, free]);
		last(turn);
		expect([turn.over, rules(turn)]).toEqual([true, onlyWorkflow("allowance")]);
	});

	it("that is absent ends nothing", () => {
		const turn = begun();
		turn.spend(usage(1e9, 1e6));
		for (const what of ["request", "call"] as const) turn.count(what);
		expect([turn.over, rules(turn)]).toEqual([false, free]);
	});

	it("that is new counts from the start of the process, like the first one; that of requests and calls stays", () => {
		const turn = begun({ tokens: 10, costUsd: 1, calls: 2 });
		turn.spend(usage(10, 1));
		turn.allow({ tokens: 15, costUsd: 2 });
		turn.spend(usage(4, 0.5));
		turn.count("call");
		expect(turn.over).toBe(false);
		turn.count("call");
		expect(turn.over).toBe(true);
		const other = begun();
		other.spend(usage(100, 1));
		other.allow({ costUsd: 2 });
		expect(other.over).toBe(false);
		other.spend(usage(0, 1));
		expect(other.over).toBe(true);
	});
});

describe("a move", () => {
	const move = { call: "c", target: "b", summary: "s" };

	it("that is refused leaves the turn as it was; one that is accepted ends it for every tool", () => {
		const turn = begun();
		turn.note(move);
		expect([turn.move, turn.over, rules(turn)]).toEqual([move, false, free]);
		turn.settle("refused");
		expect([turn.move, turn.over, rules(turn)]).toEqual([undefined, false, free]);
		turn.note(move);
		turn.settle("accepted");
		turn.stop();
		expect([turn.move, turn.over, rules(turn)]).toEqual([undefined, true, tools.map(() => "state-ended")]);
	});

	it("can still be made by a worker that is being stopped", () => {
		const turn = begun({ tokens: 1 });
		turn.stop();
		turn.spend(usage(5));
		expect([turn.over, rules(turn)]).toEqual([true, onlyWorkflow("stopping")]);
		turn.note(move);
		turn.settle("accepted");
		expect(rules(turn)).toEqual(tools.map(() => "state-ended"));
	});
});
