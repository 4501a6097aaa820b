// The harness notices files that a test leaves open.
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openFolder } from "./folder.ts";
import { expectFilesClosed } from "./open-files.ts";

it("fails with the path and the opener of a file that stays open, once", async () => {
	const path = join(openFolder({ "left.txt": "left" }), "left.txt");
	async function forgetToClose() {
		return open(path, "r");
	}
	const file = await forgetToClose();
	const failure = await expectFilesClosed(0).then(
		() => undefined,
		(error: Error) => error,
	);
	await file.close();
	expect(failure?.message).toContain(path);
	expect(failure?.stack).toContain("forgetToClose");
	await expectFilesClosed(0);
});

it("waits for a file that is being closed, and accepts those that are closed", async () => {
	const path = join(openFolder({ "a.txt": "a" }), "a.txt");
	expect(await readFile(path, "utf8")).toBe("a");
	await (await open(path, "r")).close();
	await expectFilesClosed(0);
	const late = await open(path, "r");
	setTimeout(() => void late.close(), 20);
	await expectFilesClosed(10_000);
});
