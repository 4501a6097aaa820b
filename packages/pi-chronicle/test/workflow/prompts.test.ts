// Texts of a run for the model and the user: variables, positions, phase texts, answers of the tool.
import { describe, expect, it } from "vitest";
import type { ExitKind, LiveWorkflowRun } from "../../src/workflow/phase-machine/index.ts";
import {
	blockAdvice,
	blockReason,
	doneText,
	endText,
	expand,
	initialMessage,
	movedText,
	nextName,
	phaseFrame,
	sessionName,
	statusLine,
	statusText,
	variablesOf,
	workflowReminderText,
} from "../../src/workflow/prompts/index.ts";
import { cpuMs } from "../harness/cpu.ts";
import { within } from "../harness/patience.ts";
import { begin, drafts, happen } from "./definition-builder.ts";

/** The run after `steps` phases; `from` of the last step. */
function later(run: LiveWorkflowRun, steps: number, event: "next" | "loop" | "skip" = "next") {
	let current = run;
	let from = run.position;
	for (let step = 0; step < steps; step++) {
		from = current.position;
		const happened =
			event === "skip"
				? ({ kind: "skip", at: 2000 } as const)
				: ({ kind: event, at: 2000, message: `m${step}-${Math.random()}` } as const);
		const next = happen(current, happened).run;
		if (next.kind !== "live") throw new Error("stale");
		current = next;
	}
	return { run: current, from };
}

const wholeText = (run: LiveWorkflowRun) => phaseFrame({ run, known: "nothing", visits: [] });
const laterText = (run: LiveWorkflowRun) => phaseFrame({ run, known: "run", visits: [] });
const firstLine = (text: string) => text.split("\n")[0];

