// Workflows in real pi: drafts as files on disk, one pi for many cases, a model whose answers each case sets.
import {
	type Bench,
	type BenchOptions,
	call,
	type ModelRequest,
	openBench,
	type Reply,
	type Rpc,
	type RpcOptions,
} from "../harness/index.ts";

/** A phase as a file: `"a"`, or with front matter (`tools`, `autoContinue`, …) and `body`. */
export type PhaseDraft = string | ({ readonly id: string; readonly body?: string } & Record<string, unknown>);

export interface WorkflowDraft extends Record<string, unknown> {
	/** Texts that begin with `@` refer to another workflow. */
	readonly phases: readonly PhaseDraft[];
}

/** The files of workflows, by key: `workflow.yaml` and one file per phase. YAML takes JSON, so that is what is written. */
export function workflowFiles(
	workflows: Record<string, WorkflowDraft | readonly PhaseDraft[]>,
	root = ".pi/workflows",
): Record<string, string> {
	const files: Record<string, string> = {};
	for (const [key, written] of Object.entries(workflows)) {
		const { phases, ...fields } = Array.isArray(written)
			? { phases: written as readonly PhaseDraft[] }
			: (written as WorkflowDraft);
		const entries = phases.map((phase) => {
			if (typeof phase === "string" && phase.startsWith("@")) return { subworkflow: phase.slice(1) };
			const { id, body, ...more } = typeof phase === "string" ? { id: phase, body: undefined } : phase;
			const front = { id, name: id.toUpperCase(), emoji: "🔹", ...more };
			const lines = Object.entries(front).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
			files[`${root}/${key}/${id}.md`] = `---\n${lines.join("\n")}\n---\n\n${body ?? `Do ${id} for {description}.`}\n`;
			return `${id}.md`;
		});
		const yaml = {
			name: `Workflow ${key}`,
			commandName: key,
			initialMessage: `Start ${key}: {description}`,
			...fields,
		};
		files[`${root}/${key}/workflow.yaml`] = JSON.stringify({ ...yaml, phases: entries });
	}
	return files;
}

export interface Stage extends Bench {
	/** What the model answers from now on; after that it says "ok". */
	play(...replies: (Reply | string | ((request: ModelRequest) => Reply | string))[]): void;
	/** Answers that were not asked for. */
	readonly left: number;
}

/** A project with workflows. Without `countdown` the model continues at once. */
export async function openStage(
	workflows: Record<string, WorkflowDraft | readonly PhaseDraft[]>,
	{
		countdown = 0,
		snapshots = false,
		settings,
		files,
		...options
	}: Omit<BenchOptions, "script"> & { countdown?: number; snapshots?: boolean } = {},
): Promise<Stage> {
	let queue: (Reply | string | ((request: ModelRequest) => Reply | string))[] = [];
	const bench = await openBench({
		...options,
		settings: { ...settings, chronicle: { workflow: { countdown, snapshots } } },
		files: { ...workflowFiles(workflows), ...files },
		script: (request) => {
			const reply = queue.shift() ?? "ok";
			return typeof reply === "function" ? reply(request) : reply;
		},
	});
	return {
		...bench,
		get left() {
			return queue.length;
		},
		play: (...replies) => {
			queue = replies;
		},
	};
}

/** One pi for all cases of a file. */
export async function openRpcStage(
	workflows: Record<string, WorkflowDraft | readonly PhaseDraft[]>,
	options: Parameters<typeof openStage>[1] = {},
	rpcOptions: RpcOptions = {},
): Promise<Stage & { pi: Rpc }> {
	const stage = await openStage(workflows, options);
	const pi = await stage.rpc(rpcOptions);
	// The getter has to survive: a spread would freeze its value.
	return Object.defineProperty({ ...stage, pi }, "left", { get: () => stage.left });
}

export const step = (action: "next" | "status" | "cancel" | "loop", summary?: string) =>
	call("workflow_step", { action, ...(summary === undefined ? {} : { summary }) });

export const ask = (question: string) => call("workflow_step", { action: "ask", question });

export const stepCall = (action: string): [string, Record<string, unknown>] => ["workflow_step", { action }];

/** A state as it lies in the session. */
export interface State {
	active: boolean;
	workflowKey: string;
	currentPath: { workflowKey: string; phaseIndex: number; phaseId?: string }[];
	globalStepCount: number;
	taskId: string;
	taskDescription: string;
	cancelled: boolean;
	completionNotified: boolean;
	paused?: { by: string; why?: string };
	left?: { way: string; summary?: string };
	asks?: string;
}

/** `p:1 s:0`. */
export const pathOf = (state: State | undefined) =>
	state?.currentPath.map(({ workflowKey, phaseIndex }) => `${workflowKey}:${phaseIndex}`).join(" ");
