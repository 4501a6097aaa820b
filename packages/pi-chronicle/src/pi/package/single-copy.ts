// Only one copy of this package serves a session. Two copies would register the same names and judge every call twice.
// The copy that pi loads first serves; the copies find each other over pi's event bus, whose subscriptions end with the session, so a
// reload needs no cleanup.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { packageRoot } from "./own-package.ts";

const channel = "pi-chronicle:copy";

/** A copy's query to the others; the serving copy fills it in. */
interface Query {
	servedBy?: string;
}

/** The folder of the copy that already serves this session; `undefined` if none does, in which case this copy serves from now on. */
export function otherCopy(pi: Pick<ExtensionAPI, "events">): string | undefined {
	const query: Query = {};
	pi.events.emit(channel, query);
	const root = packageRoot();
	if (query.servedBy !== undefined && query.servedBy !== root) return query.servedBy;
	pi.events.on(channel, (asked) => {
		(asked as Query).servedBy = root;
	});
	return undefined;
}