describe("variables", () => {
	it("unknown names stay, and values are not expanded again", () => {
		const run = begin(drafts({ w: ["a"] }), "w", "fix {phaseName} and {foo}");
		const variables = variablesOf(run);
		expect(expand("{description} {foo} {phaseName} {{phaseId}} ${phaseId} { phaseId } {phase-id}", variables)).toBe(
			"fix {phaseName} and {foo} {foo} A {a} $a { phaseId } {phase-id}",
		);
		for (const name of ["constructor", "__proto__", "toString"])
			expect(expand(`{${name}}`, variables)).toBe(`{${name}}`);
	});

	it("are filled in through a workflow of two phases", () => {
		const definitions = drafts({
			"code-review": {
				name: "Code Review",
				entries: [
					{
						id: "gather",
						name: "Gather",
						instructions:
							"{workflowName}|{workflowKey}|{description}|{taskDescription}|{taskId}|{phaseId}|{phaseName}|{previousPhaseName}|{nextPhaseName}|{blockedToolsList}|{toolName}|{breadcrumbPath}|{globalStepCount}",
					},
					{ id: "report", name: "Report", tools: { kind: "blacklist", names: ["edit", "write"], shell: "judged" } },
				],
			},
		});
		const run = begin(definitions, "code-review");
		expect(wholeText(run)).toContain(
			"Code Review|code-review|the task|the task|wf-1000-abc123|gather|Gather|(start)|Report|(none)|workflow_step|Code Review|0",
		);
		const report = variablesOf(later(run, 1).run);
		expect(
			["previousPhaseName", "nextPhaseName", "blockedToolsList", "globalStepCount"].map((name) => report.get(name)),
		).toEqual(["Gather", "DONE", "edit, write", "1"]);
	});

	it("name the first phase in the first message, however deep it is", () => {
		const definitions = drafts({
			p: {
				entries: ["@s"],
				initialMessage:
					"{firstPhaseId} {firstPhaseName} {firstPhaseEmoji} {firstPhaseProfiles} {workflowName} {taskDescription} {phaseCount}",
			},
			s: ["@t", "s2"],
			t: [{ id: "t1", emoji: "🧪", profiles: ["scout", "writer"] }],
		});
		expect(initialMessage(begin(definitions, "p"))).toBe("t1 T1 🧪 scout, writer Workflow p the task 1");
		const plain = drafts({ w: { entries: ["a"], initialMessage: "{firstPhaseProfiles}" } });
		expect(initialMessage(begin(plain, "w"))).toBe("(none)");
	});

	it("fill the phase and its instructions into reminders", () => {
		const definitions = drafts({
			w: {
				entries: [{ id: "a", instructions: "Do it: {description}, not {phaseInstructions}" }],
				notDoneReminder:
					"{workflowName}/{taskDescription}/{taskId}/{phaseId}/{phaseName}/{phaseEmoji}: {phaseInstructions}",
			},
		});
		expect(workflowReminderText(begin(definitions, "w", "x{phaseId}"))).toBe(
			"[Automatic reminder from pi-chronicle, not from the user] Workflow w/x{phaseId}/wf-1000-abc123/a/A/🔹: Do it: x{phaseId}, not {phaseInstructions}",
		);
	});

	it("are filled into instructions wherever the model reads them", () => {
		const definitions = drafts({ w: ["x", { id: "a", instructions: "Do {taskDescription} as {phaseName}" }] });
		const { run, from } = later(begin(definitions, "w"), 1);
		for (const text of [wholeText(run), laterText(run), statusText(run), movedText(run, from, { way: "next" })])
			expect(text).toContain("Do the task as A");
	});

	it("count the phases of the started workflow in the last message", () => {
		const definitions = drafts({
			p: { entries: ["a", "@s"], completionMessage: "{workflowName}: {phaseCount} for {taskDescription} ({taskId})" },
			s: ["s1", "s2"],
		});
		const run = begin(definitions, "p");
		expect(endText(run, "done")).toBe("Workflow p: 2 for the task (wf-1000-abc123)");
		expect(endText(run, "cancelled")).not.toContain("2 for");
		expect(endText(begin(drafts({ w: ["a"] }), "w"), "done")).toContain("DONE");
	});

	it("fill the current phase into the started workflow's reason for a refusal", () => {
		const definitions = drafts({
			p: { entries: ["@s"], blockReasonTemplate: "{toolName} not in {phaseName} of {workflowName}: {allowedTools}" },
			s: {
				entries: [{ id: "s1", tools: { kind: "whitelist", names: ["read", "workflow_step"], shell: "judged" } }],
				blockReasonTemplate: "the inner one",
			},
		});
		expect(blockReason(begin(definitions, "p"), "edit")).toBe("edit not in S1 of Workflow p: read");
		expect(blockAdvice(begin(definitions, "p"))).not.toContain("workflow_step");
		const plain = begin(drafts({ w: ["a", { id: "b", advance: "person" }] }), "w");
		expect(`${blockReason(plain, "edit")}\n${blockAdvice(plain)}`).toBe(
			'The tool "edit" may not do this in the phase 🔹 A.\nDo only what this phase allows. When it is finished, call workflow_step with action "next".',
		);
		const readonly = { tools: { kind: "blacklist" as const, names: ["edit", "write"], shell: "judged" as const } };
		const looks = begin(drafts({ w: [{ id: "a", ...readonly }, { id: "b", ...readonly }, "c"] }), "w");
		expect(blockAdvice(looks)).toBe(
			'Do only what this phase allows. A copy in a temporary folder outside the project may be changed. Even the user\'s permission does not lift this limit; the phase C may change files. When it is finished, call workflow_step with action "next".',
		);
		expect(blockAdvice(later(plain, 1).run)).toContain("You cannot end this phase");
	});
});

