// The home directory of a run's sandbox: whatever a deletion that was stopped midway has left of it, commands start in it.
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openOwnHome } from "../../../src/safety/sandbox/own-home.ts";
import { openFolder } from "../../harness/folder.ts";

it("has all of its stores again after some were deleted", async () => {
	const base = openFolder();
	const open = () => openOwnHome(join(base, "own"), { home: join(base, "home"), env: () => undefined });
	const { folder, stores, filled } = await open();
	await filled;
	for (const name of stores) {
		rmSync(join(folder, name), { recursive: true });
		const again = await open();
		await again.filled;
		expect(stores.filter((each) => !existsSync(join(folder, each)))).toEqual([]);
	}
});
