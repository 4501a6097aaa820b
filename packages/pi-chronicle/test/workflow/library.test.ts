import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Catalogue } from "../../src/workflow/definitions/index.ts";
import { openLibrary } from "../../src/workflow/session/library.ts";
import { openFolder } from "../harness/index.ts";
import { workflowFiles } from "./stage.ts";

it("completions do not read the disk for every key, commands always use the current files", () => {
	const folder = openFolder();
	const write = (key: string) => {
		for (const [path, content] of Object.entries(workflowFiles({ [key]: ["a"] }))) {
			mkdirSync(join(folder, path, ".."), { recursive: true });
			writeFileSync(join(folder, path), content);
		}
	};
	write("one");
	const library = openLibrary(join(folder, "nowhere"));
	const place = { cwd: folder, trusted: true };
	const own = ({ commands }: Catalogue) =>
		[...commands].filter(([, { tier }]) => tier !== "shipped").map(([name]) => name);
	const first = library.recent(place);
	expect(own(first)).toEqual(["one"]);
	write("two");
	expect(library.recent(place)).toBe(first);
	expect(own(library.load(place))).toEqual(["one", "two"]);
	expect(own(library.recent(place))).toEqual(["one", "two"]);
	expect(own(library.recent({ ...place, trusted: false }))).toEqual([]);
});