describe("positions", () => {
	const nested = drafts({
		r: { name: "Release Pipeline", entries: ["a", "@c", "z"] },
		c: { name: "Code Review", entries: [{ id: "s", name: "Static Analysis", emoji: "🔍" }, "@d"] },
		d: { name: "Deep", entries: ["d1"] },
	});

	it("appear in the status line with one, two and three levels", () => {
		const cicd = drafts({
			w: { name: "CI/CD Pipeline", entries: [{ id: "p", name: "Planning", emoji: "📋" }, "b", "c"] },
		});
		expect(statusLine(begin(cicd, "w"), false)).toBe("CI/CD Pipeline > 📋 Planning [1/3]");
		const run = begin(nested, "r");
		expect(statusLine(later(run, 1).run, false)).toBe(
			"Release Pipeline > Code Review [2/3] > 🔍 Static Analysis [1/2]",
		);
		expect(statusLine(later(run, 2).run, false)).toBe(
			"Release Pipeline > Code Review [2/3] > Deep [2/2] > 🔹 D1 [1/1]",
		);
		expect(statusLine(later(run, 4).run, false)).toBeUndefined();
		expect(statusLine(happen(run, { kind: "pause", by: "person" }).run, false)).toMatch(/ \(paused\)$/);
	});

	it("mark the right one of two references to the same workflow in the list", () => {
		const twice = drafts({ p: ["@s", "m", "@s"], s: ["s1", "s2"] });
		const marked = (steps: number) =>
			wholeText(later(begin(twice, "p"), steps).run)
				.split("\n")
				.filter((line) => line.startsWith("▶"));
		expect(marked(0)).toEqual(["▶ 1. 🔹 S1 (Workflow s)"]);
		expect(marked(2)).toEqual(["▶ 3. 🔹 M"]);
		expect(marked(3)).toEqual(["▶ 4. 🔹 S1 (Workflow s)"]);
	});

	it("have the right previous and next phase across workflows", () => {
		const run = begin(nested, "r");
		const around = (steps: number) => {
			const at = later(run, steps).run;
			return [variablesOf(at).get("previousPhaseName"), nextName(at), variablesOf(at).get("breadcrumbPath")];
		};
		expect(around(0)).toEqual(["(start)", "Static Analysis", "Release Pipeline"]);
		expect(around(1)).toEqual(["A", "D1", "Release Pipeline > Code Review"]);
		expect(around(2)).toEqual(["Static Analysis", "Z", "Release Pipeline > Code Review > Deep"]);
		expect(around(3)).toEqual(["D1", "DONE", "Release Pipeline"]);
		expect(wholeText(run)).not.toContain(run.id);
	});

	it("make a short list of very many phases quickly", async () => {
		const doubling = Object.fromEntries(
			Array.from({ length: 24 }, (_, level) => [
				`k${level}`,
				level === 23 ? ["end"] : [`@k${level + 1}`, `@k${level + 1}`],
			]),
		);
		let lines: string[] = [];
		const ms = await cpuMs(() => {
			lines = wholeText(begin(drafts(doubling), "k0")).split("\n");
		});
		expect(ms).toBeLessThan(within(1_000));
		expect(lines.length).toBeLessThan(60);
		expect(lines.join("\n")).toContain("… and many more");
		const flat = drafts({ w: Array.from({ length: 100 }, (_, index) => `x${index}`) });
		const far = wholeText(later(begin(flat, "w"), 70).run);
		expect(far).toContain("▶ 71. 🔹 X70");
		expect(far.split("\n").filter((line) => /^[▶ ] \d+\. /.test(line)).length).toBeLessThanOrEqual(40);
	});
});

