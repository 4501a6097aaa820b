// pi's packages for a process that is not pi: the command line imports them from the pi that it has found, as pi supplies them to an extension.
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import type { PiCommand } from "./pi-command.ts";

/**
 * From now on, imports of pi's packages in this process lead to those of `pi`. Returns whether it has any: a pi that is a single binary has
 * none that can be imported.
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
