// What the command and the tools of a notebook use: the notebook of one session and its changes. Types only.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Notebook, Topic } from "./notebook.ts";

export interface NotebookSession {
	readonly notebook: Notebook;
	readonly on: boolean;
	/** Rereads the branch after a resume, a fork or a move in the tree. */
	refresh(ctx: ExtensionContext): Promise<void>;
	/**
	 * Turns the model's tools on or off for this branch. Resolves to the reason if it was refused: another extension owns tools of these
	 * names.
	 */
	turn(on: boolean, ctx: ExtensionContext): Promise<string | undefined>;
	/** Calls `listener` whenever the notebook is turned on or off. */
	onSwitch(listener: (ctx: ExtensionContext) => void): void;
	/** Writes a page without control characters; the caller has already redacted secrets. Returns the reason if it was refused. */
	write(name: string, content: string): string | undefined;
	/** Deletes a page, for the user only. Returns the reason if it was refused. */
	remove(name: string): string | undefined;
	/** Renames a page; an existing page is never replaced. Returns the reason if it was refused. */
	rename(from: string, to: string): string | undefined;
	clearTopic(): void;
	/** Sets the topic. Returns the reason if it was refused. */
	setTopic(text: string, source: Topic["source"]): string | undefined;
	/** A message with everything that the model has not seen yet; `undefined` if there is nothing new. */
	news(
		ctx: Pick<ExtensionContext, "sessionManager">,
	): { customType: string; content: string; display: false } | undefined;
	/** A message for a new context; `undefined` while the notebook is off. */
	introduction(): { customType: string; content: string; display: false } | undefined;
	/** Entries that copy the current notebook into another session. */
	share(): { readonly customType: string; readonly data: unknown }[];
	/**
	 * Merges an entry of a child session that shares this notebook: a page, whose name is returned, or a topic if none is set. Ignores other
	 * entries.
	 */
	take(customType: string, data: unknown): string | undefined;
}
