// What happens to an engine in a chaos test, and when: a pure function of a seed. What an event meets depends on the machine.
import { generator } from "../../../pi-chronicle/test/kills/random.ts";

export const hostNames = ["a", "b", "c"] as const;
export type HostName = (typeof hostNames)[number];

/** A fault of the engine's parts. `ms`: how long it lasts. */
export type Fault =
	| { readonly kind: "kill a host"; readonly host: HostName; readonly ms: number }
	| { readonly kind: "drain a host"; readonly host: HostName }
	| { readonly kind: "suspend a host"; readonly host: HostName; readonly ms: number }
	| { readonly kind: "fill the disk of a host"; readonly host: HostName; readonly ms: number }
	| { readonly kind: "freeze connections"; readonly host: HostName }
	| { readonly kind: "break connections"; readonly host: HostName }
	| { readonly kind: "cut a host off"; readonly host: HostName; readonly ms: number }
	| { readonly kind: "kill the database"; readonly ms: number }
	| { readonly kind: "take the remote away"; readonly ms: number };

/** What several users do to the n-th run at the same time. */
export interface Commands {
	readonly kind: "tell" | "tell twice" | "abort" | "abort and tell";
	readonly run: number;
}

export interface ChaosEvent {
	/** Milliseconds since the event before. */
	readonly afterMs: number;
	readonly what: Fault | Commands;
}

/** What several users answer to a question at the same time. */
export type Answers = readonly ("approve" | "reject" | "tell")[];

export interface Schedule {
	readonly seed: number;
	readonly runs: number;
	readonly events: readonly ChaosEvent[];
	/** What is answered when the n-th run, or a child of it, asks for the `count`-th time. */
	answersOf(run: number, count: number): Answers;
}

const kinds: readonly (readonly [weight: number, kind: Fault["kind"] | Commands["kind"]])[] = [
	[16, "kill a host"],
	[4, "drain a host"],
	[12, "suspend a host"],
	[6, "fill the disk of a host"],
	[12, "freeze connections"],
	[12, "break connections"],
	[8, "cut a host off"],
	[7, "kill the database"],
	[6, "take the remote away"],
	[7, "tell"],
	[5, "tell twice"],
	[3, "abort"],
	[2, "abort and tell"],
];

const answers: readonly (readonly [weight: number, Answers])[] = [
	[8, ["approve"]],
	[4, ["approve", "approve"]],
	[3, ["approve", "reject"]],
	[2, ["reject"]],
	[2, ["approve", "tell"]],
	[1, ["tell", "approve", "approve", "reject"]],
];

function choose<T>(random: () => number, weighted: readonly (readonly [number, T])[]): T {
	let left = random() * weighted.reduce((sum, [weight]) => sum + weight, 0);
	for (const [weight, value] of weighted) {
		left -= weight;
		if (left < 0) return value;
	}
	throw new Error("Nothing to choose from.");
}

/** A schedule of `count` events for `runs` runs on hosts with a lease of `leaseMs`. */
export function makeSchedule(
	seed: number,
	{ runs, count, leaseMs }: { runs: number; count: number; leaseMs: number },
): Schedule {
	const random = generator(seed);
	const between = (low: number, high: number): number => Math.round(low + random() * (high - low));
	const events = Array.from({ length: count }, (): ChaosEvent => {
		const kind = choose(random, kinds);
		const host = hostNames[Math.floor(random() * hostNames.length)] ?? "a";
		const run = Math.floor(random() * runs);
		// Half of the outages are longer than a lease.
		const ms = random() < 0.5 ? between(100, leaseMs * 0.8) : between(leaseMs, leaseMs * 2);
		const shortMs = between(0, leaseMs * 0.7);
		return { afterMs: between(100, 1500), what: eventOf(kind, { host, run, ms, shortMs }) };
	});
	return {
		...{ seed, runs, events },
		answersOf: (run, count) => choose(generator(seed * 7919 + run * 131 + count), answers),
	};
}

function eventOf(
	kind: Fault["kind"] | Commands["kind"],
	{ host, run, ms, shortMs }: { host: HostName; run: number; ms: number; shortMs: number },
): Fault | Commands {
	switch (kind) {
		case "kill a host":
		case "suspend a host":
		case "cut a host off":
			return { kind, host, ms };
		case "fill the disk of a host":
			// One of them has a disk of its own.
			return { kind, host: "c", ms };
		case "drain a host":
		case "freeze connections":
		case "break connections":
			return { kind, host };
		case "kill the database":
		case "take the remote away":
			return { kind, ms: shortMs };
		default:
			return { kind, run };
	}
}
