// The run view on the screen, in pi or in a plain terminal: Enter on a child run opens its view over that of its parent, Esc returns to the parent,
// or closes the last one.
import { type ExtensionContext, initTheme, type KeybindingsManager } from "@earendil-works/pi-coding-agent";
import { closes, type Paint, showInTerminal, terminalPaint, themed, wholeScreen } from "../../tui/index.ts";
import { RunView } from "./view.ts";
import type { ViewSource } from "./view-source.ts";

/** Opens the view and resolves when the user closes it. Only for the terminal (`ctx.mode === "tui"`). */
export async function openRunView(ctx: ExtensionContext, source: ViewSource): Promise<void> {
	await ctx.ui.custom<void>((tui, theme, keybindings, done) => {
		const views = new ViewStack(source, themed({ theme }), () => tui.requestRender());
		return {
			capturesViewportInput: true,
			render: (width) => views.render(width, tui.terminal.rows),
			handleInput(data) {
				if (!views.handleKey(data, keybindings)) done();
			},
			invalidate() {},
			dispose: () => views.dispose(),
		};
	}, wholeScreen);
}

/** The views that are open, without a screen. */
export class ViewStack {
	readonly #views: RunView[] = [];
	readonly #paint: Paint;
	readonly #requestRender: () => void;
	#closed = false;

	constructor(source: ViewSource, paint: Paint, requestRender: () => void) {
		this.#paint = paint;
		this.#requestRender = requestRender;
		this.#open(source);
	}

	render(width: number, rows: number): string[] {
		return this.#views.at(-1)?.render(width, rows) ?? [];
	}

	/** Returns whether a view is open after the key. */
	handleKey(data: string, keybindings: Pick<KeybindingsManager, "matches">): boolean {
		if (!closes(data, keybindings as KeybindingsManager)) {
			this.#views.at(-1)?.handleKey(data, keybindings);
			return true;
		}
		if (this.#views.length < 2) return false;
		this.#views.pop()?.dispose();
		this.#requestRender();
		return true;
	}

	dispose(): void {
		this.#closed = true;
		for (const view of this.#views.splice(0)) view.dispose();
	}

	#open(source: ViewSource): void {
		const view: RunView = new RunView(source, {
			paint: this.#paint,
			requestRender: this.#requestRender,
			openChild: (id) => void this.#openChild(view, source, id),
			...(this.#views.length > 0 ? { leaves: "Esc to the parent" } : {}),
		});
		this.#views.push(view);
		this.#requestRender();
	}

	async #openChild(from: RunView, source: ViewSource, id: string): Promise<void> {
		const child = await source.child(id);
		// The user may have left the parent's view meanwhile.
		if (child && !this.#closed && this.#views.at(-1) === from) this.#open(child);
	}
}

/**
 * Opens the view on standard output and resolves when the user closes it, or `signal` aborts. `keys`: the user's own, as in pi's
 * `keybindings.json`.
 */
export async function followInTerminal(
	source: ViewSource,
	{ keys, signal }: { readonly keys: Readonly<Record<string, string | string[]>>; readonly signal: AbortSignal },
): Promise<void> {
	// Code in a diff is colored by pi's theme for the terminal.
	initTheme();
	await showInTerminal((requestRender) => new ViewStack(source, terminalPaint(process.stdout), requestRender), {
		keys: keys as NonNullable<Parameters<typeof showInTerminal>[1]["keys"]>,
		signal,
	});
}
