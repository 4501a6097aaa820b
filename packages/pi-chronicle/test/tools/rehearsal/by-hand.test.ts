// Rehearsals by hand: what a player types, what is new in a request, transcripts and their comparison. Pure.

import { describe, expect, it } from "vitest";
import {
	parseDecision,
	readAnswer,
	writeAnswer,
	writeDecision,
} from "../../../src/tools/rehearsal/by-hand/answer-text.ts";
import { compareTranscripts } from "../../../src/tools/rehearsal/by-hand/compare.ts";
import { maskPlaces, maskText, unmaskPlaces } from "../../../src/tools/rehearsal/by-hand/mask.ts";
import { OwnText } from "../../../src/tools/rehearsal/by-hand/own-text.ts";
import { openReplayPlayer } from "../../../src/tools/rehearsal/by-hand/replay.ts";
import { openRequestDesk } from "../../../src/tools/rehearsal/by-hand/request.ts";
import { requestMarkdown } from "../../../src/tools/rehearsal/by-hand/request-text.ts";
import { Temporaries } from "../../../src/tools/rehearsal/by-hand/temporaries.ts";
import type { PlayTranscript } from "../../../src/tools/rehearsal/by-hand/transcript.ts";
import { parseTranscript, writeTranscript } from "../../../src/tools/rehearsal/by-hand/transcript-file.ts";
import { playersQuestion } from "../../../src/tools/rehearsal/chronicle-run.ts";
import { playedFigures } from "../../played/figures.ts";

describe("what a player types", () => {
	it("is a message of texts and calls, each on one line", () => {
		const text = 'say First.\n\nsay  indented\ncall read {"path": "a b.txt"}\n call ls\nend\n';
		const answer = {
			text: "First.\n indented",
			calls: [
				{ tool: "read", input: { path: "a b.txt" } },
				{ tool: "ls", input: {} },
			],
		};
		expect(readAnswer(text, "required")).toEqual({ kind: "whole", value: answer });
		expect(readAnswer(writeAnswer(answer), "required")).toEqual({ kind: "whole", value: answer });
	});

	it("is unfinished until its last line, unless nobody writes to it any more", () => {
		expect(readAnswer("say hello\ncall re", "required")).toEqual({ kind: "unfinished" });
		expect(readAnswer("say hello", "implied")).toMatchObject({ kind: "whole" });
	});

	it.each([
		["hello\nend", "Line 1: A line starts with `say`, `call` or `end`, not with `hello`"],
		['say a\ncall read {"path": \nend', "Line 2: The arguments of read are not valid JSON"],
		['call read ["a"]\nend', "Line 1: The arguments of read are one JSON object"],
		["call\nend", "Line 1: The tool's name is missing"],
		["say a\nend\nsay b", "Line 3: Nothing may follow `end`"],
		["end", "The message is empty"],
	])("is refused as a whole with every mistake named: %j", (text, problem) => {
		const read = readAnswer(text, "required");
		expect(read.kind === "wrong" && read.problems.join("\n")).toContain(problem);
	});

	it("is one of the decisions of a user", () => {
		for (const line of [
			"approve",
			"approve Use cents.",
			"stop",
			"reject Name the risks.",
			"answer Port 5432.",
			"release plan try again",
		]) {
			const read = parseDecision(`${line}\nend\n`);
			expect(read.kind === "whole" && writeDecision(read.value)).toBe(line);
		}
		for (const line of ["yes", "reject", "stop it", "release", "approve\nreject no"])
			expect(parseDecision(line).kind).toBe("wrong");
		expect(parseDecision("\n").kind).toBe("unfinished");
	});
});

const tool = { name: "read", description: "Reads a file", parameters: { type: "object" } };
const own = { name: "workflow_step", description: "Moves on", parameters: {} };
const user = (content: string) => ({ role: "user", content });
const said = (text: string) => ({ role: "assistant", content: [{ type: "text", text }] });
const post = (session: string, messages: readonly unknown[], place = `state ${session}`) => ({
	name: `1-${session}-${messages.length}`,
	request: {
		...{ session, run: "r", place, system: "Be good.\n- Move on with workflow_step.", tools: [tool, own] },
		...{ messages, ownLines: ["Move on with workflow_step."], ownTools: ["workflow_step"] },
	},
});
const share = { all: 100, own: 20 };

