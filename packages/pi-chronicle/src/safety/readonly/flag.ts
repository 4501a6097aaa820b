// The option `pi --chronicle-readonly`. pi does not start if two extensions register the same flag, so this package registers it only if pi
// was started with it or lists its options.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export const readonlyFlag = "chronicle-readonly";

/** Registers the flag if `argv`, the command line of this process, needs it. */
export function registerReadonlyFlag(pi: Pick<ExtensionAPI, "registerFlag">, argv: readonly string[]): void {
	const option = `--${readonlyFlag}`;
	const needed = argv.some((word) => word === option || word.startsWith(`${option}=`) || /^(-h|--help)$/.test(word));
	if (!needed) return;
	pi.registerFlag(readonlyFlag, {
		description: "Start the session readonly: nothing is changed except temporary files",
		type: "boolean",
		default: false,
	});
}
