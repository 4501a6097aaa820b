// The recorder: pi's prompt editor with Enter, Ctrl+Enter, Escape and the arrows taken for the steps above it. Terminal only.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { matchesKey, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { askPerson, newestFirst, type Scope } from "../pi/index.ts";
import { RecorderEditor } from "./recorder-editor.ts";
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

/** Rows of the screen that are not the widget's: the question before something is lost; and the transcript's end, pi's footer, its status. */
const dialogRows = 9;
const otherRows = 7;
/** As many messages as pi's editor remembers. */
const historyLength = 100;

/** What the recorder ends with: the steps, or nothing when it was cancelled. */
export type RecorderResult =
	| { readonly kind: "finished"; readonly steps: readonly string[] }
	| { readonly kind: "cancelled" };

/** Records steps, starting from `initial`. The person's draft, the editor, the status line and the widget are as before afterwards. */
export async function recordSteps(
	ctx: ExtensionContext,
	scope: Scope,
	commands: () => readonly KnownCommand[],
	initial: readonly string[],
): Promise<RecorderResult> {
	const draft = ctx.ui.getEditorText();
	let previous = ctx.ui.getEditorComponent();
	let recording = startRecording(initial);
	let asking = false;
	let redraw = () => {};
	let ignoreKeys = () => {};
	let finish: (result: RecorderResult) => void = () => {};
	const ended = new Promise<RecorderResult>((resolve) => {
		finish = resolve;
	});

	const show = (next: Recording): void => {
		recording = next;
		ctx.ui.setStatus(statusKey, recordingStatus(recording));
		redraw();
	};

	/** Takes the text as a step; false when it was refused, and then it is back in the editor. */
	const enter = (editor: RecorderEditor, text: string): boolean => {
		const entered = enterStep(recording, text, commands());
		if (entered.kind === "entered") editor.addToHistory(text);
		editor.setText(entered.kind === "refused" ? text : "");
		show(entered.recording);
		return entered.kind !== "refused";
	};

	const complete = (editor: RecorderEditor): void => {
		if (!enter(editor, editor.getExpandedText())) return;
		if (recording.steps.length > 0) finish({ kind: "finished", steps: recording.steps });
		else show({ ...recording, notice: "There are no steps yet: type one and press Enter, or Esc to leave." });
	};

	const cancel = async (editor: RecorderEditor): Promise<void> => {
		if (recording.editing !== undefined) {
			// What was changed is not kept, and not lost either: the history has it.
			const text = editor.getExpandedText();
			if (text.trim() !== "" && text !== recording.steps[recording.editing]) editor.addToHistory(text);
			editor.setText("");
			show({ ...recording, editing: undefined, notice: undefined });
			return;
		}
		const { steps } = recording;
		const unchanged = steps.length === initial.length && steps.every((step, index) => step === initial[index]);
		if (unchanged && editor.getText().trim() === "") return finish({ kind: "cancelled" });
		asking = true;
		const count = steps.length === 1 ? "1 step" : `${steps.length} steps`;
		const lost = unchanged ? "the text in the editor" : initial.length > 0 ? "the changes" : count;
		const answer = await askPerson(ctx, {
			title: "Leave the recorder?",
			message: `Discard ${lost}?`,
			words: { no: "Keep recording", yes: "Discard" },
		});
		asking = false;
		if (answer === "yes") finish({ kind: "cancelled" });
	};

	/** Keys while a step is selected. */
	const takeSelectionKey = (editor: RecorderEditor, data: string, selected: number): boolean => {
		const { keys } = editor;
		if (matchesKey(data, "ctrl+enter")) complete(editor);
		else if (matchesKey(data, "alt+up")) show(moveSelected(recording, -1));
		else if (matchesKey(data, "alt+down")) show(moveSelected(recording, 1));
		else if (matchesKey(data, "delete") || matchesKey(data, "ctrl+d")) show(deleteSelected(recording));
		else if (keys.matches(data, "tui.editor.cursorDown")) show(select(recording, 1));
		else if (keys.matches(data, "tui.editor.cursorUp")) {
			show(select(recording, -1));
			// Above the first step lies the editor's history.
			return recording.selected !== undefined;
		} else if (keys.matches(data, "tui.input.submit") && !keys.matches(data, "tui.input.newLine")) {
			editor.setText(recording.steps[selected] ?? "");
			show(editSelected(recording));
		} else {
			show({ ...recording, selected: undefined });
			return keys.matches(data, "app.interrupt");
		}
		return true;
	};

	const takeKey = (editor: RecorderEditor, data: string): boolean => {
		const { keys } = editor;
		if (asking) return true;
		if (recording.selected !== undefined) return takeSelectionKey(editor, data, recording.selected);
		if (matchesKey(data, "ctrl+enter")) {
			complete(editor);
			return true;
		}
		// While the model works pi would send the text to it.
		if (keys.matches(data, "app.message.followUp")) {
			enter(editor, editor.getExpandedText());
			return true;
		}
		// pi's exit key on an empty editor would end pi in the middle of a recording.
		if (editor.getText() === "" && keys.matches(data, "app.exit")) return true;
		if (editor.isShowingAutocomplete()) return false;
		if (keys.matches(data, "app.interrupt")) {
			void cancel(editor);
			return true;
		}
		// Ctrl+J sends what Enter sends in some terminals; pi takes it for a new line first.
		if (keys.matches(data, "tui.input.newLine")) return false;
		if (keys.matches(data, "tui.input.submit")) {
			// A backslash before Enter is pi's way to a new line where Shift+Enter does not exist.
			const { line, col } = editor.getCursor();
			if (editor.getLines()[line]?.charAt(col - 1) === "\\") return false;
			const text = editor.getExpandedText();
			if (text.trim() !== "") enter(editor, text);
			else if (recording.editing === undefined) complete(editor);
			else {
				const notice = "The step is as it was. To remove one, select it with ↑ and press Delete.";
				editor.setText("");
				show({ ...recording, editing: undefined, notice });
			}
			return true;
		}
		const atSteps = editor.getText() === "" && recording.editing === undefined && recording.steps.length > 0;
		if (atSteps && keys.matches(data, "tui.editor.cursorUp")) {
			show(select(recording, -1));
			return true;
		}
		return false;
	};

	let editor: RecorderEditor | undefined;
	const recorder: EditorFactory = (tui, theme, keybindings) => {
		editor = new RecorderEditor(tui, theme, keybindings, takeKey);
		for (const text of typedBefore(ctx)) editor.addToHistory(text);
		return editor;
	};
	const open = (): void => {
		ctx.ui.setEditorComponent(recorder);
		// Completing a command name with Enter submits through pi's callback, which pi has set by now.
		const shown = editor;
		if (shown) shown.onSubmit = (text) => void enter(shown, text);
	};

	const release = scope.own(() => finish({ kind: "cancelled" }));
	try {
		ctx.ui.setEditorText("");
		ctx.ui.setWidget(statusKey, (tui, theme) => {
			redraw = () => tui.requestRender();
			const paint = (width: number) => {
				const taken = asking ? dialogRows : (editor?.render(width).length ?? 0);
				const room = {
					rows: tui.terminal.rows - taken - otherRows,
					wholeStatus: visibleWidth(recordingStatus(recording)) <= width,
				};
				return layRecording(recording, room, ({ tone, text }) => {
					const drawn = tone === "text" ? text : theme.fg(tone, text);
					return tone === "warning" || tone === "dim"
						? wrapTextWithAnsi(drawn, width)
						: [truncateToWidth(drawn, width)];
				});
			};
			return { invalidate() {}, render: paint };
		});
		open();
		// Another extension may set an editor of its own meanwhile: it has to wait for its turn, or the steps would be out of reach.
		ignoreKeys = ctx.ui.onTerminalInput(() => {
			const current = ctx.ui.getEditorComponent();
			if (current !== recorder) {
				previous = current;
				open();
			}
			return undefined;
		});
		show(recording);
		return await ended;
	} finally {
		await release();
		quietly(() => {
			ignoreKeys();
			if (ctx.ui.getEditorComponent() === recorder) ctx.ui.setEditorComponent(previous);
			ctx.ui.setEditorText(draft);
			ctx.ui.setStatus(statusKey, undefined);
			ctx.ui.setWidget(statusKey, undefined);
		});
	}
}

/** The person's messages of this branch, oldest first: the history of pi's own editor. */
function typedBefore({ sessionManager }: ExtensionContext): string[] {
	const found: string[] = [];
	for (const entry of newestFirst(sessionManager)) {
		if (found.length === historyLength) break;
		if (entry.type !== "message" || entry.message.role !== "user") continue;
		const { content } = entry.message;
		const text =
			typeof content === "string" ? content : content.map((part) => (part.type === "text" ? part.text : "")).join("");
		if (text.trim() !== "") found.push(text);
	}
	return found.reverse();
}

/** Does what only a session that is still there can do: one that is gone has taken its screen with it. */
function quietly(work: () => void): void {
	try {
		work();
	} catch {
		// Stale: pi has closed the session under the recorder.
	}
}
