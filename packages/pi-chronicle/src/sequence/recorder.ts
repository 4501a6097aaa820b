// The recorder: pi's prompt editor, in which Enter, Ctrl+Enter, Escape and the arrow keys act on the steps above it. Terminal only.
import type { ExtensionContext, Theme } from "@earendil-works/pi-coding-agent";
import { CustomEditor } from "@earendil-works/pi-coding-agent";
import { type Component, matchesKey, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { counted } from "@pi-chronicle/core/definition";
import { attempt } from "../disk/index.ts";
import { askUser, contentText, inBackground, newestFirst, rowsAround, type Scope } from "../pi/index.ts";
import { layRecording } from "./recorder-widget.ts";
import {
	deleteSelected,
	editSelected,
	enterStep,
	moveSelected,
	type Recording,
	recordingStatus,
	select,
	startRecording,
} from "./recording.ts";
import { statusKey } from "./session.ts";
import type { KnownCommand } from "./step.ts";

type EditorFactory = NonNullable<ReturnType<ExtensionContext["ui"]["getEditorComponent"]>>;

/** Screen rows that the widget leaves to the end of the transcript, where there is room. */
const transcriptRows = 3;
/** Number of messages that pi's editor remembers. */
const historyLength = 100;

/** The recorded steps, or that recording was cancelled. */
export type RecorderResult =
	| { readonly kind: "finished"; readonly steps: readonly string[] }
	| { readonly kind: "cancelled" };

/** Records steps, starting from `initial`. Afterward the user's draft, the editor, the status line and the widget are restored. */
export async function recordSteps(
	ctx: ExtensionContext,
	scope: Scope,
	commands: () => readonly KnownCommand[],
	initial: readonly string[],
): Promise<RecorderResult> {
	const recorder = new Recorder(ctx, commands, initial);
	const release = scope.own(() => recorder.finish({ kind: "cancelled" }));
	recorder.open();
	try {
		return await recorder.ended;
	} finally {
		await release();
		attempt(() => recorder.close());
	}
}

class Recorder {
	readonly ended: Promise<RecorderResult>;
	finish: (result: RecorderResult) => void = () => {};
	private readonly ctx: ExtensionContext;
	private readonly commands: () => readonly KnownCommand[];
	private readonly initial: readonly string[];
	private readonly draft: string;
	private recording: Recording;
	private editor: RecorderEditor | undefined;
	/** The editor component to restore. */
	private previous: EditorFactory | undefined;
	/** Whether a question covers the editor. */
	private asking = false;
	private redraw = () => {};
	private stopWatching = () => {};

	constructor(ctx: ExtensionContext, commands: () => readonly KnownCommand[], initial: readonly string[]) {
		this.ctx = ctx;
		this.commands = commands;
		this.initial = initial;
		this.recording = startRecording(initial);
		this.draft = ctx.ui.getEditorText();
		this.previous = ctx.ui.getEditorComponent();
		this.ended = new Promise((resolve) => {
			this.finish = resolve;
		});
	}

	open(): void {
		const { ui } = this.ctx;
		ui.setEditorText("");
		ui.setWidget(statusKey, (tui, theme) => {
			this.redraw = () => tui.requestRender();
			const widget: Component = {
				invalidate() {},
				render: (width) => {
					const rows = tui.terminal.rows - rowsAround(tui, widget, width) - transcriptRows;
					return this.widgetRows(rows, width, theme);
				},
			};
			return widget;
		});
		this.openEditor();
		// Another extension may set its own editor meanwhile. That editor is restored when the recorder ends; until then the steps need this
		// one.
		this.stopWatching = ui.onTerminalInput(() => {
			const current = ui.getEditorComponent();
			if (current !== this.createEditor) {
				this.previous = current;
				this.openEditor();
			}
			return undefined;
		});
		this.show(this.recording);
	}

	close(): void {
		const { ui } = this.ctx;
		this.stopWatching();
		if (ui.getEditorComponent() === this.createEditor) ui.setEditorComponent(this.previous);
		ui.setEditorText(this.draft);
		ui.setStatus(statusKey, undefined);
		ui.setWidget(statusKey, undefined);
	}

	private readonly createEditor: EditorFactory = (tui, theme, keybindings) => {
		const editor = new RecorderEditor(tui, theme, keybindings, (opened, data) => this.onKey(opened, data));
		for (const text of userMessages(this.ctx)) editor.addToHistory(text);
		this.editor = editor;
		return editor;
	};

	private openEditor(): void {
		this.ctx.ui.setEditorComponent(this.createEditor);
		// Completing a command name with Enter submits through pi's callback, which pi has already set.
		const { editor } = this;
		if (editor) editor.onSubmit = (text) => void this.enter(editor, text);
	}

	private widgetRows(rows: number, width: number, theme: Theme): string[] {
		const area = { rows, wholeStatus: visibleWidth(recordingStatus(this.recording)) <= width };
		return layRecording(this.recording, area, ({ tone, text }) => {
			const drawn = tone === "text" ? text : theme.fg(tone, text);
			return tone === "warning" || tone === "dim" ? wrapTextWithAnsi(drawn, width) : [truncateToWidth(drawn, width)];
		});
	}

	private show(next: Recording): void {
		this.recording = next;
		this.ctx.ui.setStatus(statusKey, recordingStatus(next));
		this.redraw();
	}

	/** Adds the text as a step. Returns false if it was refused; the text is then back in the editor. */
	private enter(editor: RecorderEditor, text: string): boolean {
		const entered = enterStep(this.recording, text, this.commands());
		if (entered.kind === "entered") editor.addToHistory(text);
		editor.setText(entered.kind === "refused" ? text : "");
		this.show(entered.recording);
		return entered.kind !== "refused";
	}

	private complete(editor: RecorderEditor): void {
		if (!this.enter(editor, editor.getExpandedText())) return;
		const { steps } = this.recording;
		if (steps.length > 0) this.finish({ kind: "finished", steps });
		else this.show({ ...this.recording, notice: "No steps yet. Type one and press Enter, or press Esc to leave." });
	}

	private onEscape(editor: RecorderEditor): void {
		if (this.recording.editing !== undefined) this.stopEditing(editor);
		else if (this.isUnchanged() && editor.getText().trim() === "") this.finish({ kind: "cancelled" });
		else inBackground(this.ctx, () => this.confirmDiscard());
	}

	/** Leaves the step unchanged; the changed text stays in the editor's history. */
	private stopEditing(editor: RecorderEditor): void {
		const { steps, editing = 0 } = this.recording;
		const text = editor.getExpandedText();
		if (text.trim() !== "" && text !== steps[editing]) editor.addToHistory(text);
		editor.setText("");
		this.show({ ...this.recording, editing: undefined, notice: undefined });
	}

	private isUnchanged(): boolean {
		const { steps } = this.recording;
		return steps.length === this.initial.length && steps.every((step, index) => step === this.initial[index]);
	}

	private async confirmDiscard(): Promise<void> {
		const { length } = this.recording.steps;
		const changes = this.initial.length > 0 ? "the changes" : counted(length, "step");
		this.asking = true;
		const answer = await askUser(this.ctx, {
			title: "Leave the recorder?",
			message: `Discard ${this.isUnchanged() ? "the text in the editor" : changes}?`,
			words: { no: "Keep recording", yes: "Discard" },
		});
		this.asking = false;
		if (answer === "yes") this.finish({ kind: "cancelled" });
	}

	/** Returns whether the recorder has used the key; otherwise pi's editor gets it. */
	private onKey(editor: RecorderEditor, data: string): boolean {
		const { keys } = editor;
		if (this.asking) return true;
		if (this.recording.selected !== undefined) return this.onSelectionKey(editor, data, this.recording.selected);
		if (matchesKey(data, "ctrl+enter")) {
			this.complete(editor);
			return true;
		}
		// While the model works, pi would send the text to it.
		if (keys.matches(data, "app.message.followUp")) {
			this.enter(editor, editor.getExpandedText());
			return true;
		}
		// pi's exit key on an empty editor would end pi during a recording.
		if (editor.getText() === "" && keys.matches(data, "app.exit")) return true;
		if (editor.isShowingAutocomplete()) return false;
		if (keys.matches(data, "app.interrupt")) {
			this.onEscape(editor);
			return true;
		}
		// Some terminals send the same code for Ctrl+J as for Enter; pi treats it as a new line first.
		if (keys.matches(data, "tui.input.newLine")) return false;
		if (keys.matches(data, "tui.input.submit")) return this.onSubmitKey(editor);
		return this.onHistoryKey(editor, data);
	}

	private onSubmitKey(editor: RecorderEditor): boolean {
		// If the terminal has no Shift+Enter, pi starts a new line after a backslash.
		const { line, col } = editor.getCursor();
		if (editor.getLines()[line]?.charAt(col - 1) === "\\") return false;
		const text = editor.getExpandedText();
		if (text.trim() !== "") this.enter(editor, text);
		else if (this.recording.editing === undefined) this.complete(editor);
		else {
			const notice = "The step is unchanged. To remove it, select it with ↑ and press Delete.";
			editor.setText("");
			this.show({ ...this.recording, editing: undefined, notice });
		}
		return true;
	}

	/** In an empty editor, the key for older history entries selects the last step. */
	private onHistoryKey(editor: RecorderEditor, data: string): boolean {
		const { steps, editing } = this.recording;
		const canSelect = editor.getText() === "" && editing === undefined && steps.length > 0;
		if (!canSelect || !editor.keys.matches(data, "tui.editor.cursorUp")) return false;
		this.show(select(this.recording, -1));
		return true;
	}

	private onSelectionKey(editor: RecorderEditor, data: string, selected: number): boolean {
		const { keys } = editor;
		const { recording } = this;
		if (matchesKey(data, "ctrl+enter")) this.complete(editor);
		else if (matchesKey(data, "alt+up")) this.show(moveSelected(recording, -1));
		else if (matchesKey(data, "alt+down")) this.show(moveSelected(recording, 1));
		else if (matchesKey(data, "delete") || matchesKey(data, "ctrl+d")) this.show(deleteSelected(recording));
		else if (keys.matches(data, "tui.editor.cursorDown")) this.show(select(recording, 1));
		else if (keys.matches(data, "tui.editor.cursorUp")) {
			this.show(select(recording, -1));
			// The editor's history follows above the first step.
			return this.recording.selected !== undefined;
		} else if (keys.matches(data, "tui.input.submit") && !keys.matches(data, "tui.input.newLine")) {
			editor.setText(recording.steps[selected] ?? "");
			this.show(editSelected(recording));
		} else {
			this.show({ ...recording, selected: undefined });
			return keys.matches(data, "app.interrupt");
		}
		return true;
	}
}

/** The user's messages on this branch, oldest first, as in the history of pi's own editor. */
function userMessages({ sessionManager }: ExtensionContext): string[] {
	const found: string[] = [];
	for (const entry of newestFirst(sessionManager)) {
		if (found.length === historyLength) break;
		if (entry.type !== "message" || entry.message.role !== "user") continue;
		const text = contentText(entry.message.content);
		if (text.trim() !== "") found.push(text);
	}
	return found.reverse();
}

type EditorArguments = ConstructorParameters<typeof CustomEditor>;
type Keybindings = EditorArguments[2];

/** Returns true if it handled the key; otherwise the editor gets it. */
type TakeKey = (editor: RecorderEditor, data: string) => boolean;

class RecorderEditor extends CustomEditor {
	readonly keys: Keybindings;
	private readonly takeKey: TakeKey;

	constructor(tui: EditorArguments[0], theme: EditorArguments[1], keybindings: Keybindings, takeKey: TakeKey) {
		super(tui, theme, keybindings);
		this.keys = keybindings;
		this.takeKey = takeKey;
	}

	override handleInput(data: string): void {
		if (!this.takeKey(this, data)) super.handleInput(data);
	}
}
