// The parts of `workflow_transition` that need no process: the schema of the data, the names of targets, and the wait for other calls.

import { findTarget } from "@pi-chronicle/core/machine";
import { describe, expect, it } from "vitest";
import { checkOutput } from "../../../src/local/supervisor/output-validator.ts";
import { outputParameter } from "../../../src/local/worker/extension/output-parameter.ts";
import { followCalls } from "../../../src/local/worker/extension/transition-tool.ts";

describe("the schema of the data", () => {
	const tree = {
		$ref: "#/$defs/tree",
		$defs: { tree: { type: "object", properties: { sub: { $ref: "#/$defs/tree" } } } },
	};
	it.each<[name: string, schema: Record<string, unknown>, parameter: object, fitting: unknown]>([
		["is kept", { type: "object", required: ["a"] }, { type: "object", required: ["a"] }, { a: 1 }],
		[
			"has its references replaced",
			{ properties: { a: { $ref: "#/$defs/x~1y" } }, $defs: { "x/y": { type: "string" } } },
			{ properties: { a: { type: "string" } } },
			{ a: "x" },
		],
		["has no keyword that says nothing", { $schema: "x", $id: "y", type: "string" }, { type: "string" }, "x"],
	])("%s", (_name, schema, parameter, fitting) => {
		expect(outputParameter(schema, "Output.")).toEqual({ ...parameter, description: "Output." });
		expect(checkOutput(outputParameter(schema, ""), fitting).kind).toBe("fits");
	});
	it.each<[name: string, schema: Record<string, unknown>, fitting: unknown]>([
		["a reference to itself", tree, { sub: { sub: {} } }],
		["alternatives of which one may match", { oneOf: [{ type: "string" }, { type: "number" }] }, 1],
		["patterns of names", { patternProperties: { "^x": {} }, additionalProperties: false }, { x: 1 }],
		["a tuple", { prefixItems: [{ type: "string" }], items: { type: "number" } }, ["a", 1]],
		["an exception", { not: { type: "number" } }, "x"],
	])("with %s is in the description, and accepts what it should", (_name, schema, fitting) => {
		const parameter = outputParameter(schema, "Output.");
		expect(parameter.description).toContain(JSON.stringify(schema));
		expect(checkOutput(schema, fitting).kind).toBe("fits");
		expect(checkOutput(parameter, fitting).kind).toBe("fits");
		expect(JSON.stringify({ ...parameter, description: "" })).not.toMatch(
			/\$ref|oneOf|patternProperties|prefixItems|"not"/,
		);
	});
});

it.each<[name: string, targets: string[], found: string | undefined]>([
	["review", ["review"], "review"],
	["  Review ", ["review"], "review"],
	["CODE  review", ["code review"], "code review"],
	["Review", ["review", "Review"], "Review"],
	["REVIEW", ["review", "Review"], undefined],
	["reviews", ["review"], undefined],
])("the target %j among %j is %j", (name, targets, found) => {
	expect(findTarget(name, targets)).toBe(found);
});

describe("the other calls of a message", () => {
	type Event = "message_end" | "tool_execution_start" | "tool_execution_end";
	function openCalls(...ids: string[]) {
		const handlers = new Map<string, (event: object) => void>();
		const pi = { on: (event: string, handler: (event: object) => void) => void handlers.set(event, handler) };
		const calls = followCalls(pi as unknown as Parameters<typeof followCalls>[0]);
		const emit = (event: Event, data: object) => handlers.get(event)?.(data);
		emit("message_end", { message: { role: "assistant", content: ids.map((id) => ({ type: "toolCall", id })) } });
		return {
			calls,
			start: (toolCallId: string) => emit("tool_execution_start", { toolCallId }),
			end: (toolCallId: string) => emit("tool_execution_end", { toolCallId }),
		};
	}
	it("are awaited", async () => {
		const { calls, start, end } = openCalls("a", "b", "c");
		for (const id of ["a", "b", "c"]) start(id);
		let over = false;
		const waiting = calls.othersEnded("a", undefined).then((how) => {
			over = true;
			return how;
		});
		end("b");
		await Promise.resolve();
		expect(over).toBe(false);
		end("c");
		expect(await waiting).toBe("ended");
	});
	it("that begin only afterwards are not awaited", async () => {
		const { calls, start } = openCalls("a", "b");
		start("a");
		expect(await calls.othersEnded("a", undefined)).toBe("unstarted");
	});
	it("are not awaited by a call that another tool makes, nor after an abort", async () => {
		const { calls, start } = openCalls("a", "b");
		for (const id of ["a", "b"]) start(id);
		expect(await calls.othersEnded("inner", undefined)).toBe("ended");
		expect(await calls.othersEnded("a", AbortSignal.abort())).toBe("aborted");
	});
});
