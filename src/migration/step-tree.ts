// The work of another tool as a tree of steps, and its conversion to the states of a chronicle.
// S1 every step with work becomes a state; S2 state names are unique, and names that end a run are reserved for its ends.
import { fileSlug, type ImportNote, importNote, UniqueNames } from "./draft.ts";
import type { Plain, PlainRecord } from "./foreign-fields.ts";
import type { StateFields } from "./worker-fields.ts";

export type Step =
	| { readonly kind: "work"; readonly name: string; readonly fields: StateFields }
	| { readonly kind: "sequence"; readonly steps: readonly Step[] }
	/** All branches in parallel. */
	| {
			readonly kind: "parallel";
			readonly name: string;
			readonly branches: readonly (readonly [name: string, step: Step])[];
			readonly max: number | undefined;
	  }
	/** A worker decides which branch follows. */
	| { readonly kind: "choice"; readonly name: string; readonly question: string; readonly branches: readonly Step[] }
	| {
			readonly kind: "loop";
			readonly name: string;
			readonly body: Step;
			/** Whether the condition is tested before the first round. */
			readonly first: "condition" | "body";
			readonly question: string;
			/** Maximum number of rounds, if bounded. */
			readonly max: number | undefined;
	  }
	/** The user is asked before the next step starts. */
	| { readonly kind: "gate"; readonly name: string; readonly message: string }
	/** Ends the run as failed if a worker decides so. */
	| { readonly kind: "fail" }
	| { readonly kind: "nothing" };

export interface CompiledSteps {
	/** In order; the run starts in the first. */
	readonly states: ReadonlyMap<string, PlainRecord>;
	readonly notes: readonly ImportNote[];
	/** Limits of the run that its loops need. */
	readonly limits: PlainRecord;
}

/** Default limit of moves between two states before the run asks. */
const pairMoves = 3;
const maxRounds = 1000;

/** The name of a state that may not be known yet. */
interface Target {
	name: string;
}

/** The states of a tree; without any work, only the end. */
export function compileSteps(root: Step): CompiledSteps {
	const compiler = new StepCompiler();
	return compiler.result(compiler.emit(root, [{ name: "done" }]));
}

type StateBeforeEnd = { readonly fields: Record<string, Plain>; readonly next: readonly Target[] };

/** Emits states from the last to the first, because each names those that follow it. */
class StepCompiler {
	readonly #names = new UniqueNames(["done", "failed"]);
	readonly #states: (readonly [string, StateBeforeEnd])[] = [];
	readonly #notes: ImportNote[] = [];
	#rounds = 0;

	/** Emits the states of `step`; returns the states that it starts with. `after`: the states that follow. */
	emit(step: Step, after: readonly Target[]): readonly Target[] {
		switch (step.kind) {
			case "nothing":
				return after;
			case "fail":
				return [{ name: "failed" }];
			case "sequence":
				return step.steps.reduceRight((next, each) => this.emit(each, next), after);
			case "work":
				return [this.#state(step.name, step.fields, after)];
			case "choice": {
				const entries = step.branches.flatMap((branch) => this.emit(branch, after));
				return [this.#state(step.name, decider(step.question), entries)];
			}
			case "loop":
				return this.#loop(step, after);
			case "parallel":
				return [this.#state(step.name, this.#parallel(step), after)];
			case "gate":
				return this.#gate(step, after);
		}
	}

	/** What was emitted; `entries`: the states that the root begins with. */
	result(entries: readonly Target[]): CompiledSteps {
		const states = new Map<string, PlainRecord>();
		const named = new Set(entries.map(({ name }) => name));
		for (const [name, { fields, next }] of this.#states.toReversed()) {
			const targets = [...new Set(next.map((target) => target.name))];
			for (const target of targets) named.add(target);
			states.set(name, { ...fields, next: targets });
		}
		for (const end of ["done", "failed"]) if (named.has(end)) states.set(end, {});
		const [first = "done"] = named;
		const rounds = Math.min(maxRounds, Math.ceil(this.#rounds));
		const limits: PlainRecord =
			rounds < pairMoves ? {} : { moves: Math.max(40, rounds * (states.size + 1)), pair_moves: rounds + 1 };
		return { states: new Map([[first, states.get(first) ?? {}], ...states]), notes: this.#notes, limits };
	}

	#state(wanted: string, fields: StateFields, next: readonly Target[]): Target {
		const name = this.#names.take(fileSlug(wanted, "step"));
		this.#states.push([name, { fields: { ...fields }, next }]);
		return { name };
	}

	#loop(
		{ name, body, first, question, max }: Extract<Step, { kind: "loop" }>,
		after: readonly Target[],
	): readonly Target[] {
		this.#rounds = Math.max(this.#rounds, max ?? 0);
		const decision: Target = { name: "" };
		const entries = this.emit(body, [decision]);
		decision.name = this.#state(name, decider(question), [...entries, ...after]).name;
		return first === "condition" ? [decision] : entries;
	}

	#parallel({ name, branches, max }: Extract<Step, { kind: "parallel" }>): StateFields {
		const names = new UniqueNames();
		const compiled = branches.map(([wanted, step]) => {
			const branch = names.take(fileSlug(wanted, "branch"));
			if (step.kind === "work") return [branch, step.fields] as const;
			const { states, notes, limits: inner } = compileSteps(step);
			this.#notes.push(...notes);
			const bounds = Object.keys(inner).length === 0 ? {} : { limits: inner };
			return [branch, { run: { name: branch, ...bounds, states: Object.fromEntries(states) } }] as const;
		});
		const limit: PlainRecord = max === undefined ? {} : { max_parallel: Math.min(100, Math.max(1, Math.round(max))) };
		return { description: `Branches of ${name}.`, branches: Object.fromEntries(compiled), ...limit };
	}

	/** The following state asks before the run enters it; if none follows, a separate state asks. */
	#gate({ name, message }: Extract<Step, { kind: "gate" }>, after: readonly Target[]): readonly Target[] {
		const [only, more] = after;
		const following = more === undefined ? this.#states.find(([state]) => state === only?.name)?.[1].fields : undefined;
		if (following && following.requires_approval === undefined) {
			following.requires_approval = "entry";
			following.description = [message, following.description].filter((text) => text !== undefined).join("\n\n");
			this.#notes.push(importNote(name, "you are asked each time before the next state is entered"));
			return after;
		}
		const asks = { persona: "Reviewer", tools: reading, instructions: message, requires_approval: true };
		return [this.#state(name, asks, after)];
	}
}

const reading = ["read", "grep", "find", "ls"];

function decider(question: string): StateFields {
	const how = "Decide which state follows, and do nothing else.";
	return { persona: "Coordinator", tools: reading, instructions: `${how}\n\n${question}` };
}
