// The notice of unfinished runs in a session that ends before the notice is ready.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { expect, it } from "vitest";
import { openScope } from "../../../src/pi/index.ts";
import { offerUnfinished } from "../../../src/ui/session/offer.ts";

it("does not reject, which would end pi, if pi refuses every use of the session's context", async () => {
	const ended = new Proxy({} as ExtensionContext, {
		get() {
			throw new Error("This extension ctx is stale.");
		},
	});
	await expect(offerUnfinished(openScope(), ended, () => Promise.reject(new Error("opened")))).resolves.toBeUndefined();
});
