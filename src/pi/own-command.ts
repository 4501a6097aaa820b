// Registers a command. A session may end while its command waits for a disk or a module: the command then has no screen, and its attempts to
// use it fail.
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";

type Command = Parameters<ExtensionAPI["registerCommand"]>[1];

/** Registers the command `name`. An error after the end of its session is dropped; any other reaches pi, which shows it. */
export function registerOwnCommand(pi: ExtensionAPI, name: string, command: Command): void {
	pi.registerCommand(name, {
		...command,
		async handler(args, ctx) {
			try {
				await command.handler(args, ctx);
			} catch (error) {
				if (!hasEnded(ctx)) throw error;
			}
		},
	});
}

/** pi refuses every use of the context of a session that has ended. */
function hasEnded(ctx: Pick<ExtensionContext, "cwd">): boolean {
	try {
		Reflect.get(ctx, "cwd");
		return false;
	} catch {
		return true;
	}
}
