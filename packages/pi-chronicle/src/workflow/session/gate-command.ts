// The gate of a phase: a command that must succeed before the model can finish the phase.
// It runs only after the model has asked for a step that would be made; the guard judges it like a call of the model, and contains it alike;
// the tool limits of the phase are the model's, not the gate's; its output is bounded and redacted. In a project that pi does not trust, the user
// is asked about a gate that none of their own workflows has: a session may come from anywhere.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { errorMessage } from "@pi-chronicle/core/definition";
import { TESTS } from "@pi-chronicle/core/template";
import { withTestCommand } from "../../disk/index.ts";
import { askUser, setTime } from "../../pi/index.ts";
import { ByteTail, childTagPrefix, RUN_TAG, runShellCommand, stopOrphans } from "../../process/index.ts";
import { measure, type Policies, redactSecrets, type SessionBox } from "../../safety/index.ts";
import { gateTimeoutMs, type PhaseGate } from "../definitions/index.ts";
import type { GateEnd } from "../prompts/index.ts";
import { type Library, projectContext } from "./library.ts";

/** Bytes of its output that the model gets. */
const shownBytes = 4096;
const name = "gate";

interface GateSession {
	readonly policies: Policies;
	readonly box: SessionBox;
	readonly library: Library;
	/** The question to the user. */
	readonly title?: string;
}

/** Runs a gate in the folder of `ctx`. `signal` ends it. */
export async function runGate(
	gate: Pick<PhaseGate, "command"> & Partial<PhaseGate>,
	{ policies, box, library, title = "Run the gate of this phase?" }: GateSession,
	ctx: ExtensionContext,
	signal: AbortSignal | undefined,
): Promise<GateEnd> {
	// A rehearsal runs no commands of its own.
	const { timeoutMs = gateTimeoutMs } = gate;
	const command = withTestCommand(gate.command, ctx.cwd);
	if (process.env.PI_CHRONICLE_REHEARSAL) return { kind: "passed", command, output: "" };
	const call = { id: name, tool: "bash", input: { command }, siblings: [] };
	const footprint = () => measure(call, ctx.cwd);
	const { verdicts } = await policies.judge(call, footprint);
	const objections = verdicts.filter(({ policy }) => policy !== "phase");
	const denied = objections.find(({ decision }) => decision === "deny");
	const reason = explainDistrust(gate, library, ctx) ?? objections[0]?.reason;
	if (denied) return { kind: "failed", command, how: `was refused: ${denied.reason}`, output: "" };
	if (reason !== undefined) {
		const message = `${reason}\n\n${command}`;
		const answer = await askUser(ctx, { title, message, signal, uncalled: true });
		if (answer !== "yes") return { kind: "failed", command, how: `was refused: ${reason}`, output: "" };
	}
	const need = await policies.confine(call, footprint);
	const confined = need && (await (await box.of(ctx))?.confine(command, need));
	const tail = new ByteTail(shownBytes + 1024);
	const tag = `${childTagPrefix}${name}-${crypto.randomUUID()}`;
	const { exit, late } = await runShellCommand(confined?.command ?? command, {
		...{ cwd: ctx.cwd, env: { ...process.env, [RUN_TAG]: tag }, timeoutMs },
		...(signal ? { signal } : {}),
		onOutput: (chunk) => tail.add(chunk),
	});
	// A server that it left running would hold the port of the next try.
	await stopOrphans(tag);
	const passed = !late && exit.kind === "exited" && exit.code === 0;
	const remark = confined?.ended(!passed);
	const output = [redactSecrets(tail.text()).slice(-shownBytes).trim(), remark].filter(Boolean).join("\n");
	return passed
		? { kind: "passed", command, output }
		: { kind: "failed", command, how: howEnded(exit, late, timeoutMs), output };
}

/** Why the user is asked about a gate that no rule is about; `undefined`: it needs no question. */
function explainDistrust(
	{ command }: Pick<PhaseGate, "command">,
	library: Library,
	ctx: ExtensionContext,
): string | undefined {
	const place = projectContext(ctx);
	if (place.trusted || command === TESTS) return undefined;
	// Without those of the project.
	for (const { entries } of library.load(place).definitions.values())
		if (entries.some((entry) => entry.kind === "phase" && entry.gate?.command === command)) return undefined;
	return "pi does not trust this project, and no workflow of your own has this command.";
}

function howEnded(exit: Awaited<ReturnType<typeof runShellCommand>>["exit"], late: boolean, timeoutMs: number): string {
	if (late) return `took longer than ${setTime(timeoutMs)} and was stopped`;
	if (exit.kind === "unstarted") return `could not be started: ${errorMessage(exit.error)}`;
	return exit.kind === "exited" ? `failed with exit code ${exit.code}` : `was ended by ${exit.signal}`;
}
