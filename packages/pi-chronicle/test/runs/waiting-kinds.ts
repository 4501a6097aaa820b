// The ways in which a run waits for the user, with templates and a model that lead to them.
import type { Script } from "../harness/index.ts";
import { call, fail, hang, type Reply } from "../harness/reply.ts";
import { move } from "./bench.ts";

/** A way in which a run waits: its state, what its worker does first, and the verbs that answer it. Asked again, the worker moves to the end. */
export interface Kind {
	readonly state?: object;
	readonly first: Reply | string;
	readonly answers: readonly string[];
	/** Whether the worker does the same whenever it is asked. */
	readonly always?: true;
	/** What waits is a run without a process: its process has released it, with `--no-wait`, or was killed. A child is never left like that. */
	readonly leaves?: "released" | "killed";
}

export const end = move("done", "It is there.");
/** A shell would take it apart. */
export const oddName = "it's a ${state} näme";
export const kinds: Readonly<Record<string, Kind>> = {
	approval: { state: { requires_approval: true }, first: end, answers: ["approve", "reject"] },
	entry: { state: { requires_approval: "entry" }, first: end, answers: ["approve", "reject"] },
	question: { first: call("ask_user", { question: "Which port?" }), answers: ["answer", "tell"] },
	choices: { first: call("ask_user", { question: "Which?", choices: ["80", "81"] }), answers: ["answer"] },
	stuck: { first: move("human_intervention", "Which port?"), answers: ["release"] },
	lost: {
		// Its command is no child of the sandbox.
		state: { sandbox: "off" },
		first: call("bash", { command: "kill -9 $PPID" }),
		answers: ["resume", "tell"],
		always: true,
	},
	refused: { state: { limits: { retries: 0 } }, first: fail(400, "no such model"), answers: ["resume"], always: true },
	silent: { state: { limits: { nudges: 0 } }, first: "I have nothing to say.", answers: ["resume"], always: true },
	failed: { state: { next: ["done", "failed"] }, first: move("failed", "There is no disk."), answers: ["reopen"] },
	/** A limit is reached. */
	[oddName]: { state: { limits: { tokens: 50 } }, first: call("read", { path: "a.txt" }), answers: ["resume"] },
	provider: { first: fail(503, "busy"), answers: ["resume"], always: true, leaves: "released" },
	killed: { first: hang(), answers: ["resume"], leaves: "killed" },
};

/** The kinds that are also kinds of waiting children. */
export const childKinds = Object.fromEntries(Object.entries(kinds).filter(([, { leaves }]) => leaves === undefined));

/** A run of the kind, in a state of its name. */
export const template = (name: string) => ({
	states: { [name]: { persona: "Builder", next: ["done"], ...kinds[name]?.state }, done: {}, failed: {} },
});

/** The first request of each state gets the first reply of its kind. */
export function modelOfKinds(): Script {
	const asked = new Set<string>();
	return ({ users, results }) => {
		const name = Object.keys(kinds).find((one) => users[0]?.includes(`the state "${one}"`));
		if (name === undefined || (kinds[name]?.always !== true && (asked.has(name) || results.length > 0))) return end;
		asked.add(name);
		return kinds[name]?.first ?? end;
	};
}
