// Before `npm publish`: refuses what is not a release, so that no version number stands for two builds. Run in the package's folder.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const versionIn = (folder) => JSON.parse(readFileSync(`${folder}/package.json`, "utf8")).version;
const git = (...args) => spawnSync("git", args, { cwd: root, encoding: "utf8" }).stdout.trim();

const version = versionIn(".");
const changelog = readFileSync(`${root}/CHANGELOG.md`, "utf8");
const problems = [
	[/^\d+\.\d+\.\d+$/.test(version), `${version} is a version between releases.`],
	[version === versionIn(root), `The version of the repository is ${versionIn(root)}.`],
	[changelog.includes(`\n## [${version}] - `), `CHANGELOG.md has no section "## [${version}] - <date>".`],
	[git("tag", "--points-at", "HEAD").split("\n").includes(`v${version}`), `HEAD has no tag v${version}.`],
	[git("status", "--porcelain", "--untracked-files=no") === "", "There are changes that are not committed."],
].flatMap(([holds, problem]) => (holds ? [] : [problem]));
if (problems.length > 0) {
	process.stderr.write(
		`Not published. ${problems.join(" ")}\nCONTRIBUTING.md, "Commits and releases", has the steps.\n`,
	);
	process.exitCode = 1;
}
