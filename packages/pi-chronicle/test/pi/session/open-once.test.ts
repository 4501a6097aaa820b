import { expect, it } from "vitest";
import { openOnce } from "../../../src/pi/index.ts";

it("openOnce opens once for all callers, and retries after a failure", async () => {
	let asked = 0;
	const open = openOnce(async () => {
		asked++;
		if (asked === 1) throw new Error("too many open files");
		return { asked };
	});
	const both = await Promise.allSettled([open(), open()]);
	expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
	expect(asked).toBe(1);
	const [first, second] = await Promise.all([open(), open()]);
	expect(first).toEqual({ asked: 2 });
	expect(await open()).toBe(first);
	expect(second).toBe(first);
});
