// Gap between two workers: from the recorded decision to the next worker's first request.
import { setTimeout as sleep } from "node:timers/promises";
import type { Approver } from "@pi-chronicle/core/ports";
import { call, openBench, say } from "../packages/pi-chronicle/test/harness/index.ts";
import { type Figures, median, type Row } from "./figure.ts";
import { clonedCheckout, installedPackage } from "./packed.ts";
import { playBarePi, playRun } from "./play.ts";

/**
 * The model thinks at least this many milliseconds, or this many starts of a bare pi, before it moves, so that a worker runs longer than pi
 * takes to start.
 */
const thinkMs = 1500;
const thinkStarts = 4;
const decideMs = 300;
/** Moves of a run, and runs of each kind, in turns, so that a busy moment hits all kinds. */
const moves = 4;
const rounds = 3;

type Move = Readonly<Record<"decided" | "ended" | "kept" | "started" | "asked", number>> & { readonly to: string };

/** A linear sequence of states, each with a separate persona. */
function line(approval: boolean): object {
	const states = Array.from({ length: moves + 1 }, (_, n) => [
		`s${n}`,
		{
			persona: `Walker ${n}`,
			next: [n < moves ? `s${n + 1}` : "done"],
			...(approval ? { requires_approval: true } : {}),
		},
	]);
	return { name: "bench", limits: { moves: 100 }, states: Object.fromEntries(states) };
}

/** A hub with two targets that lead back to it. The same target is never taken twice, so after the first move every prediction is wrong. */
const hub = {
	name: "bench",
	limits: { moves: 100, pair_moves: 100 },
	states: {
		hub: { persona: "Walker", next: ["a", "b"] },
		a: { persona: "Walker A", next: ["hub"] },
		b: { persona: "Walker B", next: ["hub"] },
	},
};
const hubVisits = 17;
/** Standbys during the n-th visit of the hub: two visits with, two without, so that both targets are taken with and without. */
const standbysIn = (visit: number): number => (visit % 4 < 2 ? 2 : 0);

interface Played {
	readonly moves: readonly Move[];
	readonly bare: readonly number[];
}

interface Play {
	readonly root: string;
	readonly standby: "on" | "off" | "alternating";
	readonly definition: object;
}

/** Plays a run; returns its moves and the times of bare pis before it. */
async function play({ root, standby, definition }: Play): Promise<Played> {
	const asked: { readonly state: string; readonly at: number }[] = [];
	let visits = 0;
	let think = thinkMs;
	const { project } = await openBench({
		git: true,
		files: { "a.txt": "a\n" },
		script: async ({ users }) => {
			const at = Date.now();
			const [, state] = /the state "(\w+)"/.exec(users[0] ?? "") ?? [];
			asked.push({ state: state ?? "", at });
			if (state === undefined) return say("Something.");
			await sleep(think);
			return call("workflow_transition", { target_state: targetOf(state, visits), summary: "On." });
		},
	});
	const bare: number[] = [];
	for (let n = 0; n < 2; n += 1) {
		const began = Date.now();
		await playBarePi(project);
		bare.push((asked.at(-1)?.at ?? began) - began);
	}
	asked.length = 0;
	think = Math.max(thinkMs, thinkStarts * median(bare));
	const approver: Approver = {
		async approve() {
			await sleep(decideMs);
			return { kind: "approved" };
		},
		ask: async () => undefined,
		answer: async () => ({ kind: "undecided" }),
	};
	const limits = { max: standby === "off" ? 0 : 2 };
	const made: { -readonly [Key in keyof Move]?: Move[Key] }[] = [];
	let approved = 0;
	await playRun(project, definition, {
		root,
		standby: limits,
		approver,
		watch(event) {
			if (event.kind === "moved" && event.to === "hub") {
				visits += 1;
				if (standby === "alternating") limits.max = standbysIn(visits);
			}
			const now = Date.now();
			if (event.kind === "approved") approved = Date.parse(event.at);
			if (event.kind === "moved") made.push({ to: event.to, decided: approved || Date.parse(event.at) });
			const move = made.at(-1);
			if (event.kind === "worker_ended" && move) move.ended ??= now;
			if (event.kind === "attempt_reserved" && move) move.kept ??= now;
			if (event.kind === "worker_started" && move) move.started ??= now;
		},
	});
	// The first request is omitted: no move led to it.
	const whole = made.flatMap((move, index) => {
		const { at } = asked[index + 1] ?? {};
		const { to = "", decided = 0, kept = 0, started = 0, ended = decided } = move;
		return at === undefined ? [] : [{ to, decided, ended: approved ? decided : ended, kept, started, asked: at }];
	});
	return { moves: whole, bare };
}

