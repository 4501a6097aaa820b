// The transcript of a worker for the user, and the events as sentences.
import { join } from "node:path";
import { KeybindingsManager, TUI_KEYBINDINGS } from "@earendil-works/pi-tui";
import { expect, it } from "vitest";
import { paintLine, unpainted } from "../../../src/tui/index.ts";
import { eventText } from "../../../src/ui/phrases/index.ts";
import { readCommandOutput, readTranscript } from "../../../src/ui/screen/transcript.ts";
import { RunView } from "../../../src/ui/screen/view.ts";
import { eventLine } from "../../../src/ui/screen/view-pages.ts";
import { openFolder } from "../../harness/index.ts";
import { dayOfWork } from "../report/ledgers.ts";
import { rewoundRun } from "../runs.ts";

const refusal = "Refused.\nThis phase may not write. [phase: no-write]\nDo not try it another way.";
const call = (id: string, name: string, args: object) => ({ type: "toolCall", id, name, arguments: args });
const says = (...content: object[]) => ({ type: "message", message: { role: "assistant", content } });
const result = (toolCallId: string, toolName: string, text: string, isError = false) => ({
	type: "message",
	message: { role: "toolResult", toolCallId, toolName, isError, content: [{ type: "text", text }] },
});

function shown(...records: object[]): string[] {
	const folder = openFolder({
		"s.jsonl": [{ type: "session", cwd: "/home/me/project" }, ...records]
			.map((record) => JSON.stringify(record))
			.join("\n"),
	});
	return readTranscript(join(folder, "s.jsonl")).map((line) => paintLine(line, unpainted));
}

it("shows results below their calls, written texts as lines, and paths relative to the project", () => {
	expect(
		shown(
			says(
				{ type: "text", text: "I write it." },
				call("1", "write", { path: "/home/me/project/src/a.ts", content: "one\n\ttwo\n" }),
				call("2", "bash", { command: "cat /home/me/project/src/a.ts" }),
			),
			result("1", "write", "Wrote 8 bytes to /home/me/project/src/a.ts"),
			result("2", "bash", "one\n\ttwo"),
			says(call("3", "edit", { path: "src/a.ts", edits: [{ oldText: "one", newText: "1" }] })),
			result("3", "edit", "Done."),
		),
	).toEqual([
		"● I write it.",
		"▸ write src/a.ts",
		"  + one",
		"  + \ttwo",
		"  Wrote 8 bytes to src/a.ts",
		"▸ bash cat src/a.ts",
		"  one",
		"  \ttwo",
		"▸ edit src/a.ts",
		"  - one",
		"  + 1",
		"  Done.",
	]);
});

it("shows a refusal once, with its reason", () => {
	expect(
		shown(
			says(call("1", "write", { path: "a", content: "x" }), call("2", "write", { path: "b", content: "y" })),
			result("1", "write", refusal, true),
			result("2", "write", refusal, true),
		),
	).toEqual([
		"▸ write a",
		"  + x",
		"  ⊘ refused: This phase may not write. [phase: no-write]",
		"▸ write b",
		"  + y",
		"  ⊘ refused again, as above",
	]);
});

it("describes every event in a sentence", () => {
	for (const event of [...dayOfWork().events, ...rewoundRun().events]) {
		const text = paintLine(eventLine(event), unpainted).slice(23).replaceAll("human_intervention", "");
		expect(text, event.kind).not.toContain("_");
		expect(text, event.kind).not.toMatch(/undefined|\[object|^\s*$/);
	}
});

it("shows every sentence in full on the page of events, however narrow the screen", async () => {
	const play = dayOfWork();
	const view = new RunView(
		{
			run: () => play.run,
			watch: () => () => {},
			async *events(after) {
				for (const event of play.events) if (event.seq > after) yield event;
			},
			diff: async () => ({ kind: "none", reason: "none" }),
			outputs: () => [],
			transcript: () => undefined,
			child: async () => undefined,
		},
		{ paint: unpainted, requestRender: () => {} },
	);
	view.handleKey("5", new KeybindingsManager(TUI_KEYBINDINGS));
	const flat = (text: string) => text.replace(/\s+/g, "");
	const missing = (width: number) => {
		const page = flat(view.render(width, 2000).join("\n"));
		return play.events.map((event) => flat(eventText(event))).filter((words) => !page.includes(words));
	};
	await expect.poll(() => missing(200)).toEqual([]);
	for (const width of [40, 60, 80, 120]) expect(missing(width), String(width)).toEqual([]);
	view.dispose();
});

it("shows the end of a command's output while it grows, without colors and overwritten lines", () => {
	const folder = openFolder({
		"2.1.1.log": "\u001b[31mred\u001b[0m\r\n10 %\r20 %\r100 %\nhalf a li",
		"3.1.1.log": `${"x\n".repeat(200_000)}the end\n`,
	});
	const shown = (name: string) => readCommandOutput(join(folder, name)).map((line) => paintLine(line, unpainted));
	expect(shown("2.1.1.log")).toEqual(["── the output of the command, 2.1.1 ──", "red", "100 %", "half a li"]);
	const long = shown("3.1.1.log");
	expect([long.length < 140_000, long[1]?.startsWith("… all of it is in "), long.at(-1)]).toEqual([
		true,
		true,
		"the end",
	]);
	expect(shown("missing.log").at(-1)).toContain("cannot be read");
});
