// A full-screen view in a plain terminal, outside pi: it owns the alternate screen and the keyboard until it closes. The terminal is restored
// however the process ends, except by SIGKILL.
import { stripVTControlCharacters, styleText } from "node:util";
import {
	isKeyRelease,
	type KeybindingsConfig,
	KeybindingsManager,
	ProcessTerminal,
	TUI_KEYBINDINGS,
} from "@earendil-works/pi-tui";
import type { Paint, Tone } from "./line.ts";
import type { ScreenKeys } from "./window.ts";

interface TerminalView {
	/** At most `rows` rows, none wider than `width` columns. */
	render(width: number, rows: number): readonly string[];
	/** Returns whether the view stays open. */
	handleKey(data: string, keys: ScreenKeys): boolean;
	dispose(): void;
}

interface TerminalScreenOptions {
	/** The user's own keys, as in pi's `keybindings.json`. */
	readonly keys?: KeybindingsConfig;
	readonly signal: AbortSignal;
}

const enter = "\u001b[?1049h\u001b[?25l";
const leave = "\u001b[?25h\u001b[?1049l";
/** Shows everything between them at once, where the terminal can. */
const [begin, end] = ["\u001b[?2026h", "\u001b[?2026l"];

const styles: Readonly<Record<Exclude<Tone, "plain" | "colored">, Parameters<typeof styleText>[0]>> = {
	dim: "dim",
	accent: "cyan",
	success: "green",
	warning: "yellow",
	error: "red",
};

/** Paints with the terminal's own palette, which is legible on dark and light; with `NO_COLOR`, without color. */
export function terminalPaint(stream: NodeJS.WriteStream): Paint {
	return (tone, text) => {
		if (tone === "colored") return stream.hasColors() ? text : stripVTControlCharacters(text);
		return tone === "plain" || text === "" ? text : styleText(styles[tone], text, { stream });
	};
}

/** Shows the view on standard output and resolves when it closes: by its own keys, by `signal`, or because the terminal is gone. */
export async function showInTerminal(
	open: (requestRender: () => void) => TerminalView,
	{ keys, signal }: TerminalScreenOptions,
): Promise<void> {
	if (signal.aborted) return;
	const terminal = new ProcessTerminal();
	const keybindings = new KeybindingsManager(TUI_KEYBINDINGS, keys);
	const restore = () => void process.stdout.write(leave);
	process.once("exit", restore);
	terminal.write(enter);
	const screen = new TerminalRows(terminal);
	const view = open(() => screen.request(() => view.render(terminal.columns, terminal.rows)));
	await new Promise<void>((resolve) => {
		const close = () => resolve();
		signal.addEventListener("abort", close, { once: true });
		process.stdin.once("end", close);
		terminal.start(
			(data) => {
				if (!isKeyRelease(data) && !view.handleKey(data, keybindings)) close();
			},
			() => screen.redraw(() => view.render(terminal.columns, terminal.rows)),
		);
		screen.redraw(() => view.render(terminal.columns, terminal.rows));
	});
	screen.close();
	view.dispose();
	process.off("exit", restore);
	await terminal.drainInput(100);
	terminal.stop();
	restore();
}

/** The rows on the terminal; draws only those that changed. */
class TerminalRows {
	readonly #terminal: Pick<ProcessTerminal, "write">;
	#shown: readonly string[] = [];
	#pending: NodeJS.Immediate | undefined;
	#isClosed = false;

	constructor(terminal: Pick<ProcessTerminal, "write">) {
		this.#terminal = terminal;
	}

	/** Draws soon, once for all requests until then. */
	request(render: () => readonly string[]): void {
		if (this.#isClosed) return;
		this.#pending ??= setImmediate(() => {
			this.#pending = undefined;
			this.#draw(render());
		});
	}

	/** Draws everything again, for a terminal of another size. */
	redraw(render: () => readonly string[]): void {
		if (this.#isClosed) return;
		this.#shown = [];
		this.#terminal.write("\u001b[2J");
		this.#draw(render());
	}

	close(): void {
		this.#isClosed = true;
		clearImmediate(this.#pending);
	}

	#draw(rows: readonly string[]): void {
		const count = Math.max(rows.length, this.#shown.length);
		const changed = Array.from({ length: count }, (_, index) => index)
			.filter((index) => rows[index] !== this.#shown[index])
			// The row is cleared before it is written: cleared after it, a full row would lose its last column.
			.map((index) => `\u001b[${index + 1};1H\u001b[0m\u001b[2K${rows[index] ?? ""}`);
		this.#shown = rows;
		if (changed.length > 0) this.#terminal.write(`${begin}${changed.join("")}${end}`);
	}
}
