// The line about a run that is slow, where the output is no terminal.
import { PassThrough } from "node:stream";
import type { Run } from "@pi-chronicle/core/machine";
import { afterEach, expect, it, vi } from "vitest";
import { openLiveLine } from "../../../src/ui/cli/output.ts";
import { rewoundRun } from "../runs.ts";

afterEach(() => void vi.useRealTimers());

it("names a stage without a worker once, when it takes two seconds", () => {
	vi.useFakeTimers();
	const stream = new PassThrough();
	const line = openLiveLine(stream as unknown as NodeJS.WriteStream);
	const printed = () => String(stream.read() ?? "");
	const { run } = rewoundRun();
	const at = (visit: number, stage: object) => ({ ...run, visit, stage }) as Run;
	const baselining = { kind: "baselining", because: "entered" };
	line.show(at(1, baselining));
	vi.advanceTimersByTime(1900);
	expect(printed()).toBe("");
	vi.advanceTimersByTime(200);
	expect(printed()).toBe("… comparing files\n");
	line.show(at(1, baselining));
	vi.advanceTimersByTime(5000);
	line.show(at(1, { kind: "asking" }));
	vi.advanceTimersByTime(60_000);
	expect(printed()).toBe("");
	line.show(at(2, baselining));
	vi.advanceTimersByTime(2100);
	expect(printed()).toBe("… comparing files\n");
	line.show(at(3, baselining));
	line.close();
	vi.advanceTimersByTime(5000);
	expect(printed()).toBe("");
});
