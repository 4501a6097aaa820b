// The sizes of what the package tells a model, in characters of its own text: what the user, a definition or the model wrote does not count.
// The share of a whole play is measured by the plays.

import { briefOf, firstMessageText } from "@pi-chronicle/core/handover";
import { describe, expect, it } from "vitest";
import { definition, open, start } from "../../core/test/machine/test-run.ts";
import { draftPrompt } from "../src/tools/plan/prompt.ts";
import { call, openModelServer, openProject, packageFolder } from "./harness/index.ts";
import { move, openRig } from "./local/worker/worker-rig.ts";
import { openRpcStage } from "./workflow/stage.ts";

interface Declared {
	readonly function: { readonly name: string; readonly description: string; readonly parameters: unknown };
}

type Sent = Parameters<typeof toolSize>[0];

/** A tool as it is declared, with its lines in the system prompt. */
function toolSize({ body, system }: { readonly body: object; readonly system: string }, name: string): number {
	const { tools } = body as { readonly tools: readonly Declared[] };
	const tool = tools.find(({ function: declared }) => declared.name === name)?.function;
	if (!tool) throw new Error(`${name} is not declared`);
	const lines = system.split("\n").filter((line) => line.includes(name));
	return [tool.name, tool.description, JSON.stringify(tool.parameters), ...lines].join("\n").length;
}

/** The first message of a worker for whom nothing is known yet, without a task and instructions. */
function emptyHandover(): string {
	const states = {
		building: { persona: "B", next: ["checking"] },
		checking: { persona: "C", next: ["building", "done"] },
	};
	const { run } = start(open(definition(states), { task: "" }));
	const abilities = new Map(
		[...run.plan.states.values()].map((state) => [state, { edits: true, runs: true, other: false }]),
	);
	const place = { cwd: "/p", file: "/p/.pi/handover.md", log: "/p/log", folders: new Map(), abilities };
	return firstMessageText(briefOf(run, "entered", place));
}

describe("a worker", () => {
	it("is told at most 2,600 characters: 800 of frame and its three tools, of which the snapshot takes at most 600", async () => {
		const server = await openModelServer([move()]);
		const rig = openRig(openProject({ server }));
		const frame = emptyHandover();
		await (await rig.start({ message: { new: frame, continued: "" } })).ended;
		const [request] = server.requests;
		expect(request?.users).toEqual([frame]);
		const sizes = ["workflow_transition", "workflow_update_snapshot", "ask_user"].map((tool) =>
			toolSize(request as Sent, tool),
		);
		expect(frame.length).toBeLessThanOrEqual(800);
		expect(sizes[1]).toBeLessThanOrEqual(600);
		expect(sizes.reduce((sum, size) => sum + size, frame.length)).toBeLessThanOrEqual(2_600);
	});
});

describe("a workflow", () => {
	it("begins with at most 1,900 characters, of which the tool takes at most 1,000", async () => {
		const { pi, play, server } = await openRpcStage({ w: ["a", "b", "c", "d", "e"] });
		play(call("workflow_step", { action: "ask", question: "Which?" }));
		await pi.prompt("/workflow w it");
		await pi.settled();
		const request = server.last();
		const frame = request.users.find((text) => text.startsWith("[Workflow path"))?.replace("Do a for it.", "") ?? "";
		expect(frame.length).toBeGreaterThan(300);
		expect(toolSize(request, "workflow_step")).toBeLessThanOrEqual(1_000);
		expect(toolSize(request, "workflow_step") + frame.length).toBeLessThanOrEqual(1_900);
	});
});

describe("`/plan`", () => {
	it.each(["chronicle", "workflow", "sequence"])("of a %s begins with at most 7,000 characters", (kind) => {
		const task = `Write a ${kind} that exports one month`;
		expect(draftPrompt({ task, subject: undefined }, packageFolder).length - task.length).toBeLessThanOrEqual(7_000);
	});
});
