// Registers a command. A session may end while its command, or its completions, wait for a disk or a module: they then have no screen, and
// their attempts to use it fail.
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";

type Command = Parameters<ExtensionAPI["registerCommand"]>[1];

/**
 * Registers the command `name`. An error of its handler after the end of its session is dropped; any other reaches pi, which shows it. An error of
 * its completions means that nothing is offered: pi would exit, in the middle of the user's typing.
 */
export function registerOwnCommand(pi: ExtensionAPI, name: string, command: Command): void {
	const complete = command.getArgumentCompletions;
	pi.registerCommand(name, {
		...command,
		...(complete === undefined
			? {}
			: {
					async getArgumentCompletions(prefix) {
						try {
							return await complete(prefix);
						} catch {
							return null;
						}
					},
				}),
		async handler(args, ctx) {
			try {
				await command.handler(args, ctx);
			} catch (error) {
				if (!hasEnded(ctx)) throw error;
			}
		},
	});
}

/**
 * Whether the session of this context has ended: pi refuses every use of it. pi still passes a prompt that was on its way during a reload to the
 * handlers of the session before.
 */
export function hasEnded(ctx: Pick<ExtensionContext, "cwd">): boolean {
	try {
		Reflect.get(ctx, "cwd");
		return false;
	} catch {
		return true;
	}
}

/** Completions of a command whose first words are these; each may have a description. */
export function completeWords(
	words: readonly (string | readonly [word: string, description: string])[],
	prefix: string,
) {
	const found = words
		.map((word) =>
			typeof word === "string"
				? { value: word, label: word }
				: { value: word[0], label: word[0], description: word[1] },
		)
		.filter(({ value }) => value.startsWith(prefix));
	return found.length === 0 ? null : found;
}
