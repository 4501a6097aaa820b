// Checks that the extensions of states load and register the tools that the states list: loads each set once, into a worker without a session and
// without a message. Nothing is left running; extensions only run their startup code.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quoted } from "@pi-chronicle/core/definition";
import type { StateProblem } from "@pi-chronicle/core/ports";
import type { StatePlan } from "@pi-chronicle/core/template";
import { startChild } from "../../process/index.ts";
import { type FrozenRules, writeBrief } from "./brief.ts";
import { extensionArguments, workerEnvironment } from "./command-line.ts";
import { awaitHello, faultOf } from "./greeting.ts";
import { bringTool, lacking, leftOut } from "./handshake.ts";
import { defaultHelloMs, type StartOptions, stopMs } from "./start-process.ts";
import { chooseTools } from "./tool-order.ts";
import type { WorkerSpec } from "./worker-spec.ts";

export interface ExtensionCheck extends Pick<StartOptions, "pi" | "workerEntry" | "trust" | "env" | "helloMs"> {
	readonly resources: { readonly cwd: string };
	readonly rules: FrozenRules;
}

/** Tools that a set of extensions registers, or why it does not load. */
type ExtensionsLoaded = { readonly registered: readonly string[] } | { readonly detail: string };

/** Loads every set of extensions once and compares it with the tools of its states. States without extensions cost nothing. */
export async function checkExtensions(
	specs: readonly { readonly state: StatePlan; readonly spec: WorkerSpec | undefined }[],
	check: ExtensionCheck,
	signal: AbortSignal = new AbortController().signal,
): Promise<readonly StateProblem[]> {
	const sets = new Map<string, ExtensionsLoaded>();
	const problems: StateProblem[] = [];
	for (const { state, spec } of specs) {
		if (!spec?.order || signal.aborted) continue;
		const key = JSON.stringify(spec.extensions);
		const loaded = sets.get(key) ?? (await loadExtensions(spec.extensions, check, signal));
		sets.set(key, loaded);
		problems.push(...extensionProblems(state.name, spec, loaded));
	}
	return problems;
}

function extensionProblems(state: string, spec: WorkerSpec, loaded: ExtensionsLoaded): StateProblem[] {
	const { order } = spec;
	if (!order) return [];
	if ("detail" in loaded)
		return [
			{
				state,
				severity: "error",
				fields: ["extensions"],
				message: loaded.detail,
				remedy: "Correct the `extensions` of the state.",
			},
		];
	const { missing } = chooseTools(order, loaded.registered);
	const lost = lacking("Its extensions do", missing, [...loaded.registered, ...spec.tools]);
	return [
		...(missing.length === 0
			? []
			: [{ state, severity: "error" as const, fields: ["tools"], message: lost, remedy: bringTool }]),
		...leftOut(state, order, loaded.registered).map((message) => ({
			state,
			severity: "warning" as const,
			fields: ["extensions"],
			message,
			remedy: `Name what the state needs in its ${quoted("tools")}.`,
		})),
	];
}

async function loadExtensions(
	extensions: readonly string[],
	check: ExtensionCheck,
	signal: AbortSignal,
): Promise<ExtensionsLoaded> {
	const folder = mkdtempSync(join(tmpdir(), "pi-chronicle-check-"));
	const brief = join(folder, "brief.json");
	const run = `check-${process.pid}`;
	writeBrief(brief, {
		version: 2,
		run,
		state: "check",
		launch: { visit: 1, attempt: 1, launch: 1 },
		targets: [],
		tools: {
			tools: [],
			requested: [],
			extensionTools: "all",
			hoped: [],
			restrictions: { denied: [], only: undefined },
		},
		rules: check.rules,
		sandbox: "off",
	});
	// Not in a rehearsal, where it would appear in the report.
	const { PI_CHRONICLE_REHEARSAL: _, ...env } = check.env ?? process.env;
	const child = startChild({
		command: check.pi.command,
		args: [
			...extensionArguments(check.pi, [check.workerEntry, ...extensions], check.trust),
			...["--no-session", "--tools", "*"],
		],
		cwd: check.resources.cwd,
		env: workerEnvironment(env, run, brief),
	});
	try {
		const greeting = await awaitHello(child, check.helloMs ?? defaultHelloMs, signal);
		if (greeting.kind === "hello") return { registered: greeting.hello.registered };
		await child.stop(stopMs);
		return { detail: faultOf(greeting, child.stderr()).detail };
	} finally {
		await child.stop(stopMs);
		rmSync(folder, { recursive: true, force: true });
	}
}
