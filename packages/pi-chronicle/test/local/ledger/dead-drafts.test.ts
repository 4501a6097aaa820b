// Drafts that a process left next to a run's files because it was killed while writing.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { openFileStore } from "../../../src/local/ledger/index.ts";
import { openFolder } from "../../harness/folder.ts";

const id = "0a1b2c3d-0000-4000-8000-0000000000dd";

it("the next holder of a run removes the drafts of dead processes, and no others", async () => {
	const sessions = join(openFolder(), "sessions");
	const copies = { folder: join(openFolder(), "copies"), project: openFolder() };
	const store = openFileStore({ sessions, copies, clock: { now: () => 0 } });
	const definition = { states: { build: { persona: "B", next: ["done"] } } };
	const created = await store.create({
		kind: "created",
		schemaVersion: 1,
		id,
		template: { name: "t", hash: "h", definition },
		task: "x",
	});
	if (!created.ok) throw new Error(created.failure.message);
	await created.value.releaseLease();
	const { pid: dead } = spawnSync(process.execPath, ["--version"]);
	const drafts = (pid: number) => [
		join(sessions, id, `.lease.1.${pid}`),
		join(sessions, id, `.lease.12.${pid}`),
		join(sessions, `.${id}.json.${pid}.tmp`),
		join(copies.folder, `.${id}.events.jsonl.${pid}.tmp`),
		join(sessions, id, `.children.path.${pid}.tmp`),
		join(sessions, id, "workers", `.1.1.jsonl.${pid}.tmp`),
		join(sessions, id, "files", `.joining.${pid}.tmp`),
		join(sessions, id, "apart", "files", `.joining.${pid}.tmp`),
	];
	const folderDraft = join(sessions, id, `.placing.${dead}.tmp`, "node_modules");
	mkdirSync(folderDraft, { recursive: true });
	const kept = [...drafts(process.pid), join(sessions, id, ".lease"), join(sessions, ".other.json.1.tmp")];
	for (const path of [...drafts(dead), ...kept]) {
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, "{");
	}
	const opened = await store.open(id);
	if (!opened.ok) throw new Error(opened.failure.message);
	await opened.value.releaseLease();
	expect([...drafts(dead), folderDraft].filter((path) => existsSync(path))).toEqual([]);
	expect(kept.filter((path) => !existsSync(path))).toEqual([]);
});
