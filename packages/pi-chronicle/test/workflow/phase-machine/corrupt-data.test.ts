// Stored states and pinned copies with one changed value: valid ones are read, all others refused.
import { expect, it } from "vitest";
import { readPinned, readState } from "../../../src/workflow/phase-machine/index.ts";
import { corruptions } from "../../harness/corruptions.ts";

const state = {
	active: true,
	workflowKey: "w",
	currentPath: [
		{ workflowKey: "w", phaseIndex: 0, loops: 2 },
		{ workflowKey: "s", phaseIndex: 1, phaseId: "b" },
	],
	globalStepCount: 3,
	taskId: "wf-1-abc",
	taskDescription: "task",
	startedAt: 5,
	completionNotified: false,
	cancelled: false,
	pin: "e1",
	since: 6,
	paused: { by: "person", why: "lunch" },
	left: { way: "next", summary: "done", by: "person" },
	note: "begun",
	away: 7,
};

const pinned = {
	version: 1,
	taskId: "wf-1-abc",
	task: "task",
	root: "w",
	definitions: [
		{
			key: "w",
			name: "W",
			commandName: "w",
			show: "user",
			initialMessage: "Start",
			loopable: true,
			maxLoops: 3,
			autoContinue: true,
			sessionNamePrefix: "W: ",
			sessionNameMaxLength: 50,
			limits: { requests: 5, calls: 6 },
			entries: [
				{
					kind: "phase",
					id: "a",
					name: "A",
					emoji: "🔹",
					instructions: "Do a.",
					tools: { kind: "blacklist", names: ["write"], shell: "strict" },
					profiles: ["no-write"],
					advance: "person",
					autoContinue: false,
					polling: true,
					limits: { requests: 2 },
				},
				{ kind: "reference", key: "s" },
			],
		},
		{
			key: "s",
			name: "S",
			show: "workflows",
			initialMessage: "",
			loopable: false,
			autoContinue: false,
			sessionNamePrefix: "",
			sessionNameMaxLength: 0,
			entries: [
				{
					kind: "phase",
					id: "b",
					name: "B",
					emoji: "",
					instructions: "",
					tools: { kind: "capabilities", may: ["read"] },
					profiles: [],
				},
			],
		},
	],
};

it("a stored state with one changed value is read only if the value is valid", () => {
	expect(readState(state)).toEqual({ kind: "state", state });
	const read = corruptions(state).filter(({ data }) => readState(data).kind === "state");
	expect(read.map(({ name }) => name)).toMatchInlineSnapshot(`
		[
		  "active: a boolean",
		  "currentPath.0.phaseIndex: 0",
		  "currentPath.0.loops: removed",
		  "currentPath.0.loops: 0",
		  "currentPath.1: removed",
		  "currentPath.1.workflowKey: a text",
		  "currentPath.1.workflowKey: an empty text",
		  "currentPath.1.phaseIndex: 0",
		  "currentPath.1.phaseId: removed",
		  "currentPath.1.phaseId: a text",
		  "currentPath.1.phaseId: an empty text",
		  "globalStepCount: removed",
		  "globalStepCount: null",
		  "globalStepCount: 0",
		  "taskId: removed",
		  "taskId: a text",
		  "taskId: an empty text",
		  "taskDescription: removed",
		  "taskDescription: a text",
		  "taskDescription: an empty text",
		  "startedAt: 0",
		  "startedAt: a fraction",
		  "completionNotified: removed",
		  "completionNotified: a boolean",
		  "cancelled: removed",
		  "cancelled: a boolean",
		  "pin: removed",
		  "pin: a text",
		  "pin: an empty text",
		  "since: removed",
		  "since: 0",
		  "since: a fraction",
		  "paused: removed",
		  "paused.why: removed",
		  "paused.why: a text",
		  "paused.why: an empty text",
		  "left: removed",
		  "left.summary: removed",
		  "left.summary: a text",
		  "left.summary: an empty text",
		  "left.by: removed",
		  "left.by: null",
		  "left.by: a list",
		  "left.by: an object",
		  "left.by: a text",
		  "left.by: an empty text",
		  "left.by: a boolean",
		  "left.by: 0",
		  "left.by: a fraction",
		  "left.by: a negative number",
		  "note: removed",
		  "note: null",
		  "note: a list",
		  "note: an object",
		  "note: a text",
		  "note: an empty text",
		  "note: a boolean",
		  "note: 0",
		  "note: a fraction",
		  "note: a negative number",
		  "away: removed",
		  "away: 0",
		  "away: a fraction",
		]
	`);
});

it("an unknown note is dropped, the other notes are kept", () => {
	for (const note of ["begun", "resumed", "reloaded"])
		expect(readState({ ...state, note })).toMatchObject({ state: { note } });
	for (const note of ["ended", "", 1, null])
		expect(readState({ ...state, note })).toEqual({ kind: "state", state: { ...state, note: undefined } });
});

it("every cause of a pause and every way of leaving a phase is read", () => {
	for (const by of ["person", "interrupt", "error", "reminders", "bounds"])
		expect(readState({ ...state, paused: { by } })).toMatchObject({ state: { paused: { by } } });
	for (const way of ["next", "loop", "skip", "back"])
		expect(readState({ ...state, left: { way } })).toMatchObject({ state: { left: { way } } });
});

