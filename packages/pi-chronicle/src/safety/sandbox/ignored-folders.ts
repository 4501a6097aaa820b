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

/** Milliseconds for which a list counts. Commands for which the folders are opened cannot make others. */
const freshMs = 60_000;

/**
 * Opens the ignored folders below `root` for one command after the other. The folders that an install would make, and that git would ignore, are
 * created empty.
 */
export function ignoredFoldersOf(root: string): () => Promise<IgnoredFolders> {
	let list: ReturnType<typeof listIgnored> | undefined;
	let until = 0;
	return async () => {
		const now = Date.now();
		if (!list || now >= until) {
			until = now + freshMs;
			list = listIgnored(root);
		}
		const { folders, installed } = await list;
		const created = installed.filter((folder) => !existsSync(folder));
		for (const folder of created) attempt(() => mkdirSync(folder));
		return {
			folders: [...new Set([...folders, ...installed])].filter((folder) => !kept.test(basename(folder))),
			close() {
				for (const folder of created)
					if (attempt(() => readdirSync(folder).length) === 0) attempt(() => rmdirSync(folder));
			},
		};
	};
}

/** The ignored folders that exist, and those that an install would make. */
async function listIgnored(root: string): Promise<{ folders: string[]; installed: string[] }> {
	const wanted = Object.entries(made).flatMap(([file, names]) => (existsSync(join(root, file)) ? names : []));
	const names = [...new Set(wanted)].filter((name) => !existsSync(join(root, name))).map((name) => `${name}/`);
	const [listed, ignored] = await Promise.all([
		git(root, ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"]),
		names.length === 0 ? "" : git(root, ["check-ignore", ...names]),
	]);
	const paths = (text: string, end: string) => text.split(end).filter((path) => path.endsWith("/"));
	const absolute = (path: string) => join(root, path.slice(0, -1));
	return { folders: paths(listed, "\0").map(absolute), installed: paths(ignored, "\n").map(absolute) };
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
