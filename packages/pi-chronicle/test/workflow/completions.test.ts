// Completions after `/workflow `, and the countdown line, without pi.
import { visibleWidth } from "@earendil-works/pi-tui";
import { expect, it } from "vitest";
import type { WorkflowRun } from "../../src/workflow/phase-machine/index.ts";
import { completeWorkflow } from "../../src/workflow/session/command.ts";
import { countdownLine } from "../../src/workflow/session/countdown.ts";
import { openLibrary } from "../../src/workflow/session/library.ts";
import { openFolder } from "../harness/index.ts";
import { begin, drafts, happen } from "./definition-builder.ts";
import { workflowFiles } from "./stage.ts";

it("a verb that is also a workflow's name is offered in its unambiguous form", () => {
	const folder = openFolder(workflowFiles({ list: ["a"], show: ["a"], release: ["a"] }));
	const workflows = { library: openLibrary(`${folder}/nowhere`), controller: { active: undefined } };
	const offered = (prefix: string) =>
		completeWorkflow(workflows as never, prefix, { cwd: folder, trusted: true })?.map(({ value }) => value) ?? null;
	expect(offered("l")).toEqual(["list"]);
	expect(offered("re")).toEqual(["release"]);
	expect(offered("--")).toEqual(["--list", "--check", "--init", "--show"]);
	expect(offered("")).toEqual(expect.arrayContaining(["list", "--list", "check", "show", "--show"]));
	expect(offered("--show r")).toEqual(["--show release"]);
	expect(offered("show r")).toBeNull();
	expect(offered("release the")).toBeNull();
	expect(offered("constructor")).toBeNull();
	// Complete words are left to Enter.
	expect(offered("release")).toBeNull();
	expect(offered("--show release")).toBeNull();
});

it("completions are the verbs that apply to the run's current state", () => {
	const folder = openFolder(workflowFiles({ w: ["a"] }));
	const library = openLibrary(`${folder}/nowhere`);
	const first = begin(drafts({ w: ["a", "b", "c"] }), "w");
	const offered = (run: WorkflowRun, prefix = "", isOn = false) =>
		completeWorkflow({ library, controller: { active: { run } }, files: { isOn } } as never, prefix, {
			cwd: folder,
			trusted: true,
		})
			?.map(({ value }) => value)
			.filter((value) => !["w", "list", "check", "init", "show"].includes(value)) ?? null;
	expect(offered(first)).toEqual(["status", "pause", "resume", "next", "skip", "reload"]);
	const third = happen(happen(first, { kind: "skip", at: 1 }).run, { kind: "skip", at: 1 }).run;
	expect(offered(third)).toContain("back");
	expect(offered(third, "back ", true)).toEqual(["back b", "back a", "back --files", "back --undo"]);
	expect(offered(third, "back ")).toEqual(["back b", "back a"]);
	expect(offered(third, "back b")).toBeNull();
	expect(offered(third, "pause ")).toBeNull();
	const paused = happen(first, { kind: "pause", by: "person" }).run;
	expect(offered(paused)).toEqual(["status", "resume", "next", "skip", "reload"]);
});

it("the countdown line keeps the user's options on a narrow terminal, whatever the phase's name", () => {
	for (const what of ["🔍 Look", "👩‍👩‍👧 阶段阶段阶段阶段阶段阶段阶段阶段", "x".repeat(300)])
		for (const width of [60, 80, 200]) {
			const line = countdownLine(what, 3, width);
			expect(visibleWidth(line)).toBeLessThanOrEqual(width);
			expect(line).toContain("in 3s · Esc pauses, typing holds");
		}
	expect(visibleWidth(countdownLine("🔍 Look", 3, 20))).toBeLessThanOrEqual(20);
});
