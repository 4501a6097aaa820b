// Files that are written together: a failure at any of them leaves every file and folder as it was.
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type FileToWrite, writeTogether } from "../../src/disk/write-together.ts";
import { importDefinitions } from "../../src/tools/migration/import.ts";
import { writeDraft } from "../../src/tools/migration/write-drafts.ts";
import { saveDraft } from "../../src/tools/plan/plan.ts";
import { copyShipped, shippedNames } from "../../src/tools/shipped/index.ts";
import { openFolder } from "../harness/index.ts";
import { needsPosix } from "../harness/needs.ts";

/** Every path below a folder, with the text of files. */
function contentOf(folder: string): Record<string, string> {
	const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
	return Object.fromEntries(
		entries.map((entry) => {
			const path = join(entry.parentPath, entry.name);
			return [path.slice(folder.length + 1), entry.isFile() ? readFileSync(path, "utf8") : "(folder)"];
		}),
	);
}

/** Puts a file where a folder has to be, or a folder where a file has to be: writing there fails for every user. */
function block(path: string): void {
	if (extname(path) !== "") mkdirSync(path, { recursive: true });
	else {
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, "in the way\n");
	}
}

const paths = ["a/main.yaml", "a/one.md", "b/c/two.md", "d/three.md"];

describe("files that are written together", () => {
	it("are all written, the first one last", () => {
		const folder = openFolder({ "a/one.md": "old" });
		const times: string[] = [];
		const files = paths.map((path) => ({ path: join(folder, path), content: `new ${path}` }));
		const watched = files.map((file) => ({
			path: file.path,
			get content() {
				times.push(file.path.slice(folder.length + 1));
				return file.content;
			},
		}));
		writeTogether(watched, "replace");
		for (const path of paths) expect(readFileSync(join(folder, path), "utf8")).toBe(`new ${path}`);
		expect(times.at(-1)).toBe("a/main.yaml");
	});

	it.each(paths)("are all unchanged if %s cannot be written, new or replaced", (bad) => {
		for (const existing of ["fail", "replace"] as const) {
			const old = existing === "replace" ? ["a/one.md", "d/three.md"].filter((path) => path !== bad) : [];
			const texts = Object.fromEntries(old.map((path) => [path, "old"]));
			const folder = openFolder({ "kept.txt": "kept", ...texts, [`${bad}/folder.txt`]: "x" });
			const before = contentOf(folder);
			const files: FileToWrite[] = paths.map((path) => ({ path: join(folder, path), content: "new" }));
			expect(() => writeTogether(files, existing)).toThrow();
			expect(contentOf(folder)).toEqual(before);
		}
	});

	it("keep the mode of a replaced file, also when it is restored", needsPosix, () => {
		const folder = openFolder({ "a/one.md": "old", "a/main.yaml/folder.txt": "x" });
		const one = join(folder, "a/one.md");
		const mode = () => statSync(one).mode & 0o777;
		const before = mode();
		const files = ["a/main.yaml", "a/one.md"].map((path) => ({ path: join(folder, path), content: "new" }));
		expect(() => writeTogether(files, "replace")).toThrow();
		expect([readFileSync(one, "utf8"), mode()]).toEqual(["old", before]);
		writeTogether(files.slice(1), "replace");
		expect([readFileSync(one, "utf8"), mode()]).toEqual(["new", before]);
	});

	it("are all unwritten if one of them exists and must not be replaced, also as a dangling link", needsPosix, () => {
		const folder = openFolder({ "kept.txt": "kept" });
		symlinkSync(join(folder, "nowhere"), join(folder, "link.md"));
		const files = ["main.md", "link.md", "other.md"].map((path) => ({ path: join(folder, path), content: "new" }));
		expect(() => writeTogether(files, "fail")).toThrow(/EEXIST/);
		expect(readdirSync(folder).sort()).toEqual(["kept.txt", "link.md"]);
	});
});

/** Commands that write the files of a definition, as: the files that they write into an empty project. */
const writers: readonly (readonly [what: string, write: (cwd: string) => unknown])[] = [
	...shippedNames().map((name) => [`init ${name}`, (cwd: string) => copyShipped(name, cwd)] as const),
	...(["chronicle", "workflow"] as const).map(
		(kind) =>
			[
				`a plan for a ${kind}`,
				(cwd: string) => {
					const main = kind === "chronicle" ? ".pi/chronicle/workflows/new.yaml" : ".pi/workflows/new/workflow.yaml";
					const files = [main, ".pi/workflows/new/a.md", ".pi/agents/b.md"].map((path) => ({ path, text: path }));
					const why = saveDraft({ kind, key: "new", files: files as never }, cwd);
					if (why !== undefined) throw new Error(why);
				},
			] as const,
	),
	[
		importDefinitions.name,
		(cwd) => {
			const files = ["workflows/w/workflow.yaml", "workflows/shared/a.md", "workflows/w/b.md"];
			const [main = "", ...others] = files.map((path) => `.pi/${path}`);
			const placed = [main, ...others].map((path) => ({ path, text: path }));
			writeDraft(cwd, { name: "w", kind: "workflow", files: placed as never, from: "x", format: "x", notes: [] });
		},
	],
];

describe.each(writers)("%s", (_what, write) => {
	it("writes a whole definition or nothing, whichever of its files or folders cannot be created", () => {
		const whole = openFolder({ "package.json": "{}" });
		write(whole);
		const made = Object.keys(contentOf(whole)).filter((path) => path !== "package.json" && path !== ".pi");
		expect(made.length).toBeGreaterThan(3);
		for (const bad of made) {
			const cwd = openFolder({ "package.json": "{}" });
			block(join(cwd, bad));
			const before = contentOf(cwd);
			let failed = false;
			try {
				const result = write(cwd) as { message?: string; kept?: string[] } | undefined;
				failed = result?.message !== undefined;
				// An agent or a scenario that is there is used as it is.
				if (!failed && result?.kept?.includes(join(cwd, bad))) continue;
			} catch {
				failed = true;
			}
			expect([bad, failed, contentOf(cwd)]).toEqual([bad, true, before]);
		}
	});
});
