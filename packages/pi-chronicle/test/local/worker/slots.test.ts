// The bound on workers of all runs on this machine.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sweepSlots, takeSlot } from "../../../src/local/worker/worker-bound.ts";
import { processStart } from "../../../src/process/index.ts";

let folder: string;
beforeEach(() => {
	folder = join(mkdtempSync(join(tmpdir(), "slots-")), "slots");
});
afterEach(() => rmSync(join(folder, ".."), { recursive: true, force: true }));

/** A place that another process has taken. */
function place(host: string, pid: number, started: string): string {
	const name = [host, String(pid), started, "x"].map(encodeURIComponent).join("~");
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, name), "");
	return name;
}
const mine = () => place(hostname(), process.pid, processStart(process.pid) ?? "unknown");

function take(most: number): () => void {
	const taken = takeSlot(folder, most);
	if (typeof taken === "string") throw new Error(taken);
	return taken;
}

describe("a slot", () => {
	it("whose file cannot be removed ends no supervisor", () => {
		const release = take(1);
		rmSync(folder, { recursive: true });
		writeFileSync(folder, "");
		expect(release).not.toThrow();
	});

	it("can be taken up to the bound, and is free again when released", () => {
		const first = take(2);
		const second = take(2);
		expect(takeSlot(folder, 2)).toBe("taken");
		expect(readdirSync(folder)).toHaveLength(2);
		first();
		take(2)();
		second();
		expect(readdirSync(join(folder, ".."))).toEqual([]);
	});

	it("of a living process counts; that of a dead process, or of one whose pid was reused, is removed", () => {
		const living = mine();
		place(hostname(), 2 ** 30, "1");
		place(hostname(), process.pid, "another start");
		expect(takeSlot(folder, 1)).toBe("taken");
		expect(readdirSync(folder)).toEqual([living]);
	});

	it("of another machine neither counts nor is removed", () => {
		const other = place("elsewhere", 2 ** 30, "1");
		const release = take(1);
		expect(readdirSync(folder)).toHaveLength(2);
		release();
		expect(readdirSync(folder)).toEqual([other]);
	});

	it("cannot be taken if its folder cannot be created", () => {
		writeFileSync(folder, "a file");
		expect(takeSlot(folder, 1)).toBe("unusable");
	});
});

describe("a sweep", () => {
	it("removes the slots of dead processes, and the folder once it is empty", () => {
		place(hostname(), 2 ** 30, "1");
		const living = mine();
		sweepSlots(folder);
		expect(readdirSync(folder)).toEqual([living]);
		rmSync(join(folder, living));
		place(hostname(), 2 ** 30, "1");
		sweepSlots(folder);
		expect(readdirSync(join(folder, ".."))).toEqual([]);
		expect(() => sweepSlots(folder)).not.toThrow();
	});
});
