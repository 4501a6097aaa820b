// PowerShell and cmd text: a smaller analysis than the shell's. Statements are split, their verbs looked up, their paths touched.
// P1 anything that is not in the table is unknown; P2 nothing is expanded but `$HOME`, `$env:NAME` and `~`.
import type { Record } from "../record.ts";
import { everyAccess } from "../record.ts";

/** Records what PowerShell text would do. */
export function recordPowerShell(text: string, record: Record): void {
	record.unknown({ what: "script", text, may: everyAccess });
}