describe("a request", () => {
	it("shows what is new in its conversation, and names where the rest was shown", () => {
		const desk = openRequestDesk();
		const first = requestMarkdown(desk.receive(post("a", [user("Do it")])), share);
		for (const text of ["Be good.", "Reads a file", "Do it", "20 %"]) expect(first).toContain(text);
		const second = requestMarkdown(desk.receive(post("a", [user("Do it"), said("Done?"), user("No")])), share);
		expect(second).toContain("No");
		for (const text of ["Be good.", "Reads a file", "Do it", "Done?"]) expect(second).not.toContain(text);
		expect(second).toContain("System prompt: as in request 001.");
		const other = requestMarkdown(desk.receive(post("b", [user("Other")])), share);
		expect(other).toContain("Request 003: state b");
		expect(other).toContain("read (as in request 001)");
		expect(other).not.toContain("Reads a file");
	});

	it("shows everything again after earlier messages were changed", () => {
		const desk = openRequestDesk();
		desk.receive(post("a", [user("One"), said("Two"), user("Three")]));
		const after = requestMarkdown(desk.receive(post("a", [user("A summary"), user("Four")])), share);
		expect(after).toContain("Earlier messages of this conversation were changed");
		for (const text of ["A summary", "Four"]) expect(after).toContain(text);
	});

	it("of a second conversation of the same name has a name of its own", () => {
		const desk = openRequestDesk();
		const names = ["a", "b"].map((session) => desk.receive(post(session, [user("x")], "state build")).conversation);
		expect(names).toEqual(["state build", "state build (2)"]);
	});

	it("does not call it a visit that the state is entered again: the model reads of visits of the run", () => {
		const request = openRequestDesk().receive(post("a", [user("x")], "state build, visit 2"));
		expect(requestMarkdown(request, share)).toContain("# Request 001: state build, time 2\n");
	});

	it("cannot end the block that quotes it", () => {
		const desk = openRequestDesk();
		expect(requestMarkdown(desk.receive(post("a", [user("a\n````\nb")])), share)).toContain(
			"`````text\na\n````\nb\n`````",
		);
	});

	it("is this package's text without what the user, a definition or the model wrote", () => {
		const measure = new OwnText(["Write the acceptance criteria first.", "Add the option --json"]);
		measure.addAnswer({ calls: [{ input: { findings: ["The parser is in src/parse.js"] } }] });
		const frame = "You are in the state plan.";
		const told = `${frame} Add the option\n--json Write the acceptance criteria first. The parser is in src/parse.js`;
		const { own: mine } = measure.measure(openRequestDesk().receive(post("a", [user(told)])));
		const fixed = "workflow_step\nMoves on\n{}".length + "- Move on with workflow_step.\n".length;
		expect(mine - fixed).toBeGreaterThanOrEqual(frame.length);
		expect(mine - fixed).toBeLessThan(frame.length + 6);
	});
	it("has no text of others, however short its sentences are, and none that is quoted as JSON", () => {
		const measure = new OwnText([]);
		measure.addAnswer({ findings: [{ text: "Good. Keep it: a\n- b" }, { cases: ['print {"sum":0} twice'] }] });
		const own = (text: string) => measure.measure(openRequestDesk().receive(post("a", [user(text)]))).own;
		expect(own("Known:Good. Keep it: a\n - b")).toBe(own("Known:"));
		expect(own('Known: ["print {\\"sum\\":0} twice"]')).toBe(own('Known: [""]'));
	});
	it("has no quotation that is cut", () => {
		const measure = new OwnText([]);
		measure.add("The parser drops the last line of a file without a newline");
		const own = (text: string) => measure.measure(openRequestDesk().receive(post("a", [user(text)]))).own;
		expect(own("Known: The parser drops the last line of…") - own("Known: ")).toBeLessThanOrEqual(2);
	});
});