it("a pinned copy with one changed value is read only if the value is valid", () => {
	expect(readPinned(pinned)).toMatchObject({ taskId: "wf-1-abc", task: "task" });
	const read = corruptions(pinned).filter(({ data }) => readPinned(data) !== undefined);
	expect(read.map(({ name }) => name)).toMatchInlineSnapshot(`
		[
		  "taskId: a text",
		  "taskId: an empty text",
		  "task: a text",
		  "task: an empty text",
		  "definitions.0.name: a text",
		  "definitions.0.name: an empty text",
		  "definitions.0.commandName: removed",
		  "definitions.0.commandName: a text",
		  "definitions.0.commandName: an empty text",
		  "definitions.0.initialMessage: a text",
		  "definitions.0.initialMessage: an empty text",
		  "definitions.0.loopable: a boolean",
		  "definitions.0.maxLoops: removed",
		  "definitions.0.maxLoops: 0",
		  "definitions.0.maxLoops: a negative number",
		  "definitions.0.autoContinue: a boolean",
		  "definitions.0.sessionNamePrefix: a text",
		  "definitions.0.sessionNamePrefix: an empty text",
		  "definitions.0.sessionNameMaxLength: 0",
		  "definitions.0.sessionNameMaxLength: a fraction",
		  "definitions.0.sessionNameMaxLength: a negative number",
		  "definitions.0.limits: removed",
		  "definitions.0.limits: an object",
		  "definitions.0.limits.requests: removed",
		  "definitions.0.limits.calls: removed",
		  "definitions.0.entries.0: removed",
		  "definitions.0.entries.0.id: a text",
		  "definitions.0.entries.0.id: an empty text",
		  "definitions.0.entries.0.name: a text",
		  "definitions.0.entries.0.name: an empty text",
		  "definitions.0.entries.0.emoji: a text",
		  "definitions.0.entries.0.emoji: an empty text",
		  "definitions.0.entries.0.instructions: a text",
		  "definitions.0.entries.0.instructions: an empty text",
		  "definitions.0.entries.0.tools.names: a list",
		  "definitions.0.entries.0.tools.names.0: removed",
		  "definitions.0.entries.0.tools.names.0: a text",
		  "definitions.0.entries.0.tools.names.0: an empty text",
		  "definitions.0.entries.0.profiles: a list",
		  "definitions.0.entries.0.profiles.0: removed",
		  "definitions.0.entries.0.profiles.0: a text",
		  "definitions.0.entries.0.profiles.0: an empty text",
		  "definitions.0.entries.0.advance: removed",
		  "definitions.0.entries.0.autoContinue: removed",
		  "definitions.0.entries.0.autoContinue: a boolean",
		  "definitions.0.entries.0.polling: removed",
		  "definitions.0.entries.0.polling: a boolean",
		  "definitions.0.entries.0.limits: removed",
		  "definitions.0.entries.0.limits: an object",
		  "definitions.0.entries.0.limits.requests: removed",
		  "definitions.0.entries.1: removed",
		  "definitions.1.name: a text",
		  "definitions.1.name: an empty text",
		  "definitions.1.initialMessage: a text",
		  "definitions.1.initialMessage: an empty text",
		  "definitions.1.loopable: a boolean",
		  "definitions.1.autoContinue: a boolean",
		  "definitions.1.sessionNamePrefix: a text",
		  "definitions.1.sessionNamePrefix: an empty text",
		  "definitions.1.sessionNameMaxLength: 0",
		  "definitions.1.sessionNameMaxLength: a fraction",
		  "definitions.1.sessionNameMaxLength: a negative number",
		  "definitions.1.entries.0.id: a text",
		  "definitions.1.entries.0.id: an empty text",
		  "definitions.1.entries.0.name: a text",
		  "definitions.1.entries.0.name: an empty text",
		  "definitions.1.entries.0.emoji: a text",
		  "definitions.1.entries.0.emoji: an empty text",
		  "definitions.1.entries.0.instructions: a text",
		  "definitions.1.entries.0.instructions: an empty text",
		  "definitions.1.entries.0.tools.may: a list",
		  "definitions.1.entries.0.tools.may.0: removed",
		  "definitions.1.entries.0.profiles: a list",
		]
	`);
});

it("a pinned copy keeps every field that a run depends on", () => {
	const definitions = readPinned(pinned)?.definitions;
	const written = (key: string) => pinned.definitions.find((one) => one.key === key);
	for (const key of ["w", "s"]) expect(definitions?.get(key)).toMatchObject(written(key) ?? {});
});

it.each([
	["two workflows of one key", [pinned.definitions[0], pinned.definitions[1], pinned.definitions[1]]],
	["a workflow that refers to itself", [{ ...pinned.definitions[0], entries: [{ kind: "reference", key: "w" }] }]],
	[
		"two workflows that refer to each other",
		[
			{ ...pinned.definitions[0], entries: [{ kind: "reference", key: "s" }] },
			{ ...pinned.definitions[1], entries: [{ kind: "reference", key: "w" }] },
		],
	],
	["no root", [pinned.definitions[1]]],
])("a pinned copy with %s is refused", (_what, definitions) => {
	expect(readPinned({ ...pinned, definitions })).toBeUndefined();
});
