// Finds a session's instance after pi has replaced the session. A command that called `newSession` continues in the old closure, in which
// the old `pi` throws; the new extension instance registers itself here in `session_start`. The map is on `globalThis` because a reload
// evaluates this module again. Its keys are weak, so a discarded session releases its instance.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";

type SessionKey = ExtensionContext["sessionManager"];

/** One feature's instances, by session. */
export interface Instances<T extends object> {
	/** Registers the instance of a session; called in `session_start`. */
	put(session: SessionKey, instance: T): void;
	/** The instance that serves this session; `undefined` if the package is not loaded in it. */
	of(session: SessionKey): T | undefined;
}

/** Opens the map of one feature. The same `feature` returns the same map in every instance of the package in this process. */
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
