// The readonly posture as a policy: what only reads passes, what changes something does not, whichever tool or spelling it comes in.
// R1 what cannot be known is refused, unless a sandbox keeps the command from changing files; R2 temporary folders stay writable;
// R3 the sandbox is a second wall: what is known to change something is refused with it as well.
import { changes, type Footprint, type Unknown } from "../../footprint/index.ts";
import { type Policy, redactText, type ToolCall, type Verdict } from "../policy/index.ts";
import { isTemporary, type TemporaryPlaces } from "../temporary-places.ts";

export interface ReadonlyOptions {
	readonly places: TemporaryPlaces;
	/** The command rewritten to run in the sandbox; `undefined` where there is none. Called once per shell call. */
	readonly confine: (command: string) => Promise<string | undefined>;
}

const shells = new Set(["bash", "powershell"]);
const advice = "This session is readonly. Say what should be changed; the person can lift it with `/readonly off`.";

/** Builds the policy. */
export function readonlyPolicy({ places, confine }: ReadonlyOptions): Policy {
	const confined = async ({ tool, input }: ToolCall) =>
		tool === "bash" && typeof input.command === "string" ? confine(input.command) : undefined;
	return {
		name: "readonly",
		async judge(call, footprint) {
			if (call.own) return undefined;
			const known = judgeKnown(footprint(), places);
			if (known) return known;
			const unknown = judgeUnknown(call, footprint());
			return unknown && (await confined(call)) === undefined ? unknown : undefined;
		},
		async amend(call) {
			const command = await confined(call);
			return command === undefined ? undefined : { command };
		},
	};
}

/** What is known to change something. */
function judgeKnown({ accesses, runs }: Footprint, places: TemporaryPlaces): Verdict | undefined {
	for (const touch of accesses) {
		if (touch.kind === "read" || touch.kind === "list" || isTemporary(touch, places)) continue;
		const what = { write: "writes", delete: "removes", link: "makes another name for" }[touch.kind];
		return refuse(touch.kind, `${shown(touch.by)} ${what} ${touch.path}.`);
	}
	for (const run of runs) {
		const [change] = run.changes;
		if (change) return refuse(`changes-${change}`, `${shown(run.text)} changes ${changes[change]}.`);
		const [harm] = run.effects.filter((effect) => runsAnything.has(effect));
		if (harm === "nested-agent")
			return refuse(harm, `${shown(run.text)} starts another agent, which this posture would not bind.`);
		if (harm) return refuse(harm, `${shown(run.text)} runs something that cannot be known beforehand.`);
	}
	return undefined;
}

const runsAnything: ReadonlySet<string> = new Set([
	"run-unknown-text",
	"run-download",
	"nested-agent",
	"fork-bomb",
	"power-off",
]);

/** What might change something, as far as can be told. */
function judgeUnknown(call: ToolCall, { unknowns }: Footprint): Verdict | undefined {
	const [worst] = unknowns.filter(({ may }) => may.some((access) => access !== "read" && access !== "list"));
	if (!worst) return undefined;
	const hint = shells.has(call.tool) ? "Write it out plainly, or use a command that is known to read only." : "";
	return {
		...refuse(`unknown-${worst.what}`, `${shown(worst.text)}: ${doubts[worst.what]}, and it may change something.`),
		advice: `${hint} ${advice}`.trim(),
	};
}

const doubts: Record<Unknown["what"], string> = {
	command: "it cannot be told which program this runs",
	program: "it is not known what this program does",
	operand: "it cannot be told which place this means",
	script: "it cannot be told what this program text does",
	project: "it cannot be told what this task of the project does",
	tool: "it cannot be told what this tool does",
	syntax: "this cannot be read as a command",
};

function refuse(rule: string, reason: string): Verdict {
	return { decision: "deny", policy: "readonly", rule, reason, advice };
}

function shown(text: string): string {
	return `\`${redactText(text, 120).replaceAll("`", "'")}\``;
}
