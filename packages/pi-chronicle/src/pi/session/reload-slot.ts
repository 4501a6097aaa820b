// Passes one text per feature from a session to its successor in the same process. Not a store: the text is read once. The slot is on
// `globalThis` for the same reason as `openInstances`: the next session may evaluate this module again.
export interface ReloadSlot {
	/** Stores `text`, replacing the previous text. */
	leave(text: string): void;
	/** Returns the stored text and removes it. */
	take(): string | undefined;
}

/** Opens the slot of one feature. */
export function openReloadSlot(feature: string): ReloadSlot {
	const key = Symbol.for(`pi-chronicle.letter.${feature}`);
	const host = globalThis as { [key]?: string | undefined };
	return {
		leave(text) {
			host[key] = text;
		},
		take() {
			const text = host[key];
			delete host[key];
			return text;
		},
	};
}
