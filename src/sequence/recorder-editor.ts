// pi's prompt editor, in which the recorder sees every key first. Editing, completion, history, paste and undo stay pi's.
import { CustomEditor } from "@earendil-works/pi-coding-agent";

type EditorArguments = ConstructorParameters<typeof CustomEditor>;
export type Keybindings = EditorArguments[2];

/** Returns true if it handled the key; otherwise the editor gets it. */
export type TakeKey = (editor: RecorderEditor, data: string) => boolean;

export class RecorderEditor extends CustomEditor {
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
