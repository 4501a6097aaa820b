// Scripts of the model for the projects of documents, by the name in a block's `script=`.
import { call, type Script } from "../harness/index.ts";

export const scripts: Readonly<Record<string, Script>> = {
	ok: () => "ok",
	/** A worker that ends its state at once. */
	nightly: ({ tools }) =>
		tools.includes("workflow_transition")
			? call("workflow_transition", { target_state: "done", summary: "Three entries." })
			: "ok",
	/** The two states of the run that is killed; each writes its file. */
	killed: ({ system, users, results }) => {
		const first = [system, ...users].join("\n").includes('the state "first"');
		const [path, target_state] = first ? ["half.txt", "second"] : ["whole.txt", "done"];
		const replies = [
			call("write", { path, content: "one\n" }),
			call("workflow_transition", { target_state, summary: "Written." }),
		];
		return replies[results.length] ?? "ok";
	},
	plan: () => `Two parts, and the second needs no context of the first.

\`\`\`yaml file=.pi/chronicle/workflows/one-month.yaml
name: One month
limits: { cost_usd: 2, minutes: 60 }
states:
  plan:
    persona: software architect
    tools: [read, grep, find, ls]
    instructions: Save a pending task for each change. Change nothing.
    next: [build]
    requires_approval: true
  build:
    persona: senior engineer
    instructions: Do the pending tasks, tests first. Finish when the tests pass.
    next: [done]
\`\`\`
`,
};