describe("a question to the user", () => {
	it("of an approval is what the approval shows", () => {
		const about = [
			"",
			"All tests pass.",
			"",
			"Pending tasks:",
			"  t1 Move",
			"",
			"1 file changed, +1 −0:",
			"  M a +1 −0",
		];
		const question = { text: "Move from survey to upgrade?", about, summary: "All tests pass." };
		const output = { id: "1", status: "awaiting_approval", question, waitsFor: null, targets: ["upgrade", "done"] };
		expect(playersQuestion(JSON.stringify(output))).toBe(
			`Move from survey to upgrade?\n\n${about.slice(1).join("\n")}\n\nIt can go to: upgrade, done.`,
		);
	});

	it("of a child names it and the proposed answers, not the targets of its parent", () => {
		const question = { text: "Is the day excluded?", choices: ["Yes", "No"] };
		const waitsFor = { what: "x", commands: [], children: [{ id: "2", name: "correctness", question }] };
		const output = { id: "1", status: "asks", question: null, waitsFor, targets: ["verdict"] };
		expect(playersQuestion(JSON.stringify(output))).toBe(
			'The child run "correctness" asks: Is the day excluded?\n\nProposed answers, other words are allowed:\n- Yes\n- No',
		);
	});
});

describe("the figures", () => {
	type Call = { tool: string; input: Record<string, unknown> };
	let number = 0;
	const entry = (conversation: string, told: string, calls: Call[]) => ({
		...({ kind: "model", number: ++number, conversation, turn: 1 } as const),
		...{ asked: [{ title: "User message", text: told }], answer: { text: "", calls } },
	});
	type Entry = ReturnType<typeof entry>;
	const save = (input: Record<string, unknown>): Call => ({ tool: "workflow_update_snapshot", input });
	const acceptance = { key: "acceptance", criteria: ['prints {"sum": 1.5}', "errors go to stderr"] };
	const newer = { key: "acceptance", criteria: ['prints {"sum": 150}'] };
	const all = (entries: readonly Entry[], outcome: "ok" | "refused" | "unknown" = "ok") =>
		playedFigures({
			kind: "chronicle",
			entries: entries.map((each) => ({ ...each, outcomes: each.answer.calls.map(() => outcome) })),
		});

	it("count a fact as told as JSON, and not after it was replaced or resolved", () => {
		const first = entry("plan", "Do it", [save({ findings: [acceptance] })]);
		const told = `acceptance: ${JSON.stringify(acceptance.criteria)}`;
		const second = entry("build", told, [save({ findings: [newer], pending_tasks: ["gone"] })]);
		const third = entry("review", `acceptance: ${JSON.stringify(newer.criteria)}`, []);
		expect(all([first, second, third])).toMatchObject({ factsSaved: 3, factsLost: 1 });
		expect(all([first, entry("review 2", "nothing", [])])).toMatchObject({ factsSaved: 1, factsLost: 1 });
	});

	it("count questions that reached the user, and refused moves", () => {
		const calls = [
			{ tool: "workflow_step", input: { action: "ask", question: "Which?" } },
			{ tool: "workflow_step", input: { action: "next" } },
			{ tool: "ask_user", input: { question: "Which?" } },
			{ tool: "read", input: { action: "ask" } },
		];
		expect(all([entry("ask", "x", calls)], "refused")).toMatchObject({
			questions: 0,
			wrongTargets: 1,
			refusedCalls: 4,
		});
		expect(all([entry("ask 2", "x", calls)])).toMatchObject({ questions: 2, wrongTargets: 0, calls: 4 });
		expect(all([entry("ask 3", "x", calls)], "unknown")).toMatchObject({ questions: 2, calls: 0 });
	});
});

const around = {
	...{ project: "/tmp/pi-x/project", temp: "/tmp/pi-x", package: "/opt/chronicle" },
	names: [{ text: "0a1b2c3d-1111", name: "run" }],
	now: new Date("2026-03-04T05:06:07Z"),
};

