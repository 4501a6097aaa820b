// The page's process stays small, however many pages it has made.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { openFileStore } from "../../../src/local/ledger/index.ts";
import { openBench } from "../../harness/index.ts";
import { needsLinux } from "../../harness/needs.ts";
import { patient } from "../../harness/patience.ts";
import { created, value } from "../../local/ledger/sample-events.ts";
import { serve, Visitor } from "./page-bench.ts";

const runs = 150;
const most = 150;

/** Megabytes that the process has had in memory at most. */
function peakOf(pid: number): number {
	const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
	return Number(kilobytes) / 1024;
}

it(`${runs} runs, each shown three times, take at most ${most} MB`, {
	...needsLinux,
	timeout: patient(180_000),
}, async () => {
	const { project } = await openBench({ script: [] });
	const store = openFileStore({ sessions: project.path(".pi/chronicle/sessions"), clock: Date });
	for (let n = 0; n < runs; n += 1) {
		const ledger = value(await store.create(created({ id: randomUUID(), task: `Task ${n}` })));
		await ledger.releaseLease();
	}
	const { origin, link, pid } = await serve(project);
	const visitor = new Visitor(origin);
	await visitor.signIn(link);
	const { text } = await visitor.get("/");
	const pages = new Set([...text.matchAll(/href="(\/p\/[^"]+\/r\/[^"]+)"/g)].map(([, path = ""]) => path));
	expect(pages.size).toBe(runs);
	for (const path of [...pages, ...pages, ...pages]) expect((await visitor.get(path)).text).toContain("Task ");
	expect(peakOf(pid)).toBeLessThanOrEqual(most);
});
