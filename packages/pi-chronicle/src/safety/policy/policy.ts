// Policies and their registry. A policy judges one tool call by its footprint and knows nothing of other policies.
// Invariants: a policy that throws denies; every policy is asked, whatever another one answered.
import type { Footprint, MeasuredCall } from "@pi-chronicle/footprint";
import { type BoxNeed, strictestNeed } from "./box.ts";
import { type Decision, strongest, strongestFirst, type Verdict } from "./verdict.ts";

/** One tool call of this session. `known` holds the user's tool settings; it also serves the calls that a gateway makes. */
export interface ToolCall extends MeasuredCall {
	readonly id: string;
	readonly input: Readonly<Record<string, unknown>>;
	/** The other calls of the same assistant message, in its order. */
	readonly siblings: readonly { readonly id: string; readonly tool: string }[];
	/** The call whose tool made this one; absent for the model's own calls. */
	readonly parent?: string;
}

export interface Policy {
	readonly name: string;
	/**
	 * Judges the call; `undefined` or an empty list if the policy does not apply. `footprint()` is computed once, on first use. An `allow`
	 * verdict with a reason is recorded and changes nothing.
	 */
	judge(call: ToolCall, footprint: () => Footprint): Verdicts | Promise<Verdicts>;
	/** Whether it lets the call and its result pass unchanged, known without the footprint. Default: no. */
	ignores?(call: ToolCall): boolean;
	/** Changes arguments of a call that every policy allows; keys that are not returned stay unchanged. */
	amend?(call: ToolCall): Amendment;
	/** How the shell command of a call that every policy allows has to be contained; `undefined`: it need not be. */
	confines?(call: ToolCall, footprint: () => Footprint): Need | Promise<Need>;
	/**
	 * Screens the result of an allowed call before the model sees it: one text per part, empty for an image. Returns the texts that the
	 * model may see, part by part (missing parts are dropped, an image stays if its text stays empty); `undefined` to change nothing.
	 */
	screen?(
		call: ToolCall,
		footprint: () => Footprint,
		texts: readonly string[],
	): ScreenedResult | Promise<ScreenedResult>;
	/** Whether it currently forbids changes to the project. Sessions started by this one inherit that, not the policy. */
	forbidsChanges?(): boolean;
	/** Whether it currently refuses the tool, whatever its arguments. Sessions started by this one inherit that. */
	forbidsTool?(name: string): boolean;
}

type Need = BoxNeed | undefined;

type Amendment = Readonly<Record<string, unknown>> | undefined;

type Verdicts = Verdict | readonly Verdict[] | undefined;

export type ScreenedResult =
	| {
			readonly texts: readonly string[];
			/** Why, for the log and for the model. */
			readonly verdict: Verdict;
	  }
	| undefined;

interface Judgment {
	readonly decision: Decision;
	/** Every verdict that is not `allow`, strongest first. */
	readonly verdicts: readonly Verdict[];
	/** `allow` verdicts with a reason, such as the decision of a rule on trial. */
	readonly notes: readonly Verdict[];
}

export interface Policies {
	/** Adds a policy; the returned function removes it. */
	add(policy: Policy): () => void;
	/** Asks every policy. A policy that throws denies, with a reason that names it. */
	judge(call: ToolCall, footprint: () => Footprint): Promise<Judgment>;
	/** Whether every policy ignores the call. */
	ignore(call: ToolCall): boolean;
	/** The policies' changes of an allowed call's arguments; `undefined`: none. */
	amend(call: ToolCall): Amendment;
	/** How the call has to be contained so that every policy is content. Throws if a policy throws. */
	confine(call: ToolCall, footprint: () => Footprint): Promise<Need>;
	/** Passes the texts of a result through every policy in turn. If one throws, all texts are withheld. */
	screen(call: ToolCall, footprint: () => Footprint, texts: readonly string[]): Promise<readonly Screening[]>;
	readonly size: number;
	/** Whether any policy screens results. */
	readonly screens: boolean;
	/** Whether any policy currently forbids changes to the project. */
	readonly forbidChanges: boolean;
	/** Whether any policy currently refuses the tool, whatever its arguments. */
	forbidTool(name: string): boolean;
}

type Screening = NonNullable<ScreenedResult>;

/** Opens an empty registry, which allows everything. */
export function openPolicies(): Policies {
	const policies = new Set<Policy>();
	return {
		get size() {
			return policies.size;
		},
		get screens() {
			return [...policies].some(({ screen }) => screen);
		},
		get forbidChanges() {
			return [...policies].some((policy) => policy.forbidsChanges?.());
		},
		forbidTool(name) {
			return [...policies].some((policy) => policy.forbidsTool?.(name));
		},
		add(policy) {
			policies.add(policy);
			return () => void policies.delete(policy);
		},
		async judge(call, footprint) {
			const verdicts: Verdict[] = [];
			for (const policy of policies) {
				try {
					const judged = await policy.judge(call, footprint);
					if (judged) verdicts.push(...("decision" in judged ? [judged] : judged));
				} catch (error) {
					verdicts.push(await refuseBy(policy, "judge this call", error));
				}
			}
			return {
				decision: strongest(verdicts),
				verdicts: strongestFirst(verdicts),
				notes: verdicts.filter(({ decision, reason }) => decision === "allow" && reason !== ""),
			};
		},
		ignore(call) {
			return [...policies].every((policy) => policy.ignores?.(call));
		},
		amend(call) {
			const changes = [...policies].flatMap((policy) => policy.amend?.(call) ?? []);
			return changes.length > 0 ? Object.assign({}, ...changes) : undefined;
		},
		async confine(call, footprint) {
			let need: Need;
			for (const policy of policies) need = strictestNeed(need, await policy.confines?.(call, footprint));
			return need;
		},
		async screen(call, footprint, texts) {
			const done: Screening[] = [];
			let current = texts;
			for (const policy of policies) {
				try {
					const screened = await policy.screen?.(call, footprint, current);
					if (!screened) continue;
					done.push(screened);
					current = screened.texts;
				} catch (error) {
					const verdict = await refuseBy(policy, "screen the result of this call", error);
					done.push({ texts: texts.map(() => `[${verdict.reason}]`), verdict });
					break;
				}
			}
			return done;
		},
	};
}

async function refuseBy(policy: Policy, doing: string, error: unknown): Promise<Verdict> {
	return (await import("./failed-policy.ts")).failedPolicy(policy.name, doing, error);
}
