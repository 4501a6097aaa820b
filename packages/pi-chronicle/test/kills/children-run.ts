// Runs of child runs that show the effect of kills: each child changes its own lines of one file, so that a lost child, or one that was
// merged twice, is seen in it. The model is a pure function of the conversation, see `sample-run.ts`.
import type { ModelRequest } from "../harness/model-request.ts";
import type { Reply } from "../harness/reply.ts";
import { answerBySteps, type Step, stateOf } from "./sample-run.ts";

const parts = [1, 2, 3];
const limits = { retries: 50, attempts: 200, no_progress: 200 };
const filler = Array.from({ length: 12 }, (_, n) => `line ${n}`).join("\n");

/** The file that all children change, with `built` parts. */
export function listWith(built: readonly number[]): string {
	return parts.map((part) => `part ${part}${built.includes(part) ? ": built" : ""}\n${filler}\n`).join("");
}

const part = { states: { building: { persona: "Builder", next: ["done"] } }, limits };
const checking = { checking: { persona: "Checker", next: ["done"] }, done: { next: [] } };
const branch = (task: string) => ({ run: "part", task });

/** Templates by name; `part` is what their children run. */
export const shapes = {
	"one child per task, two at a time": {
		planning: { persona: "Planner", next: ["work"] },
		work: { run: "part", for_each: "pendingTasks", task: "{item}", max_parallel: 2, next: ["checking"] },
		...checking,
	},
	"children of a child": {
		work: {
			branches: {
				both: {
					run: {
						states: { inner: { branches: { a: branch("Part 1"), b: branch("Part 2") }, next: ["done"] } },
						limits,
					},
				},
				third: branch("Part 3"),
			},
			next: ["checking"],
		},
		...checking,
	},
	"a conflict that a worker resolves": {
		work: {
			branches: { one: branch("Clash 1"), two: branch("Clash 2") },
			merge_by: "Merger",
			next: ["checking"],
		},
		...checking,
	},
	"one of three that a judge takes": {
		work: {
			branches: { a: branch("Part 1"), b: branch("Part 2"), c: branch("Part 3") },
			take: "one",
			next: ["choosing"],
		},
		choosing: { persona: "Judge", next: ["checking"] },
		...checking,
	},
	"the first that is done": {
		work: {
			branches: { a: branch("Part 1"), b: branch("Part 2"), c: branch("Part 3") },
			join: "any",
			next: ["checking"],
		},
		...checking,
	},
	"a command that counts": {
		work: { branches: { a: branch("Part 1"), b: branch("Part 2"), c: branch("Part 3") }, next: ["counting"] },
		counting: {
			command: "test $(grep -c built list.txt) = 3",
			repeatable: true,
			next: { 0: "checking", else: "failed" },
		},
		...checking,
		failed: { next: [] },
	},
	"a run apart": {
		work: { branches: { a: branch("Part 1"), b: branch("Part 2"), c: branch("Part 3") }, next: ["checking"] },
		...checking,
	},
	"two that need the first": {
		work: {
			branches: {
				a: branch("Part 1"),
				b: { ...branch("Part 2"), needs: ["a"] },
				c: { ...branch("Part 3"), needs: ["a"] },
			},
			next: ["checking"],
		},
		...checking,
	},
} as const;

export type Shape = keyof typeof shapes;

/** The options with which a run of a shape is started. */
export const optionsOf: Partial<Record<Shape, readonly string[]>> = {
	"a command that counts": ["--approve-cleanup"],
	"a run apart": ["--apart"],
};

/** Files of the project in which the template `tree` has this shape. */
export function filesOf(shape: Shape): Record<string, unknown> {
	return {
		".pi/chronicle/workflows/tree.json": { requires: ">=0.2", states: shapes[shape], limits },
		".pi/chronicle/workflows/part.json": part,
		"list.txt": listWith([]),
		"same.txt": "nobody\n",
		"mine.txt": "at first\n",
	};
}

const bash = (command: string): Step => ["bash", { command }];
const move = (target: string, summary: string, data?: object): Step => [
	"workflow_transition",
	{ target_state: target, summary, ...(data ? { data } : {}) },
];

function stepsOf(request: ModelRequest): readonly Step[] {
	const [, task = "", number = ""] = /^## (?:The|Your) task.*\n\n(Part|Clash) (\d)/m.exec(request.users[0] ?? "") ?? [];
	switch (stateOf(request)) {
		case "planning": {
			const pending_tasks = parts.map((n) => ({ key: `part ${n}`, text: `Part ${n}` }));
			return [["workflow_update_snapshot", { data: { pending_tasks } }], move("work", "Planned.")];
		}
		case "building": {
			const change = task === "Part" ? `s/^part ${number}$/part ${number}: built/` : `s/^nobody$/child ${number}/`;
			const file = task === "Part" ? "list.txt" : "same.txt";
			return [
				bash("sleep 0.2; echo looked"),
				bash(`sed -i '${change}' ${file}; nohup sleep 300 > /dev/null 2>&1 & echo changed`),
				move("done", `${task} ${number} is built.`),
			];
		}
		case "choosing":
			return [bash("echo compared"), move("checking", "The second is best.", { winner: "b" })];
		case "merge":
			return [bash("echo 'child 1 and 2' > same.txt; echo merged"), move("done", "Merged.")];
		default:
			return [move("done", "Checked.")];
	}
}

/** The model's answer to a request. */
export function answer(request: ModelRequest): Reply {
	return answerBySteps(request, stepsOf(request));
}
