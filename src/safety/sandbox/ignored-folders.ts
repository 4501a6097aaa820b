// The folders of a project that git ignores: a command that does not change the project may still install packages and write caches there.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmdirSync } from "node:fs";
import { basename, join } from "node:path";
import { attempt } from "../../disk/index.ts";

/** Folders that an install or a build makes, by the file that asks for them. */
const made: Readonly<Record<string, readonly string[]>> = {
	"package.json": ["node_modules"],
	"Cargo.toml": ["target"],
	"pyproject.toml": [".venv"],
	"requirements.txt": [".venv"],
	"composer.json": ["vendor"],
	"build.gradle": ["build", ".gradle"],
	"build.gradle.kts": ["build", ".gradle"],
	"pom.xml": ["target"],
};

/** Ignored folders that hold something else than what can be made again. */
const kept =
	/^(\.git|\.pi|\.claude|\.codex|\.gemini|\.cursor|\.idea|\.vscode|\.ssh|\.secrets?|secrets?|data|db|storage|uploads)$/;

export interface IgnoredFolders {
	/** Absolute. */
	readonly folders: readonly string[];
	/** Removes the folders that were created and are still empty. */
	close(): void;
}

/** The ignored folders below `root`; those that an install would make are created empty. */
export async function openIgnoredFolders(root: string): Promise<IgnoredFolders> {
	const listed = await git(root, ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"]);
	const folders = listed
		.split("\0")
		.filter((path) => path.endsWith("/"))
		.map((path) => join(root, path));
	const wanted = Object.entries(made).flatMap(([file, names]) => (existsSync(join(root, file)) ? names : []));
	const absent = [...new Set(wanted)].filter((name) => !existsSync(join(root, name)));
	const ignored = absent.length === 0 ? "" : await git(root, ["check-ignore", ...absent.map((name) => `${name}/`)]);
	const created = ignored
		.split("\n")
		.filter((path) => path !== "")
		.map((path) => join(root, path));
	for (const folder of created) attempt(() => mkdirSync(folder));
	return {
		folders: [...folders, ...created].filter((folder) => !kept.test(basename(folder))),
		close() {
			for (const folder of created)
				if (attempt(() => readdirSync(folder).length) === 0) attempt(() => rmdirSync(folder));
		},
	};
}

/** Output of git; empty outside a repository. */
function git(cwd: string, args: readonly string[]): Promise<string> {
	const quiet = ["-c", "core.fsmonitor=false"];
	return new Promise((resolve) => {
		execFile("git", [...quiet, ...args], { cwd, maxBuffer: 16 << 20, timeout: 5000 }, (_error, stdout) =>
			resolve(stdout),
		);
	});
}
