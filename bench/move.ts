// Gap between two workers: from the recorded decision to the next worker's first request.
import { setTimeout as sleep } from "node:timers/promises";
import type { Approver } from "../src/chronicle/core/index.ts";
import { call, openBench, say } from "../test/harness/index.ts";
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
const moves = 8;

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

/** A hub with two targets that lead back to it; after two moves to `a`, each move takes the target that was not predicted. */
const hub = {
	name: "bench",
	limits: { moves: 100, pair_moves: 100 },
	states: {
		hub: { persona: "Walker", next: ["a", "b"] },
		a: { persona: "Walker A", next: ["hub"] },
		b: { persona: "Walker B", next: ["hub"] },
	},
};
const fromHub = ["a", "a", "b", "b", "a", "b", "a", "b", "human_intervention"];
/** Moves whose target was not predicted. */
const unlikely = fromHub.slice(2, -1);

interface Played {
	readonly moves: readonly Move[];
	readonly bare: readonly number[];
}

interface Play {
	readonly root: string;
	readonly standby: number;
	readonly definition: object;
}

/** Plays a run; returns its moves and the times of bare pis before it. */
async function play({ root, standby, definition }: Play): Promise<Played> {
	const asked: { readonly state: string; readonly at: number }[] = [];
	let left = 0;
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
			const number = Number(state.slice(1));
			const next = state === "hub" ? fromHub[left++] : state.length === 1 ? "hub" : `s${number + 1}`;
			return call("workflow_transition", { target_state: number === moves ? "done" : (next ?? "a"), summary: "On." });
		},
	});
	const bare: number[] = [];
	for (let n = 0; n < 4; n += 1) {
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
		answer: async () => ({ kind: "undecided" }),
	};
	const made: { -readonly [Key in keyof Move]?: Move[Key] }[] = [];
	let approved = 0;
	await playRun(project, definition, {
		root,
		standby,
		approver,
		watch(event) {
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

const duration = ({ decided, asked }: Move): number => asked - decided;

function rowOf(figure: string, played: readonly Move[], most?: number): Row {
	return { figure, value: median(played.map(duration)), unit: "ms", ...(most === undefined ? {} : { must: { most } }) };
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

export async function bench(): Promise<Figures> {
	const packed = installedPackage();
	const checkout = clonedCheckout();
	const straight = await play({ root: packed, standby: 2, definition: line(false) });
	const approved = await play({ root: packed, standby: 2, definition: line(true) });
	const cold = await play({ root: packed, standby: 0, definition: line(false) });
	const cloned = await play({ root: checkout, standby: 2, definition: line(false) });
	const clonedApproved = await play({ root: checkout, standby: 2, definition: line(true) });
	const wrong = await play({ root: packed, standby: 2, definition: hub });
	const missed = wrong.moves.filter(({ to }) => to !== "hub").slice(-unlikely.length);
	const all = [straight, approved, cold, cloned, clonedApproved, wrong];
	const without = median(cold.moves.map(duration));
	return {
		name: "move",
		rows: [
			rowOf("packed", straight.moves, 60),
			...parts(straight.moves),
			rowOf("packed, after an approval", approved.moves, 60),
			...parts(approved.moves).slice(1),
			rowOf("from a checkout", cloned.moves, 60),
			rowOf("from a checkout, after an approval", clonedApproved.moves, 60),
			rowOf("packed, without standbys", cold.moves),
			rowOf("packed, another target than predicted", missed),
			{
				figure: "another target than predicted ÷ without standbys",
				value: median(missed.map(duration)) / without,
				unit: "×",
				must: { most: 1.1 },
			},
			{
				figure: "a bare pi, from start to first request",
				value: median(all.flatMap(({ bare }) => bare)),
				unit: "ms",
			},
		],
		how: `From the timestamp of the event \`moved\` (\`approved\`) to the arrival of the next worker's first request at the scripted server; medians of ${moves} moves, a separate persona in each state, file snapshots in a repository. The model thinks for ${thinkMs / 1000} s before it moves, on a busy machine for as long as pi starts ${thinkStarts} times.`,
	};
}
