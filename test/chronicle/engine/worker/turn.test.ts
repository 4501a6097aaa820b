// When a worker's calls may run: from its adoption to the end of its state.
import { describe, expect, it } from "vitest";
import { openTurn } from "../../../../src/chronicle/engine/worker/extension/turn.ts";

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

	it("has the allowance of its adoption", () => {
		const turn = openTurn();
		turn.begin({ calls: 1, countCacheReads: true });
		expect(turn.over).toBe(false);
		turn.count("call");
		expect(turn.over).toBe(true);
		expect(turn.refuse("read")?.rule).toBe("allowance");
	});
});
