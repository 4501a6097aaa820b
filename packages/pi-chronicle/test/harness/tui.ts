// Real pi in a pseudo-terminal, as a user runs it: keys in, a screen out. The screen is xterm's own emulator; its replies to
// terminal queries go back to pi.
import { delimiter } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type IPty, spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { keyBytes } from "./keys.ts";
import { type LaunchOptions, launchArguments, launchPlace } from "./launch.ts";
import { closeLater } from "./lifetime.ts";
import { patient, within } from "./patience.ts";
import { killQuietly } from "./processes.ts";
import type { Project } from "./project.ts";
import { type Snapshot, snapshotOf } from "./screen.ts";

/** What a late question shows in its first second, in which it takes no answer. */
export const noAnswerYet = "Answers count in a moment";

/** Programs that pi looks for at its start. */
const standIns = fileURLToPath(new URL("stand-ins", import.meta.url));

export interface TuiOptions extends LaunchOptions {
	cols?: number;
	rows?: number;
	/** Screen text to wait for instead of pi's own sign that it takes input; `null` does not wait. */
	ready?: string | RegExp | null;
}

/** Starts pi in a terminal of `cols` × `rows` (default 100 × 30) and waits until it takes keys. */
export async function startTui(project: Project, options: TuiOptions = {}): Promise<Tui> {
	return startTerminal(project, [process.execPath, ...launchArguments([], options)], options);
}

/** Starts any program in a terminal, in the project's environment; `ready` as in {@link TuiOptions}. */
export async function startTerminal(
	project: Project,
	[program = "", ...args]: string[],
	options: Omit<TuiOptions, keyof LaunchOptions> & Pick<LaunchOptions, "env" | "cwd"> = {},
): Promise<Tui> {
	const { cols = 100, rows = 30, ready } = options;
	const { cwd, env } = launchPlace(project, {
		...options,
		env: { TERM: "xterm-256color", COLORTERM: "truecolor", ...options.env },
	});
	// Behind the machine's own programs: screens look the same whether it has them or not.
	env.PATH = [env.PATH, standIns].join(delimiter);
	const pty = spawn(program, args, { name: "xterm-256color", cols, rows, cwd, env });
	const tui = new Tui(pty, cols, rows);
	if (ready === undefined) await tui.waitForScreen(() => tui.titled, 20_000);
	else if (ready !== null) await tui.waitForScreen(ready, 20_000);
	return tui;
}

export class Tui {
	/** Resolves when the process has ended. */
	readonly exit: Promise<{ code: number }>;
	readonly pid: number;
	private readonly pty: IPty;
	private readonly terminal: InstanceType<typeof xterm.Terminal>;
	private readonly listeners = new Set<() => void>();
	private readonly closeOnce: () => Promise<void>;
	private ended: { code: number } | undefined;
	private written = 0;
	/** The title of the window. */
	title = "";
	/** How often the bell has rung. */
	bells = 0;

	constructor(pty: IPty, cols: number, rows: number) {
		this.pty = pty;
		this.pid = pty.pid;
		this.terminal = new xterm.Terminal({ cols, rows, scrollback: 5_000, allowProposedApi: true });
		this.terminal.onData((data) => {
			if (!this.ended) pty.write(data);
		});
		this.terminal.onBell(() => {
			this.bells += 1;
		});
		this.terminal.onTitleChange((title) => {
			this.title = title;
		});
		pty.onData((data) => {
			this.written += Buffer.byteLength(data);
			this.terminal.write(data, () => this.changed());
		});
		this.exit = new Promise((resolve) => {
			pty.onExit(({ exitCode }) => {
				this.ended = { code: exitCode };
				resolve(this.ended);
				this.changed();
			});
		});
		this.closeOnce = closeLater(() => this.end());
	}

	/** Bytes that pi has written to the terminal: how much it redraws. */
	get bytes(): number {
		return this.written;
	}

	/**
	 * Whether pi has named the window. It does when its start is over: the editor and the footer are on the screen earlier, and Enter
	 * is refused until then.
	 */
	get titled(): boolean {
		return this.title !== "";
	}

	/** Types text as the user would, without Enter. */
	type(text: string): void {
		this.pty.write(text);
	}

	/** Pastes text in one piece (bracketed paste). */
	paste(text: string): void {
		this.pty.write(`\u001b[200~${text}\u001b[201~`);
	}

	/** Presses keys one after another; names as in {@link keyBytes}. */
	async press(...keys: string[]): Promise<void> {
		for (const key of keys) {
			this.pty.write(keyBytes(key));
			await sleep(30);
		}
	}

