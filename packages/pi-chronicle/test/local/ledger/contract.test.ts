// The store's contract, with files and in memory. The store in Postgres has a file of its own.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { openFileStore } from "../../../src/local/ledger/index.ts";
import { openMemoryStore } from "./memory-store.ts";
import { testLedgerStore } from "./store-contract.ts";

const folders: string[] = [];
const folder = () => {
	const path = mkdtempSync(join(tmpdir(), "ledger-"));
	folders.push(path);
	return path;
};
afterAll(() => {
	for (const path of folders) rmSync(path, { recursive: true, force: true });
});

let now = Date.UTC(2030, 0, 1);
const clock = { now: () => (now += 10) };

testLedgerStore("files", () => openFileStore({ sessions: join(folder(), ".pi", "chronicle", "sessions"), clock }));
testLedgerStore("memory", () => openMemoryStore({ clock, folder: folder() }));
