// The log of a host: one JSON object per line, or text.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openRedaction } from "../../pi-chronicle/src/safety/index.ts";
import { openHostLog, withFields } from "../src/log.ts";

const secret = "hunter2-hunter2";
const open = (format: "json" | "text", lines: string[]) =>
	openHostLog({
		...{ host: "a", hostId: "id", format, now: () => 0, write: (line) => void lines.push(line) },
		redact: openRedaction({ PGPASSWORD: secret }),
	});

describe("an entry of a host's log", () => {
	it("is one line of JSON with time, level, host and what it is about, whatever the message is", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary" }), (message) => {
				const lines: string[] = [];
				const report = withFields(open("json", lines), () => ({ run: "r", visit: 2, attempt: 3 }));
				report(message, { level: "warn" });
				expect(lines).toHaveLength(1);
				expect(lines[0]).not.toMatch(/[\n\r]/);
				const { message: said, ...rest } = JSON.parse(lines[0] ?? "") as Record<string, unknown>;
				expect(typeof said).toBe("string");
				const fields = { level: "warn", host: "a", host_id: "id", run: "r", visit: 2, attempt: 3 };
				expect(rest).toEqual({ time: "1970-01-01T00:00:00.000Z", ...fields });
			}),
		);
	});

	it("names the run, as text", () => {
		const lines: string[] = [];
		open("text", lines)("It waits.", { run: "12345678-0000", level: "error" });
		expect(lines).toEqual(["Run 12345678: It waits."]);
	});

	it.each(["json", "text"] as const)("has no secret: %s", (format) => {
		const lines: string[] = [];
		const report = open(format, lines);
		for (const text of [
			secret,
			`postgres://bob:${secret}@db/x`,
			"postgres://bob:other-word9@db/x",
			`token ghp_${"a1B2".repeat(9)}`,
		])
			report(`It failed: ${text}`);
		expect(lines.join("\n")).not.toMatch(/hunter2|other-word9|ghp_a1B2/);
	});
});