function targetOf(state: string, visits: number): string {
	if (state === "hub") return visits === hubVisits ? "human_intervention" : visits % 2 === 0 ? "a" : "b";
	if (state.length === 1) return "hub";
	const number = Number(state.slice(1));
	return number === moves ? "done" : `s${number + 1}`;
}

const duration = ({ decided, asked }: Move): number => asked - decided;

function rowOf(figure: string, played: readonly Move[], most?: number): Row {
	return { figure, value: median(played.map(duration)), unit: "ms", ...(most === undefined ? {} : { must: { most } }) };
}

function fastest(figure: string, played: readonly Move[]): Row {
	return { figure, value: Math.min(...played.map(duration)), unit: "ms" };
}

/** Share of each part of a move. */
function parts(played: readonly Move[]): Row[] {
	const part = (figure: string, of: (move: Move) => number): Row => ({
		figure,
		value: median(played.map(of)),
		unit: "ms",
	});
	return [
		part("of it, until the previous worker has exited", ({ decided, ended }) => ended - decided),
		part("of it, until files and launch are recorded", ({ ended, kept }) => kept - ended),
		part("of it, until the first request", ({ kept, asked }) => asked - kept),
	];
}

const kinds = {
	straight: { standby: "on", definition: line(false), root: installedPackage },
	approved: { standby: "on", definition: line(true), root: installedPackage },
	cold: { standby: "off", definition: line(false), root: installedPackage },
	cloned: { standby: "on", definition: line(false), root: clonedCheckout },
	clonedApproved: { standby: "on", definition: line(true), root: clonedCheckout },
} as const;

export async function bench(): Promise<Figures> {
	const roots = new Map([installedPackage, clonedCheckout].map((open) => [open, open()]));
	const played = new Map<keyof typeof kinds, Move[]>();
	const bare: number[] = [];
	for (let round = 0; round < rounds; round += 1)
		for (const [kind, { root, ...rest }] of Object.entries(kinds)) {
			const one = await play({ root: roots.get(root) ?? "", ...rest });
			const key = kind as keyof typeof kinds;
			played.set(key, [...(played.get(key) ?? []), ...one.moves]);
			bare.push(...one.bare);
		}
	const of = (kind: keyof typeof kinds): readonly Move[] => played.get(kind) ?? [];
	const around = await play({ root: installedPackage(), standby: "alternating", definition: hub });
	// The first move away from the hub was predicted by nothing.
	const away = around.moves.filter(({ to }) => to === "a" || to === "b").slice(1);
	const missed = away.filter((_, index) => standbysIn(index + 1) > 0);
	const without = away.filter((_, index) => standbysIn(index + 1) === 0);
	return {
		name: "move",
		rows: [
			rowOf("packed", of("straight"), 60),
			...parts(of("straight")),
			rowOf("packed, after an approval", of("approved"), 60),
			...parts(of("approved")).slice(1),
			rowOf("from a checkout", of("cloned"), 60),
			rowOf("from a checkout, after an approval", of("clonedApproved"), 60),
			fastest("the fastest of them, packed", of("straight")),
			fastest("the fastest of them, from a checkout", of("cloned")),
			rowOf("packed, without standbys", of("cold")),
			rowOf("packed, around a hub, another target than predicted", missed),
			rowOf("the same without standbys, in turns", without),
			{
				figure: "another target than predicted ÷ without standbys",
				value: median(missed.map(duration)) / median(without.map(duration)),
				unit: "×",
				must: { most: 1.1 },
			},
			{
				figure: "a bare pi, from start to first request",
				value: median([...bare, ...around.bare]),
				unit: "ms",
			},
		],
		how: `From the timestamp of the event \`moved\` (\`approved\`) to the arrival of the next worker's first request at the scripted server; medians of ${moves * rounds} moves in ${rounds} runs, the kinds of runs in turns, a separate persona in each state, file snapshots in a repository. Around the hub standbys are on for two visits and off for two, ${hubVisits - 1} in all. The model thinks for ${thinkMs / 1000} s before it moves, on a busy machine for as long as pi starts ${thinkStarts} times.`,
	};
}
