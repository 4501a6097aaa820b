// Supplies pi's packages to a process other than pi: the command line imports them from the pi that it found, as an extension does inside pi.
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import type { PiCommand } from "./pi-command.ts";

/**
 * Redirects imports of pi's packages in this process to those of `pi`. Returns whether it has any: a pi that is a single binary has none.
 */
export function supplyPiPackages({ args }: Pick<PiCommand, "args">): boolean {
	const entry = args.at(-1);
	if (entry === undefined) return false;
	const parentURL = pathToFileURL(entry).href;
	registerHooks({
		resolve: (specifier, context, next) =>
			next(specifier, specifier.startsWith("@earendil-works/") ? { ...context, parentURL } : context),
	});
	return true;
}
