// Waits for the first report of a worker's process.
import { errorMessage, quoted } from "@pi-chronicle/core/definition";
import type { LaunchFault } from "@pi-chronicle/core/ports";
import { hostNotice, linkRpc, type RpcLink, type RpcListener, setTime } from "../../pi/index.ts";
import { type Child, unlessAborted, within } from "../../process/index.ts";
import { redactText } from "../../safety/index.ts";
import { ASK_TOOL, type Hello, OWN_TOOLS, readHello } from "./extension/index.ts";

export type Greeting =
	| {
			readonly kind: "hello";
			readonly hello: Hello;
			readonly link: RpcLink;
			readonly adopted: Promise<void>;
			handOver(listener: RpcListener): void;
	  }
	/** Its rules could not be enforced. */
	| { readonly kind: "unable"; readonly detail: string }
	/** `spawn`: it never ran, or was killed from outside, so a retry may succeed. */
	| { readonly kind: "none"; readonly reason: "spawn" | "handshake"; readonly detail: string };

/**
 * Waits for the worker's ready report, at most `ms` and until `signal` aborts. Records that arrive before `handOver` are kept for the new listener.
 */
export async function awaitHello(child: Child, ms: number, signal: AbortSignal): Promise<Greeting> {
	let owner: RpcListener | undefined;
	const early: ((listener: RpcListener) => void)[] = [];
	const { promise: greeted, resolve: greet } = Promise.withResolvers<
		{ readonly hello: Hello } | { readonly unable: string }
	>();
	const { promise: adopted, resolve: confirm } = Promise.withResolvers<void>();
	const pass = (deliver: (listener: RpcListener) => void): void => {
		if (owner) deliver(owner);
		else early.push(deliver);
	};
	let complaint = "";
	const link = linkRpc(child, {
		activity: () => owner?.activity(),
		event(record) {
			const notice = hostNotice(record);
			const hello = notice?.topic === "hello" ? readHello(notice.payload) : undefined;
			if (hello) greet({ hello });
			else if (notice?.topic === "unable") greet({ unable: String(notice.payload) });
			else if (notice?.topic === "adopted") confirm();
			else {
				if (record.type === "extension_error") complaint = ` ${String(record.error)}`;
				pass((listener) => listener.event(record));
			}
		},
		dialog: (dialog) => pass((listener) => listener.dialog(dialog)),
		oversized: (head, bytes) => pass((listener) => listener.oversized(head, bytes)),
	});
	const first = await unlessAborted(within(ms, Promise.race([greeted, child.exited])), signal);
	if (first === undefined) {
		return {
			kind: "none",
			reason: "handshake",
			detail: `The worker sent no ready report within ${setTime(ms)}.${complaint}`,
		};
	}
	if ("kind" in first) {
		const how =
			first.kind === "exited"
				? `exit code ${first.code}`
				: first.kind === "killed"
					? `signal ${first.signal}`
					: errorMessage(first.error);
		const reason = first.kind === "exited" ? "handshake" : "spawn";
		return { kind: "none", reason, detail: `The worker ended before its ready report (${how}).${complaint}` };
	}
	if ("unable" in first) return { kind: "unable", detail: first.unable };
	return {
		kind: "hello",
		hello: first.hello,
		link,
		adopted,
		handOver(listener) {
			owner = listener;
			for (const deliver of early.splice(0)) deliver(listener);
		},
	};
}

/** Why a launch failed without a ready report. `said`: the stderr of the process. */
export function faultOf(greeting: Exclude<Greeting, { kind: "hello" }>, stderr: string): LaunchFault {
	if (greeting.kind === "unable")
		return {
			reason: "rules",
			detail: `The worker could not enforce its rules: ${redactText(greeting.detail, 300)}`,
		};
	const unloaded = greeting.reason === "handshake" ? unloadedExtension(stderr) : undefined;
	if (unloaded !== undefined) return { reason: greeting.reason, detail: redactText(unloaded, 600) };
	const tail = redactText(stderr.trim().slice(-1200), 600);
	return { reason: greeting.reason, detail: `${greeting.detail}${tail === "" ? "" : ` Its output: ${tail}`}` };
}

/** The extension that kept pi from starting, from pi's message; `undefined` if none did. */
function unloadedExtension(stderr: string): string | undefined {
	const [, path = "", error = ""] = /Failed to load extension "([^"\n]+)": ([^\n]*)/.exec(stderr) ?? [];
	if (path === "") return undefined;
	const [, tool, other] = /^Tool "(.+)" conflicts with (.+)$/.exec(error) ?? [];
	if (tool === undefined || other === undefined)
		return `The extension ${path} does not load: ${error.replace(/^Failed to load extension: /, "")}`;
	if (OWN_TOOLS.includes(tool))
		return `The extension ${path} has a tool ${quoted(tool)}, but every worker has a tool of that name. pi allows only one: remove the extension from the state, ${tool === ASK_TOOL ? "set the state's `questions` to `none`, " : ""}or rename its tool.`;
	return `Two extensions have a tool ${quoted(tool)}: ${other} and ${path}. pi allows only one: remove one from the state's \`extensions\`.`;
}
