// Finds what belongs to a session after pi has replaced it. A command that called `newSession` goes on in the old closure, where the
// old `pi` throws; the new extension instance has put itself here in `session_start`. The map hangs on `globalThis` because a reload
// evaluates this module anew; its keys are held weakly, so a session that is gone takes its instance with it.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";

type SessionKey = ExtensionContext["sessionManager"];

/** What one feature keeps per session. */
export interface Instances<T extends object> {
	/** Called by the instance of a session, in `session_start`. */
	put(session: SessionKey, instance: T): void;
	/** The instance that serves this session; `undefined` where the package is not loaded in it. */
	of(session: SessionKey): T | undefined;
}

/** Opens the map of one feature; the same `feature` gives the same map in every instance of the package in this process. */
export function openInstances<T extends object>(feature: string): Instances<T> {
	const key = Symbol.for(`pi-chronicle.instances.${feature}`);
	const host = globalThis as { [key]?: WeakMap<SessionKey, T> };
	host[key] ??= new WeakMap();
	const known = host[key];
	return {
		put: (session, instance) => void known.set(session, instance),
		of: (session) => known.get(session),
	};
}
