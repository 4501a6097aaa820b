// Makes the project of all plays in a new folder: `node packages/pi-chronicle/test/played/make-project.mjs <folder>`. Its commits have fixed authors and dates, so
// that everybody gets the same ids; one change is not committed.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const here = import.meta.dirname;

/** The commits: day, message, and the files that each adds. */
const commits = [
	[
		"2026-01-12",
		"Add up expenses by category",
		["package.json", "src", "vendor/tiny-args", "test/parse.test.js", "test/totals.test.js"],
	],
	[
		"2026-01-20",
		"Print only the largest categories with --top",
		["test/cli.test.js", "ops/expenses.csv", "README.md", "CHANGELOG.md"],
	],
	["2026-02-14", "Add the next version of tiny-args, and last night's log", ["vendor/tiny-args-2", "ops"]],
];

/** Creates the project in `folder`, which must not exist or be empty. */
export function makeProject(folder) {
	mkdirSync(folder, { recursive: true });
	const git = (args, day = "2026-01-01") =>
		execFileSync("git", args, {
			cwd: folder,
			env: {
				PATH: process.env.PATH,
				HOME: folder,
				GIT_CONFIG_NOSYSTEM: "1",
				...Object.fromEntries(
					["AUTHOR", "COMMITTER"].flatMap((who) => [
						[`GIT_${who}_NAME`, "Ada"],
						[`GIT_${who}_EMAIL`, "ada@example.com"],
						[`GIT_${who}_DATE`, `${day}T09:00:00Z`],
					]),
				),
			},
		});
	git(["init", "--quiet", "--template=", "--initial-branch=main"]);
	for (const [day, message, paths] of commits) {
		for (const path of paths) cpSync(join(here, "project", path), join(folder, path), { recursive: true });
		git(["add", "--all"]);
		git(["commit", "--quiet", "--no-verify", "-m", message], day);
	}
	cpSync(join(here, "change"), folder, { recursive: true });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
	const folder = process.argv[2];
	if (folder === undefined) throw new Error("usage: node packages/pi-chronicle/test/played/make-project.mjs <folder>");
	makeProject(resolve(folder));
}
