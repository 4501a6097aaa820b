// Calls passed to another package's tool as positional lists, in JSON text of any argument.

import { listedCalls } from "@pi-chronicle/footprint";
import { describe, expect, it } from "vitest";
import { call, fixtureExtension, openBench, say } from "../../harness/index.ts";

const text = (value: unknown) => JSON.stringify(value);

describe("calls listed by position", () => {
	it.each<[string, unknown, readonly string[]]>([
		["one", { steps: text([["read", { path: ".env" }]]) }, ["read"]],
		[
			"several, in any argument, however deep",
			{
				a: [
					{
						b: text([
							["fs:write_file", { path: "a" }],
							["ls", {}],
						]),
					},
				],
			},
			["write_file", "ls"],
		],
		["text within text", { plan: text(text([["read", text({ path: ".env" })]])) }, ["read"]],
		["a shell's command line", { jobs: text([["shell", "rm -rf src"]]) }, ["bash"]],
		["with an id before the name", { jobs: text([[1, "read", { path: "a" }]]) }, ["read"]],
		["within an object", { plan: text({ first: [["read", { path: "a" }]] }) }, ["read"]],
	])("are detected: %s", (_, input, tools) => {
		const { calls, complete } = listedCalls(input);
		expect(complete).toBe(true);
		expect(calls.map(({ tool }) => tool)).toEqual(tools);
	});

	it.each<[string, unknown]>([
		[
			"a table",
			{
				rows: text([
					["name", "file"],
					["a", ".env"],
				]),
			},
		],
		[
			"numbers",
			{
				points: text([
					[1, 2],
					[3, 4],
				]),
			},
		],
		["the content of a file", { content: text([["read", { path: ".env" }]]) }],
		["no JSON", { note: "[[read, {path}]]" }],
		["a list that is not a string, whose arguments are judged anyway", { calls: [["read", { path: ".env" }]] }],
	])("are not inferred from %s", (_, input) => {
		expect(listedCalls(input)).toEqual({ calls: [], complete: true });
	});

	it("are bounded, and an excess is reported", () => {
		const many = text(Array.from({ length: 500 }, () => ["read", { path: "a" }]));
		expect(listedCalls({ many })).toMatchObject({ complete: false });
		let deep: unknown = ["read", { path: "a" }];
		for (let depth = 0; depth < 40; depth++) deep = [deep];
		expect(listedCalls({ deep: text(deep) }).complete).toBe(false);
	});

	it.each([
		[true, [false, false, false], 1],
		[false, [true, false, false], 1],
	])(
		"that a rule forbids need approval, answered with %s; harmless ones and data do not",
		async (answer, errors, asked) => {
			const { rpc } = await openBench({
				files: {
					".pi/damage-control-rules.yaml": "zeroAccessPaths:\n  - .env\n",
					".env": "A=1\n",
					"README.md": "hello\n",
				},
				script: [
					call("batcher", {
						steps: text([
							["read", { path: ".env" }],
							["read", { path: "README.md" }],
						]),
					}),
					call("batcher", { steps: text([["read", { path: "README.md" }]]) }),
					call("batcher", {
						rows: text([
							["file", "about"],
							[".env", "settings"],
						]),
					}),
					say("Done."),
				],
			});
			let questions = 0;
			const pi = await rpc({
				extensions: [fixtureExtension("foreign-tool")],
				env: { FOREIGN_TOOLS: "batcher" },
				answers: () => {
					questions++;
					return answer;
				},
			});
			await pi.run("Go");
			expect(pi.toolResults().map(({ error }) => error)).toEqual(errors);
			expect(questions).toBe(asked);
		},
	);

	it("are refused if nobody can be asked", async () => {
		const { print, server } = await openBench({
			files: { ".pi/damage-control-rules.yaml": "zeroAccessPaths:\n  - .env\n", ".env": "A=1\n" },
			script: [call("batcher", { steps: text([["read", { path: ".env" }]]) }), say("Done.")],
		});
		await print("Go", { extensions: [fixtureExtension("foreign-tool")], env: { FOREIGN_TOOLS: "batcher" } });
		expect(server.requests[1]?.lastResult?.text).toContain("A call in its arguments");
	});
});
