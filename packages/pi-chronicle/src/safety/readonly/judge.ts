// The readonly policy: calls that only read pass; calls that change something are refused, whatever the tool and the spelling.
// Invariants: an unknown effect is refused, unless a sandbox prevents the command from changing files; temporary folders stay writable; a
// call known to change something is refused even in a sandbox.
import { changes, type Footprint, unknownParts } from "@pi-chronicle/footprint";
import { isTemporary, type TemporaryPlaces } from "../places.ts";
import { type Policy, quoteRedacted, shellCommand, type ToolCall, type Verdict } from "../policy/index.ts";
import { findChange, mayChange } from "../project-changes.ts";

export interface ReadonlyOptions {
	readonly places: TemporaryPlaces;
	/** Whether a sandbox can contain shell commands. */
	readonly contains: () => Promise<boolean>;
}

const shells = new Set(["bash", "powershell"]);
const advice =
	"This session is readonly. Tell the user what should be changed; they can turn readonly off with `/readonly off`.";

export function readonlyPolicy({ places, contains }: ReadonlyOptions): Policy {
	const isContained = async (call: ToolCall) => shellCommand(call) !== undefined && (await contains());
	return {
		name: "readonly",
		async judge(call, footprint) {
			if (call.own) return undefined;
			const known = judgeKnown(footprint(), places);
			if (known) return known;
			const unknown = judgeUnknown(call, footprint());
			return unknown && !(await isContained(call)) ? unknown : undefined;
		},
		async confines(call, footprint) {
			if (!(await isContained(call))) return undefined;
			return { scope: "temporary", network: judgeUnknown(call, footprint()) ? "off" : "open" };
		},
	};
}

/** Refuses a call with a known change outside temporary folders. */
function judgeKnown(footprint: Footprint, places: TemporaryPlaces): Verdict | undefined {
	const found = findChange(footprint, {
		accesses: (access) => !isTemporary(access, places),
		runs: (_change, at) => !(at?.every((place) => isTemporary(place, places)) ?? false),
	});
	if (found?.kind === "access") {
		const { kind, by, path } = found.access;
		const what = { write: "writes", delete: "removes", link: "makes another name for", read: "", list: "" }[kind];
		return readonlyVerdict(kind, `${quoteRedacted(by)} ${what} ${path}.`);
	}
	if (found)
		return readonlyVerdict(
			`changes-${found.change}`,
			`${quoteRedacted(found.run.text)} changes ${changes[found.change]}.`,
		);
	for (const { effects, text } of footprint.runs) {
		const [harm] = effects.filter((effect) => runsAnything.has(effect));
		if (harm === "nested-agent")
			return readonlyVerdict(harm, `${quoteRedacted(text)} starts another agent, which would not be readonly.`);
		if (harm) return readonlyVerdict(harm, `${quoteRedacted(text)} runs something that is unknown in advance.`);
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

/** Refuses a call with an unknown effect that might be a change. */
function judgeUnknown(call: ToolCall, { unknowns }: Footprint): Verdict | undefined {
	const [worst] = unknowns.filter(mayChange);
	if (!worst) return undefined;
	const hint = shells.has(call.tool) ? "Write it out plainly, or use a command that only reads." : "";
	return {
		...readonlyVerdict(
			`unknown-${worst.what}`,
			`${quoteRedacted(worst.text)}: ${unknownParts[worst.what]}, and it may change something.`,
		),
		advice: `${hint} ${advice}`.trim(),
	};
}

function readonlyVerdict(rule: string, reason: string): Verdict {
	return { decision: "deny", policy: "readonly", rule, reason, advice };
}