describe("answers of the tool", () => {
	const definitions = drafts({
		p: ["a", "@s", "@t", "z"],
		s: { name: "Inner", entries: ["s1", "@u"] },
		u: { name: "Innermost", entries: ["u1"] },
		t: { name: "Other", entries: ["@v"] },
		v: { name: "Deep", entries: ["v1"] },
	});
	const line = (steps: number, way: ExitKind = "next") => {
		const { run, from } = later(begin(definitions, "p"), steps, way === "loop" ? "loop" : "next");
		return firstLine(movedText(run, from, { way }));
	};

	it("name the phase that was left and every level that was entered", () => {
		expect(line(1)).toBe("✓ Entered Inner: A → 🔹 S1");
		expect(line(2)).toBe("✓ Entered Innermost: S1 → 🔹 U1");
		expect(line(3)).toBe("✓ Left Inner > Innermost, entered Other > Deep: U1 → 🔹 V1");
		expect(line(4)).toBe("✓ Left Other > Deep, back in Workflow p: V1 → 🔹 Z");
		const flat = later(begin(drafts({ w: ["a", "b"] }), "w"), 1);
		expect(movedText(flat.run, flat.from, { way: "next" }).split("\n").slice(0, 2)).toEqual([
			"✓ Advanced: A → 🔹 B",
			"Previous: A · Current: B · Next: DONE",
		]);
		expect(line(1, "loop")).toBe('✓ Started "Workflow p" again: A → 🔹 A');
	});

	it("a later phase's message has only new text", () => {
		const { run } = later(begin(drafts({ w: ["a", "b"] }), "w"), 1);
		expect(wholeText(run)).toContain("Task: the task");
		expect(laterText(run)).not.toContain("Task: the task");
		expect(laterText(run)).not.toContain("phase by phase");
		expect(laterText(run)).toMatch(/^\[Workflow path: Workflow w ▸ 🔹 B\]/);
	});

	it("the first phase after a restart says which round it is and why", () => {
		const { run, from } = later(begin(drafts({ w: ["a", "b"] }), "w"), 2, "loop");
		const text = movedText(run, from, { way: "loop", summary: "two links are dead" });
		expect(text).toContain('This is round 3 of "Workflow w". You began it because: two links are dead\n');
		const next = later(run, 1);
		expect(movedText(next.run, next.from, { way: "next", summary: "mended" })).toContain(
			'This is round 3 of "Workflow w".\n\n',
		);
		expect(laterText(later(begin(drafts({ w: ["a", "b"] }), "w"), 1).run)).not.toContain("round");
	});

	it("the end asks for the result once and repeats what was reported", () => {
		const run = begin(drafts({ w: ["a"] }), "w");
		const text = doneText(run, [{ phase: "A", way: "next", summary: "two links mended" }]);
		expect(text).toContain("Now tell the user the result, once and briefly");
		expect(text).toContain("What you reported so far:\n* A: two links mended");
	});

	it("the first text says what the message before it is, and gives the task only if that lacks it", () => {
		const start = (initialMessage: string) =>
			phaseFrame({
				run: begin(drafts({ w: { entries: ["a"], initialMessage } }), "w", "a task"),
				known: "start",
				visits: [],
			});
		expect(start("Begin {task}.")).toContain(
			"The message above starts the workflow \"Workflow w\": the task in it is the user's, the words around it are the workflow's.",
		);
		expect(start("Begin {task}.")).not.toContain("Task:");
		expect(start("Begin.")).toContain("Task: a task\nThe message above is the beginning of the workflow's text.");
	});

	it("a role that names the phase is sent in every phase; another one once", () => {
		const role = (roleInstruction: string) =>
			laterText(later(begin(drafts({ w: { entries: ["a", "b"], roleInstruction } }), "w"), 1).run);
		expect(role("You are the {phaseName} agent.")).toContain("You are the B agent.");
		expect(role("You are the one agent.")).not.toContain("one agent");
		expect(wholeText(begin(drafts({ w: { entries: ["a"], roleInstruction: "" } }), "w"))).not.toContain(
			"phase by phase",
		);
	});

	it("built-in texts request no tool and forbid none, which is left to a phase's limits", () => {
		const text = wholeText(begin(drafts({ w: ["a"] }), "w"));
		expect(text).not.toMatch(/\bedit\b|\bwrite\b|delegate|subagent/);
	});

	it("profiles are listed if there are any and not mentioned otherwise", () => {
		expect(wholeText(begin(drafts({ w: ["a"] }), "w"))).not.toContain("rofiles");
		const text = wholeText(
			begin(
				drafts({
					w: [
						{ id: "a", profiles: ["x"] },
						{ id: "b", profiles: ["x", "y"] },
					],
				}),
				"w",
			),
		);
		expect(text).toContain("Profiles for this phase: x\n");
		expect(text).toContain("Profiles that this workflow uses: x, y");
	});
});

describe("the name of the session", () => {
	const name = (task: string, more: object = {}) => {
		const [definition] = [...drafts({ w: { entries: ["a"], ...more } }).values()];
		if (!definition) throw new Error("no draft");
		return sessionName(definition, task);
	};

	it("is the prefix and the task, cut only if too long", () => {
		expect(name("a".repeat(50))).toBe(`Workflow: ${"a".repeat(50)}`);
		expect(name("a".repeat(51))).toBe(`Workflow: ${"a".repeat(50)}…`);
		expect(name("short", { sessionNamePrefix: "🐛 " })).toBe("🐛 short");
		expect(name("short", { sessionNamePrefix: "" })).toBe("short");
		expect(name("abcdef", { sessionNameMaxLength: 3 })).toBe("Workflow: abc…");
	});

	it("is one line, without split characters", () => {
		expect(name("one\n\n  two\tthree")).toBe("Workflow: one two three");
		expect(name("🎉🎉🎉", { sessionNameMaxLength: 2 })).toBe("Workflow: 🎉🎉…");
	});
});

describe("the phase before one with a fresh context", () => {
	const fresh = (advance: "agent" | "person") =>
		begin(
			drafts({
				w: [
					{ id: "a", advance },
					{ id: "b", context: "fresh" },
				],
			}),
			"w",
		);
	const told = /gets only your summaries: .*, in up to (\d+) characters\.$/;

	it("says how long a summary is handed on whole", () => {
		const most = Number(told.exec(wholeText(fresh("agent")))?.[1]);
		const { run } = later(fresh("agent"), 1);
		const shown = (length: number) => {
			const summary = "x".repeat(length);
			return phaseFrame({ run, known: "nothing", visits: [{ phase: "A", way: "next", summary }] }).includes(summary);
		};
		expect([shown(most), shown(most + 1)]).toEqual([true, false]);
		expect(wholeText(run)).not.toMatch(told);
	});

	it("asks for no summary where the user ends the phase", () => {
		expect(wholeText(fresh("person"))).not.toMatch(told);
	});
});
