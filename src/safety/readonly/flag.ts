// The option `pi --chronicle-readonly`.
// F1 pi does not start where two extensions register a flag of one name, so the flag is registered only in a pi that was started with it,
// or that lists its options.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export const readonlyFlag = "chronicle-readonly";

/** Registers the flag where `argv`, the command line of this process, needs it. */
export function registerReadonlyFlag(pi: Pick<ExtensionAPI, "registerFlag">, argv: readonly string[]): void {
	const option = `--${readonlyFlag}`;
	const needed = argv.some((word) => word === option || word.startsWith(`${option}=`) || /^(-h|--help)$/.test(word));
	if (!needed) return;
	pi.registerFlag(readonlyFlag, {
		description: "Start the session readonly: nothing is changed, temporary folders aside",
		type: "boolean",
		default: false,
	});
}
