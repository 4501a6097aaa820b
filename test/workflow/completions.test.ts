// What is offered behind `/workflow `, and the line that counts down, without a pi.
import { visibleWidth } from "@earendil-works/pi-tui";
import { expect, it } from "vitest";
import { completeWorkflow } from "../../src/workflow/session/command.ts";
import { countdownLine } from "../../src/workflow/session/countdown.ts";
import { openLibrary } from "../../src/workflow/session/library.ts";
import { openFolder } from "../harness/index.ts";
import { workflowFiles } from "./stage.ts";

it("case 19: verbs that a workflow is called like are offered as they are to be written", () => {
	const folder = openFolder(workflowFiles({ list: ["a"], show: ["a"], release: ["a"] }));
	const workflows = { library: openLibrary(`${folder}/nowhere`), desk: { active: undefined } };
	const offered = (prefix: string) =>
		completeWorkflow(workflows as never, prefix, { cwd: folder, trusted: true })?.map(({ value }) => value) ?? null;
	expect(offered("l")).toEqual(["list"]);
	expect(offered("re")).toEqual(["release", "resume", "reload"]);
	expect(offered("--")?.slice(0, 3)).toEqual(["--list", "--check", "--status"]);
	expect(offered("")).toEqual(expect.arrayContaining(["list", "--list", "check", "show", "--show"]));
	expect(offered("--show r")).toEqual(["--show release"]);
	expect(offered("show r")).toBeNull();
	expect(offered("release the")).toBeNull();
	expect(offered("constructor")).toBeNull();
});

it("case 50: a narrow terminal still says what a person can do, whatever the phase is called", () => {
	for (const what of ["🔍 Look", "👩‍👩‍👧 阶段阶段阶段阶段阶段阶段阶段阶段", "x".repeat(300)])
		for (const width of [60, 80, 200]) {
			const line = countdownLine(what, 3, width);
			expect(visibleWidth(line)).toBeLessThanOrEqual(width);
			expect(line).toContain("in 3 s · Esc pauses, typing holds");
		}
	expect(visibleWidth(countdownLine("🔍 Look", 3, 20))).toBeLessThanOrEqual(20);
});
