// A case as a script of the model: its scenario, part by part, as answers of the scripted model in a real run.
import { parse } from "yaml";
import { type Answer, call, calls, type Reply, type Script, say } from "../../harness/index.ts";
import type { ShippedCase } from "./repositories.ts";

type Arguments = Record<string, unknown>;
type Calls = Readonly<Record<string, Arguments>>;

interface Step {
	readonly say?: string;
	readonly call?: Calls | readonly Calls[];
	readonly remember?: Arguments;
	readonly next?: string;
	readonly loop?: string;
	readonly go?: { readonly to: string; readonly summary: string; readonly data?: Arguments };
}

/** Holds the moves at the end of these parts. */
export interface HeldMoves {
	readonly parts: readonly string[];
	/** Called when the model is asked for such a move. */
	readonly reached: (part: string) => void;
	/** The moves are made when it resolves. */
	readonly until: Promise<unknown>;
}

/** The script of a case: one for each worker of a chronicle, one for the session of a workflow. */
export function scriptOf({ kind, scenario }: ShippedCase, held: HeldMoves): Script {
	const parsed = parse(scenario) as { states?: Record<string, Step[]>; phases?: Record<string, Step[]> };
	const parts = parsed.states ?? parsed.phases ?? {};
	const repliesOf = (part: string, steps: readonly Step[]) => steps.flatMap((step) => replies(step, part, held));
	if (kind === "workflow") return [...order(parts).flatMap(([part, steps]) => repliesOf(part, steps)), say("Done.")];
	const script: Record<string, Answer[]> = {};
	for (const [visit, steps] of Object.entries(parts)) {
		const state = visit.replace(/#\d+$/, "");
		// A child whose run is one state of its name is told no state.
		for (const key of [`the state "${state}" (visit`, `You are the child "${state}"`])
			script[key] = [...(script[key] ?? []), ...repliesOf(state, steps)];
	}
	return script;
}

/** The visits of a workflow's phases, in the order in which its steps lead. */
function order(phases: Readonly<Record<string, Step[]>>): (readonly [phase: string, steps: readonly Step[]])[] {
	const names = Object.keys(phases).filter((name) => !name.includes("#"));
	const counts = new Map<string, number>();
	const visits: (readonly [string, readonly Step[]])[] = [];
	for (let at = 0; at < names.length; ) {
		const name = names[at] ?? "";
		const count = (counts.get(name) ?? 0) + 1;
		counts.set(name, count);
		const steps = phases[`${name}#${count}`] ?? phases[name] ?? [];
		// The user ends a phase that its last step does not end, after the agent has spoken.
		const { next, loop, say: text } = steps.at(-1) ?? {};
		const isEnded = (next ?? loop ?? text) !== undefined;
		visits.push([name, isEnded ? steps : [...steps, { say: "I wait for your decision." }]]);
		at = steps.some(({ loop }) => loop !== undefined) ? 0 : at + 1;
	}
	return visits;
}

function replies({ say: text, call: made, remember, next, loop, go }: Step, part: string, held: HeldMoves): Answer[] {
	const listed = [made ?? []].flat().flatMap((each) => Object.entries(each));
	const all = [...listed, ...(remember ? [["workflow_update_snapshot", remember] as const] : [])];
	const exit = go
		? (["workflow_transition", { target_state: go.to, summary: go.summary, data: go.data }] as const)
		: next !== undefined
			? (["workflow_step", { action: "next", summary: next }] as const)
			: loop !== undefined
				? (["workflow_step", { action: "loop", summary: loop }] as const)
				: undefined;
	const words = text === undefined ? {} : { text };
	const move = exit && call(exit[0], exit[1], all.length > 0 ? {} : words);
	const holdMove = (): Reply => {
		held.reached(part);
		return { ...(move as Reply & { kind: "message" }), after: held.until };
	};
	return [
		...(all.length > 0 ? [calls(all as [string, Arguments][], words)] : []),
		...(move ? [held.parts.includes(part) ? holdMove : move] : []),
		...(all.length === 0 && !exit && text !== undefined ? [say(text)] : []),
	];
}