	/** Types a line, waits until the screen shows it, and presses Enter. Suggestions that are open are closed first: they would take Enter. */
	async submit(text: string): Promise<void> {
		this.type(text);
		await this.waitForScreen((screen) => screen.replace(/\s/g, "").includes(text.replace(/\s/g, "").slice(-20)));
		// Not until the screen is still: it never is while the model works.
		await sleep(text.startsWith("/") ? 150 : 60);
		if (this.suggests()) {
			await this.press("escape");
			for (let waited = 0; this.suggests() && waited < within(1_500); waited += 20) await sleep(20);
		}
		await this.press("enter");
		// Suggestions that came late take the first Enter.
		for (let waited = 0; text.startsWith("/") && this.editorHolds(text) && waited < within(1_500); waited += 50) {
			await sleep(50);
			if (waited % 500 === 450) await this.press("enter");
		}
	}

	/** Whether suggestions are open: one of them is marked. */
	private suggests(): boolean {
		return this.lines().some((line) => line.startsWith("→ "));
	}

	/** Whether the end of a text is in pi's editor, between the last two rules of the screen. */
	private editorHolds(text: string): boolean {
		const lines = this.lines();
		const rules = lines.flatMap((line, index) => (line.startsWith("──") ? [index] : []));
		const [top = 0, bottom = 0] = rules.slice(-2);
		return lines.slice(top, bottom).join("").replace(/\s/g, "").endsWith(text.replace(/\s/g, "").slice(-20));
	}

	/** Lines on the screen now, trailing blanks removed. */
	lines(): string[] {
		return this.snapshot().lines;
	}

	/** The screen as one text. */
	screen(): string {
		return this.lines().join("\n").trimEnd();
	}

	/** The screen with its styles; draw it with `svgOf`. */
	snapshot(): Snapshot {
		return snapshotOf(this.terminal);
	}

	/** Waits until the screen contains, matches or satisfies `wanted`, and returns it. The error shows the last screen. */
	async waitForScreen(wanted: string | RegExp | ((screen: string) => boolean), ms = 15_000): Promise<string> {
		const accepts = (screen: string) =>
			typeof wanted === "string"
				? screen.includes(wanted)
				: typeof wanted === "function"
					? wanted(screen)
					: wanted.test(screen);
		return new Promise((resolve, reject) => {
			const done = (act: () => void) => {
				clearTimeout(timer);
				this.listeners.delete(look);
				act();
			};
			const look = () => {
				// A frame is shown when it is complete. Its parts arrive one by one on a busy machine.
				if (this.terminal.modes.synchronizedOutputMode && !this.ended) return;
				const screen = this.screen();
				// A user reads a question before the answer.
				if (screen.includes(noAnswerYet) && wanted !== noAnswerYet && !this.ended) return;
				if (accepts(screen)) done(() => resolve(screen));
				else if (this.ended) done(() => reject(new Error(this.report(`The program ended before: ${wanted}`))));
			};
			const timer = setTimeout(
				() => done(() => reject(new Error(this.report(`Not on the screen within ${patient(ms)} ms: ${wanted}`)))),
				patient(ms),
			);
			this.listeners.add(look);
			look();
		});
	}

	/** Waits until nothing has been written for `quiet` milliseconds, and returns the screen. */
	async still(quiet = 250, ms = 15_000): Promise<string> {
		const deadline = Date.now() + patient(ms);
		for (let before = -1; before !== this.written || this.screen().includes(noAnswerYet); ) {
			if (Date.now() > deadline) throw new Error(this.report(`The screen was not still within ${patient(ms)} ms`));
			before = this.written;
			await sleep(quiet);
		}
		return this.screen();
	}

	resize(cols: number, rows: number): void {
		this.terminal.resize(cols, rows);
		this.pty.resize(cols, rows);
	}

	/** Sends a signal (default SIGKILL) and resolves when the process has ended. */
	async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<{ code: number }> {
		this.pty.kill(signal);
		return this.exit;
	}

	/** Ends pi as closing the terminal window does. Called by itself at the end of the test. */
	async close(): Promise<void> {
		await this.closeOnce();
	}

	private async end(): Promise<void> {
		if (!this.ended) {
			this.pty.kill("SIGHUP");
			const late = sleep(patient(6_000), "late" as const, { ref: false });
			if ((await Promise.race([this.exit, late])) === "late") {
				const report = this.report("pi did not end within 6 s after its terminal was closed");
				killQuietly(this.pid);
				await this.exit;
				throw new Error(report);
			}
		}
		this.terminal.dispose();
	}

	private report(headline: string): string {
		return `${headline}\n--- screen ---\n${this.screen()}\n--- end ---`;
	}

	private changed(): void {
		for (const listener of [...this.listeners]) listener();
	}
}
