// A user who does anything at any time, from a fixed seed: types, pastes, resizes, answers, runs commands, reloads, opens new sessions, while runs
// continue. pi does not crash, nothing uses the context of a session that has ended, every run stays in the ledger, no process is left, and no
// row of something that has ended stays on the screen.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { call, type ModelRequest, openBench, say, type Tui } from "../harness/index.ts";
import { patient, within } from "../harness/patience.ts";
import { seed } from "../harness/runs.ts";
import { chronicle, move, runIds, withTemplates } from "../runs/bench.ts";
import { workflowFiles } from "../workflow/stage.ts";

const actions = 400;
const template = {
	name: "Feature",
	limits: { cost_usd: 5, moves: 500, pair_moves: 500 },
	states: {
		planning: { persona: "Planner", next: ["build"], requires_approval: true },
		build: { persona: "Builder", next: ["planning", "done"] },
		done: {},
	},
};
const rules = "bashToolPatterns:\n  - pattern: deploy\n    reason: Deploying needs a yes\n    ask: true\n";

/** Numbers from 0 to 1 in a fixed order (mulberry32). */
function randomFrom(start: number): () => number {
	let state = start >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

const words = ["yes", "no", "fix it", "統計 🧪", "a", "q", "1", "/", "x".repeat(120)];
const keyNames = ["escape", "enter", "up", "down", "tab", "pageup", "pagedown", "left", "right", "alt+a", "backspace"];
const answers = ["a", "r", "d", "s", "t", "l", "n", "y", "q", "1", "2", "3", "4", "5"];
const lines = [
	"/chronicle feature Do it",
	"/chronicle",
	"/chronicle view",
	"/chronicle status",
	"/chronicle diff",
	"/chronicle show feature",
	"/chronicle approve",
	"/chronicle reject not yet",
	"/chronicle tell mind the gap",
	"/chronicle pause",
	"/chronicle resume",
	"/chronicle rewind 1",
	"/chronicle release",
	"/chronicle report",
	"/chronicle abort",
	"/workflow w do it",
	"/workflow status",
	"/workflow pause",
	"/workflow next",
	"/cancel-workflow",
	"/sequence list",
	"/sequence",
	"/guard",
	"/notebook",
	"What now?",
	"/reload",
	"/new",
];

/** The model does something else each time, from the same numbers. */
function script(random: () => number) {
	return ({ users, tools }: ModelRequest) => {
		const dice = random();
		const isWorker = tools.includes("workflow_transition");
		if (dice < 0.15) return call("bash", { command: "sh deploy.sh" });
		if (dice < 0.35) return call("bash", { command: "sleep 0.3" });
		if (dice < 0.5) return call("write", { path: `f${Math.floor(dice * 1000)}.txt`, content: "text\n" });
		if (!isWorker)
			return tools.includes("workflow_step") && dice > 0.7 ? call("workflow_step", { action: "next" }) : say("Here.");
		return users.join("\n").includes('the state "planning"')
			? move("build", "A plan.")
			: move(dice > 0.75 ? "done" : "planning");
	};
}

/** What no screen may ever show. */
const broken =
	/TypeError|ReferenceError|RangeError|Cannot read prop|is not a function|stale|Unhandled|Extension error|extension .* failed|\[object Object\]|undefined ·/i;

class Person {
	readonly log: string[] = [];
	readonly #pi: Tui;
	readonly #random: () => number;

	constructor(pi: Tui, random: () => number) {
		this.#pi = pi;
		this.#random = random;
	}

	#one<T>(list: readonly T[]): T {
		return list[Math.floor(this.#random() * list.length)] as T;
	}

	async act(): Promise<void> {
		const pi = this.#pi;
		const dice = this.#random();
		if (dice < 0.1) this.#note("type", this.#one(words), (text) => pi.type(text));
		else if (dice < 0.13) this.#note("paste", `${this.#one(words)}\n${this.#one(words)}`, (text) => pi.paste(text));
		else if (dice < 0.5) await this.#press(this.#one(keyNames));
		else if (dice < 0.68) this.#note("answer", this.#one(answers), (text) => pi.type(text));
		else if (dice < 0.78) {
			const [cols, rows] = [40 + Math.floor(this.#random() * 161), 12 + Math.floor(this.#random() * 39)];
			this.#note("resize", `${cols}×${rows}`, () => pi.resize(cols, rows));
		} else await this.enter(this.#one(lines));
		await sleep(15 + this.#random() * 40);
	}

	/** Closes whatever is open, and enters the line into the editor as it is. */
	async enter(line: string): Promise<void> {
		this.log.push(`line ${line}`);
		// In a list whose filter is typed, the first Esc shows all of it.
		if (this.#pi.screen().includes("Esc shows all")) await this.#pi.press("escape");
		await this.#pi.press("escape", "ctrl+u");
		this.#pi.type(line);
		// What is open may take it for something else.
		for (let waited = 0; waited < within(600) && !this.#pi.screen().includes(line); waited += 20) await sleep(20);
		await this.#pi.press("escape", "enter");
	}

	async #press(key: string): Promise<void> {
		this.log.push(`press ${key}`);
		await this.#pi.press(key);
	}

	#note(what: string, text: string, act: (text: string) => void): void {
		this.log.push(`${what} ${text}`);
		act(text);
	}
}

it(
	`survives ${actions} random actions`,
	async () => {
		const random = randomFrom(seed);
		const { project, server, tui } = await openBench({
			files: {
				...withTemplates({ feature: template }),
				...workflowFiles({ w: { phases: ["a", "b", "c"] } }),
				"deploy.sh": "echo deployed\n",
				".pi/damage-control-rules.yaml": rules,
			},
			git: true,
			script: script(randomFrom(seed + 1)),
		});
		server.lenient();
		const pi = await tui({ cols: 100, rows: 34 });
		const person = new Person(pi, random);
		const known = new Set<string>();
		// Whatever comes of the lines below, there are runs. A question that opens meanwhile takes the line for itself.
		const begin = async (): Promise<number> => {
			if (runIds(project).length < 2) await person.enter("/chronicle feature Do it");
			return runIds(project).length;
		};
		await expect.poll(begin, { timeout: patient(60_000), interval: 3000 }).toBeGreaterThan(1);
		for (let step = 0; step < actions; step += 1) {
			await person.act();
			const screen = pi.screen();
			const last = () => `step ${step}: ${person.log.slice(-12).join(" | ")}\n${screen}`;
			expect(broken.test(screen), last()).toBe(false);
			expect(pi.lines().length, last()).toBeLessThanOrEqual(50);
			if (step % 50 !== 0) continue;
			// Every run that was ever there is still there.
			const now = runIds(project);
			for (const id of known) expect(now, last()).toContain(id);
			for (const id of now) known.add(id);
		}
		pi.resize(100, 40);
		await endEverything(pi);
		const { data } = await chronicle(project, ["list", "--json"]);
		const runs = data.runs as { id: string; kind: string; status: string }[];
		expect(runs.length).toBeGreaterThan(1);
		expect(runs.map(({ id }) => id).sort()).toEqual([...new Set([...known, ...runIds(project)])].sort());
		expect(runs.filter(({ kind }) => kind !== "run")).toEqual([]);
		// Nothing of what has ended is left on the screen: no overlay, no timeline, no recorder.
		const rest = pi.screen();
		expect(rest).not.toMatch(/^── |Esc closes|Esc later|▸ |· running ·|next: /m);
		await pi.submit("/quit");
		const screenAfterWait = sleep(patient(60_000)).then(() => pi.screen());
		expect(await Promise.race([pi.exit, screenAfterWait])).toEqual({ code: 0 });
		await expect.poll(() => project.processes(), { timeout: patient(10_000) }).toEqual([]);
	},
	patient(900_000),
);

/** Closes overlays, stops what the model does, and aborts the runs of this session. */
async function endEverything(pi: Tui): Promise<void> {
	// A question of the last commands opens once their files are measured.
	for (let round = 0, quiet = 0; round < 24 && quiet < 4; round += 1) {
		// Slowly: two Escapes in quick succession open pi's tree of the session, which would take the typed text as its search.
		await sleep(700);
		await pi.press("escape", "ctrl+u");
		await sleep(200);
		const screen = pi.screen();
		// Escape keeps a recording.
		if (screen.includes("Leave the recorder?")) {
			pi.type("y");
			await sleep(200);
			continue;
		}
		if (/^── |Esc closes|Esc later|Esc refuses|Esc: No|^ +Session Tree/m.test(screen)) {
			quiet = 0;
			continue;
		}
		if (!/· running ·|· awaiting approval ·|· paused ·|· limit reached ·|· human intervention ·/.test(screen)) {
			quiet += 1;
			await pi.still(400, 20_000);
			continue;
		}
		pi.type("/chronicle abort");
		await sleep(200);
		await pi.press("escape", "enter");
		await sleep(1500);
	}
	await pi.still(400, 20_000);
}
