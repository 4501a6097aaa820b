// A project on disk with its own temporary home and agent folder, so that nothing of the user who
// runs the tests is read or written. Closing it checks that no process started for it is alive, then removes all of it.
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { assertHarmless } from "./harmless.ts";
import { closeLater } from "./lifetime.ts";
import { scriptedModels } from "./models.ts";
import { assertNoProcessWith, killQuietly, processesWith, type TaggedProcess, tagVariable } from "./processes.ts";
import { compileCache } from "./under-test.ts";

/** Path inside a folder → content; a value that is no text or bytes is written as JSON. */
export type Files = Record<string, unknown>;

export interface ProjectOptions {
	/** The model server that provider `scripted` points to; without one no model is configured. */
	server?: { url: string };
	/** Files of the project folder. */
	files?: Files;
	/** Files of pi's agent folder (`~/.pi/agent` of this project's home). */
	agentFiles?: Files;
	/** pi's settings of the user (`settings.json` of the agent folder); ours are under its key `chronicle`. */
	settings?: Record<string, unknown>;
	/** What pi has saved about trusting the project; left out, nothing is saved and pi decides by itself. */
	trusted?: boolean;
	/** Makes the project a git repository whose first commit holds `files`. */
	git?: boolean;
	/** Name of the project folder. */
	name?: string;
	/** A project whose home this one shares: another project of the same user. What the home has stays, unless it is named here. */
	beside?: Project;
}

export interface Project {
	/** The project folder (real path), pi's working directory. */
	folder: string;
	home: string;
	agentFolder: string;
	/** Value of the environment variable that every process of this project carries. */
	tag: string;
	/** The environment for a process of this project; only PATH and language come from the caller. */
	environment(extra?: Record<string, string | undefined>): Record<string, string>;
	/** Absolute path of a file of the project. */
	path(...parts: string[]): string;
	write(path: string, content: unknown): string;
	/** The text of a file of the project; throws when it is missing. */
	read(path: string): string;
	exists(path: string): boolean;
	/** Paths of all files under a folder of the project, sorted, with `/`; without `.git`. */
	list(folder?: string): string[];
	/** Runs git in the project; throws its output if it fails. */
	git(...args: string[]): string;
	/** Session files that pi has written for this project, oldest first. */
	sessionFiles(): string[];
	/** Processes that were started for this project and are alive. */
	processes(): TaggedProcess[];
	/** Ends processes that a test leaves behind on purpose. */
	killProcesses(): void;
	/** Removes everything; called by itself when the test or the file ends. Throws when processes are left. */
	close(): Promise<void>;
}

/** Opens a project; see {@link ProjectOptions}. */
export function openProject(options: ProjectOptions = {}): Project {
	const { beside } = options;
	const base = beside ? undefined : realpathSync(mkdtempSync(join(tmpdir(), "chronicle-test-")));
	const home = beside?.home ?? join(base ?? "", "home");
	const folder = join(home, options.name ?? "project");
	const agentFolder = join(home, ".pi", "agent");
	const tag = randomUUID();
	mkdirSync(folder, { recursive: true });
	mkdirSync(agentFolder, { recursive: true });

	const environment = (extra: Record<string, string | undefined> = {}) => {
		const { PATH, LANG, SystemRoot } = process.env;
		const wanted: Record<string, string | undefined> = {
			PATH,
			LANG: LANG ?? "C.UTF-8",
			SystemRoot,
			HOME: home,
			USERPROFILE: home,
			TMPDIR: tmpdir(),
			NODE_COMPILE_CACHE: compileCache(),
			PI_CODING_AGENT_DIR: agentFolder,
			PI_OFFLINE: "1",
			PI_TELEMETRY: "0",
			GIT_CONFIG_NOSYSTEM: "1",
			[tagVariable]: tag,
			...extra,
		};
		return Object.fromEntries(
			Object.entries(wanted).filter((entry): entry is [string, string] => entry[1] !== undefined),
		);
	};
	const git = (...args: string[]) => {
		const done = spawnSync("git", args, { cwd: folder, env: environment(), encoding: "utf8" });
		if (done.status !== 0) throw new Error(`git ${args.join(" ")} failed:\n${done.stderr}${done.stdout}`);
		return done.stdout;
	};

	if (!beside)
		writeFiles(home, {
			".gitconfig": "[user]\n\tname = Test\n\temail = test@example.invalid\n[init]\n\tdefaultBranch = main\n",
		});
	writeFiles(agentFolder, {
		...(beside ? {} : { "settings.json": { quietStartup: true, ...options.settings } }),
		...(options.server ? { "models.json": scriptedModels(options.server.url) } : {}),
		...(options.trusted === undefined ? {} : { "trust.json": { [folder]: options.trusted } }),
		...options.agentFiles,
	});
	writeFiles(folder, options.files ?? {});
	if (options.git) {
		git("init", "-q");
		git("add", "-A");
		git("commit", "-q", "--allow-empty", "-m", "Start");
	}

	const close = closeLater(async () => {
		try {
			await assertNoProcessWith(tagVariable, tag);
		} finally {
			rmSync(base ?? folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
		}
	});
	const path = (...parts: string[]) => join(folder, ...parts);
	const processes = () => processesWith(tagVariable, tag);
	return {
		folder,
		home,
		agentFolder,
		tag,
		environment,
		path,
		write: (name, content) => writeFile(path(name), content),
		read: (name) => readFileSync(path(name), "utf8"),
		exists: (name) => existsSync(path(name)),
		list: (name = ".") => listFiles(path(name)).map((file) => (name === "." ? file : `${name}/${file}`)),
		git,
		sessionFiles: () => {
			const sessions = join(agentFolder, "sessions");
			return listFiles(sessions).map((file) => join(sessions, file));
		},
		processes,
		killProcesses: () => {
			for (const { pid } of processes()) killQuietly(pid);
		},
		close,
	};
}

/** Writes `files` below `folder`, making the folders they need. */
export function writeFiles(folder: string, files: Files): void {
	for (const [name, content] of Object.entries(files)) writeFile(join(folder, name), content);
}

function writeFile(path: string, content: unknown): string {
	mkdirSync(dirname(path), { recursive: true });
	const data =
		typeof content === "string" || content instanceof Uint8Array ? content : `${JSON.stringify(content, null, "\t")}\n`;
	if (typeof data === "string") assertHarmless(data);
	writeFileSync(path, data);
	return path;
}

function listFiles(folder: string): string[] {
	if (!existsSync(folder)) return [];
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => !entry.isDirectory())
		.map((entry) =>
			join(entry.parentPath, entry.name)
				.slice(folder.length + 1)
				.replaceAll("\\", "/"),
		)
		.filter((name) => !name.startsWith(".git/"))
		.sort();
}
