// Setup commands of children: where and when they run, and that none runs without approval.
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Run } from "@pi-chronicle/core/machine";
import type { HeldLedger } from "@pi-chronicle/core/ports";
import { hashDefinition } from "@pi-chronicle/core/template";
import { describe, expect, it } from "vitest";
import { supervise } from "../../../src/local/supervisor/index.ts";
import { value } from "../ledger/sample-events.ts";
import { moveTo, type Play } from "./scripted-launcher.ts";
import { openStage, type Stage } from "./stage.ts";

const branch = (file: string) => ({ task: file, run: { states: { work: { persona: "B", next: ["done"] } } } });
const definition = (setup: readonly string[], more: object = {}) => ({
	name: "t",
	states: { build: { branches: { one: branch("a"), two: branch("b") }, setup, next: ["done"], ...more } },
});
const done: Play = moveTo("done");

/** The folders in which commands run, and the commands. */
function watch(stage: Stage) {
	const ran: { readonly command: string; readonly cwd: string; readonly workers: number }[] = [];
	const run: Stage["ports"]["commands"]["run"] = (command, cwd, ...more) => {
		ran.push({ command, cwd, workers: stage.orders.length });
		return stage.ports.commands.run(command, cwd, ...more);
	};
	return { ran, ports: { ...stage.ports, commands: { run } } };
}
const childrenOf = ({ children }: Run) => (children?.children ?? []).map(({ status, detail }) => [status, detail]);

describe("setup commands", () => {
	it("run in order in each child's own folder, before its worker", async () => {
		const stage = openStage([done, done]);
		const { ran, ports } = watch(stage);
		const ledger = await stage.create(definition(["npm ci", "make"], { max_parallel: 1 }));
		const { run } = await supervise(ledger, ports, "fresh").ended;
		expect(run.status).toBe("done");
		expect(ran.map(({ command, workers }) => [command, workers])).toEqual([
			["npm ci", 0],
			["make", 0],
			["npm ci", 1],
			["make", 1],
		]);
		const folders = [...new Set(ran.map(({ cwd }) => cwd))];
		expect(folders).toHaveLength(2);
		expect(folders).toEqual(stage.orders.map(({ cwd }) => cwd));
	});

	it("that fail park their child with the command and its exit code; nothing else of it runs", async () => {
		const stage = openStage([]);
		const { ran, ports } = watch(stage);
		const { run } = await supervise(await stage.create(definition(["fail early", "make"])), ports, "fresh").ended;
		expect(ran.map(({ command }) => command)).toEqual(["fail early", "fail early"]);
		expect(childrenOf(run)).toEqual(Array(2).fill(["parked", "The set-up command failed (exit code 1): fail early"]));
		expect(stage.orders).toEqual([]);
	});

	it.each<[what: string, approval: object]>([
		["that nobody has approved", {}],
		["other than those that were approved", { cleanupApproval: "0".repeat(64) }],
	])("%s do not run, and no worker starts", async (_what, approval) => {
		const stage = openStage([]);
		const { ran, ports } = watch(stage);
		const wanted = definition(["make"]);
		const template = { name: "t", hash: hashDefinition(wanted), definition: wanted };
		const first = { kind: "created", schemaVersion: 1, id: randomUUID(), template, task: "x", ...approval } as const;
		const ledger: HeldLedger = value(await stage.store.create(first));
		const { run } = await supervise(ledger, ports, "fresh").ended;
		expect([ran, stage.orders]).toEqual([[], []]);
		expect(childrenOf(run)).toEqual(
			Array(2).fill(["parked", expect.stringContaining("set-up commands are not approved")]),
		);
	});

	it("do not run for a child that resolves conflicts", async () => {
		const write =
			(text?: string): Play =>
			async (host, order, ended) => {
				writeFileSync(join(order.cwd, "same.txt"), `${text ?? order.cwd}\n`);
				await done(host, order, ended);
			};
		const stage = openStage([write(), write(), write("both")]);
		const { ran, ports } = watch(stage);
		const ledger = await stage.create(definition(["make"], { merge_by: "Merger" }));
		await supervise(ledger, ports, "fresh").ended;
		expect(stage.orders).toHaveLength(3);
		expect(ran.map(({ workers }) => workers < 2)).toEqual([true, true]);
	});
});
