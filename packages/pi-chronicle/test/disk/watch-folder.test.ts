// A folder that cannot be watched is polled every 2 seconds, and only such a folder.

import files from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { watchFolder } from "../../src/disk/index.ts";
import { openInbox, postEvent } from "../../src/local/ledger/inbox.ts";
import { openFolder } from "../harness/folder.ts";
import { patient } from "../harness/patience.ts";

const { watch } = files;
beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => {
	vi.useRealTimers();
	files.watch = watch;
	syncBuiltinESMExports();
});

function withoutWatches(code: string): void {
	files.watch = (() => {
		throw Object.assign(new Error(code), { code });
	}) as unknown as typeof watch;
	syncBuiltinESMExports();
}

it.each(["ENOSPC", "EMFILE"])("%s: it is polled until it is closed", (code) => {
	withoutWatches(code);
	let calls = 0;
	const close = watchFolder(openFolder(), () => {
		calls += 1;
	});
	vi.advanceTimersByTime(6_100);
	expect(calls).toBe(3);
	close();
	vi.advanceTimersByTime(6_000);
	expect([calls, vi.getTimerCount()]).toEqual([3, 0]);
});

it("a folder that can be watched has no timer", () => {
	const close = watchFolder(openFolder(), () => {});
	expect(vi.getTimerCount()).toBe(0);
	close();
});

it("a command from another terminal reaches the holder of a run although its inbox cannot be watched", async () => {
	withoutWatches("ENOSPC");
	const folder = join(openFolder(), "inbox");
	const heard: string[] = [];
	const inbox = await openInbox(folder, {
		async event({ kind }) {
			heard.push(kind);
			return undefined;
		},
		unread: async () => {},
	});
	await postEvent(folder, { kind: "pause_requested", cause: "person", detail: "now" }, 1);
	expect(heard).toEqual([]);
	vi.advanceTimersByTime(2_000);
	await vi.waitFor(() => expect(heard).toEqual(["pause_requested"]), { timeout: patient(5_000) });
	await inbox.close();
});
