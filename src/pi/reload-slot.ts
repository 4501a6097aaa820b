// What a session leaves to the one that takes its place in the same process. Not a store: one text a feature, read once.
// It hangs on `globalThis` for the same reason as `openInstances`: the next session may evaluate this module anew.
export interface Letter {
	/** Leaves `text`, in place of what was left before. */
	leave(text: string): void;
	/** Takes what was left; nobody finds it again. */
	take(): string | undefined;
}

/** Opens the letter of one feature. */
export function openLetter(feature: string): Letter {
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
