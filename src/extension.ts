// The pi extension: which features this session gets. It is loaded by every pi that has the package, so it only
// registers; what a command needs is imported when the command first runs.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { registerHandoff, registerNotebook, registerSpawn, registerWatchdog } from "./context/index.ts";
import { openSessionScope } from "./pi/index.ts";
import { openPolicies, registerGate } from "./safety/index.ts";

export default function chronicle(pi: ExtensionAPI): void | Promise<void> {
	const scope = openSessionScope(pi);
	const policies = openPolicies();
	registerGate(pi, { policies, scope });

	const notebook = registerNotebook(pi);
	registerHandoff(pi, () => notebook.on);
	registerSpawn(pi, scope, { seed: () => notebook.share(), take: (type, data) => notebook.take(type, data) });
	registerWatchdog(pi, () => notebook.on);

	// Set only in the processes of a rehearsal; no other pi ever learns of the understudy.
	const callSheet = process.env.PI_CHRONICLE_REHEARSAL;
	if (callSheet) return import("./rehearsal/index.ts").then(({ joinRehearsal }) => joinRehearsal(pi, callSheet));
}
