// The common setup of a test: a model server and a project that uses it, in one call.
import { type ModelServer, openModelServer, type Script } from "./model-server.ts";
import { type Printed, type PrintOptions, runPrint } from "./print.ts";
import { openProject, type Project, type ProjectOptions } from "./project.ts";
import { type Rpc, type RpcOptions, startRpc } from "./rpc.ts";
import { startTui, type Tui, type TuiOptions } from "./tui.ts";

export interface BenchOptions extends Omit<ProjectOptions, "server"> {
	/** What the model answers; see `Script`. */
	script?: Script;
}

/** A project, its model, and the ways to start pi in it. */
export interface Bench {
	project: Project;
	server: ModelServer;
	rpc(options?: RpcOptions): Promise<Rpc>;
	print(prompts: string | string[], options?: PrintOptions): Promise<Printed>;
	tui(options?: TuiOptions): Promise<Tui>;
}

/** Opens a trusted project (unless `trusted` says otherwise) whose model follows `script`. */
export async function openBench({ script = [], ...options }: BenchOptions = {}): Promise<Bench> {
	const server = await openModelServer(script);
	const project = openProject({ trusted: true, ...options, server });
	return {
		project,
		server,
		rpc: (rest) => startRpc(project, rest),
		print: (prompts, rest) => runPrint(project, [prompts].flat(), rest),
		tui: (rest) => startTui(project, rest),
	};
}