describe("a transcript", () => {
	it("has no paths, ids and times of its machine, and gets them back for a replay", () => {
		const text = "cd /tmp/pi-x/project && ls /tmp/pi-x/home # 0a1b2c3d-1111";
		expect(maskPlaces(text, around)).toBe("cd <project> && ls <temp>/home # <run>");
		expect(unmaskPlaces(maskPlaces(text, around), around)).toBe(text);
		expect(maskText("2026-03-04T05:06:07.123Z in 2026-03-03, /a/b/node_modules/pi, duration_ms 12.5", around)).toBe(
			"<now> in <today>, <node_modules>/pi, duration_ms <ms>",
		);
		expect(maskText("2025-12-24 a1b2c3d feedface decade 1234567", around)).toBe(
			"2025-12-24 <commit> feedface decade 1234567",
		);
	});

	it("names temporary folders after the conversation that shows them first", () => {
		const temporaries = new Temporaries();
		const show = (conversation: string, text: string) =>
			temporaries.note({ conversation, messages: [{ role: "tool", text }] });
		show("build", "made /tmp/tmp.aB3xY9kQ7m and /var/x/tmp.0000000000/a.txt, not /tmp/tmp.short");
		show("review", "see /tmp/tmp.aB3xY9kQ7m, then /tmp/tmp.zzzzzzzzzz");
		const names = [...around.names, ...temporaries.names];
		const text = "cd /tmp/tmp.aB3xY9kQ7m/src && diff . /tmp/tmp.zzzzzzzzzz; ls /var/x/tmp.0000000000";
		const masked =
			"cd <temporary folder 1 of build>/src && diff . <temporary folder 1 of review>; ls <temporary folder 2 of build>";
		expect(maskPlaces(text, { ...around, names })).toBe(masked);
		expect(unmaskPlaces(masked, { ...around, names })).toBe(text);
	});

	const figures = { characters: 10, ownCharacters: 2 };
	const system = "Be good. ".repeat(40);
	const asked = (turn: number, words: string) => ({
		...({ kind: "model", number: turn, conversation: "state a", turn } as const),
		asked: [
			{ title: "System prompt", text: system },
			{ title: "User message", text: words },
		],
		answer: { text: "", calls: [{ tool: "read", input: { path: "a" } }] },
		outcomes: ["ok"] as const,
	});
	const transcript: PlayTranscript = {
		...{ kind: "chronicle", name: "feature", task: "Do: it", outcome: "done", figures },
		entries: [
			asked(1, "line one\nline two\n"),
			asked(2, "  indented\ttext: [x]"),
			{ kind: "user", number: 3, question: "Move on?", decision: { kind: "reject", words: "No: wait" } },
		],
	};

	it("is written and read without loss, a long part once", () => {
		const text = writeTranscript(transcript);
		expect(parseTranscript(text)).toEqual(transcript);
		expect(text.split("Be good. Be good.").length).toBeLessThan(30);
		expect(text.match(/same_as: 1/g)).toHaveLength(1);
	});

	it("is read without loss where a request has several long parts of one title", () => {
		const result = (name: string) => ({ title: "Result of read", text: `${name}. `.repeat(100) });
		const entry = (turn: number, ...parts: ReturnType<typeof result>[]) => ({ ...asked(turn, "go"), asked: parts });
		const entries = [entry(1, result("a"), result("b")), entry(2, result("b"), result("b")), entry(3, result("b"))];
		const several = { ...transcript, entries };
		expect(parseTranscript(writeTranscript(several))).toEqual(several);
	});

	it("answers questions that come in another order, each with its own decision", async () => {
		const decided = (number: number, question: string, words: string) =>
			({ kind: "user", number, question, decision: { kind: "answer", words } }) as const;
		const entries = [decided(1, "In <project>?", "first"), decided(2, "And here?", "second")];
		const player = openReplayPlayer({ ...transcript, entries }, () => around);
		const decide = (text: string) =>
			player.decide({ number: 1, text, accepts: ["answer"] }, new AbortController().signal);
		expect(await decide("And here?")).toMatchObject({ words: "second" });
		expect(await decide("In /tmp/pi-x/project?")).toMatchObject({ words: "first" });
	});

	it.each([
		["a: [", "not valid YAML"],
		["a: 1", "not a transcript"],
	])("that is none is refused: %s", (text, problem) => {
		expect(parseTranscript(text)).toContain(problem);
	});

	it("is compared request by request: other texts are differences, other ends of calls break it", () => {
		expect(compareTranscripts(transcript, transcript)).toEqual({ differences: [], breaks: [] });
		const reworded = { ...transcript, entries: [asked(1, "line one\nline 2\n"), ...transcript.entries.slice(1)] };
		expect(compareTranscripts(transcript, reworded)).toEqual({
			differences: ["state a, request 1", "  User message:", "    - line two", "    + line 2"],
			breaks: [],
		});
		const refused = { ...asked(1, "line one\nline two\n"), outcomes: ["refused"] as const };
		expect(compareTranscripts(transcript, { ...transcript, entries: [refused] }).breaks).toEqual([
			"state a, request 1: the call of read is refused, before ok.",
			"state a, request 2: this request was not made.",
		]);
	});
});
