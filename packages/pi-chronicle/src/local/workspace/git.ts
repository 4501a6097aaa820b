// Runs git without the user's or the project's configuration, hooks, filters or prompts.
// No shell; the GIT_ variables of the environment are not passed on, nor those that lead to an engine's database; output is bytes, since file names need not be UTF-8; a missing,
// failed, killed or aborted git is a value, not an exception.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { errorMessage } from "@pi-chronicle/core/definition";

export interface GitCall {
	readonly args: readonly string[];
	readonly cwd: string;
	/** Variables of this call, such as `GIT_DIR`. */
	readonly env?: Readonly<Record<string, string>>;
	readonly input?: Buffer;
	/** The applied configuration: this package's (default), or the user's, to read their settings. */
	readonly settings?: "ours" | "users";
	/** Bytes of output after which git is stopped. Default: none. */
	readonly enough?: number;
	/** Exit codes above 0 that are not failures. */
	readonly accept?: readonly number[];
	/** Stops git: SIGTERM, so that it removes its locks, and SIGKILL after a second. */
	readonly signal?: AbortSignal | undefined;
}

export type GitResult =
	/** `code`: 0 or one that the call accepts. `warnings`: what it wrote to stderr, bytes as latin1. */
	| {
			readonly kind: "done";
			readonly code: number;
			readonly output: Buffer;
			readonly cut: boolean;
			readonly warnings: string;
	  }
	/** `message`: stderr, without the NUL characters that a remote can send; `raw`: as latin1 bytes. `killed`: the signal that killed it, not sent by us. */
	| {
			readonly kind: "failed";
			readonly code: number;
			readonly message: string;
			readonly raw: string;
			readonly killed?: string;
	  }
	| { readonly kind: "aborted" }
	| { readonly kind: "missing" };

/** Modes of the entries of a tree. */
export const modes = { file: "100644", program: "100755", link: "120000", repository: "160000" };

/** Whether an entry of this mode is a file with text or bytes, and no link or repository. */
export function isFileMode(mode: string): boolean {
	return mode === modes.file || mode === modes.program;
}

const nowhere = process.platform === "win32" ? "NUL" : "/dev/null";

const isolation = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: nowhere, GIT_ATTR_NOSYSTEM: "1" };

/** Milliseconds for an aborted git to remove its locks. */
const graceMs = 1000;

const stderrLength = 20_000;

/** Settings for every call, regardless of the repository's configuration. */
const firm = [
	"core.hooksPath=/dev/null",
	"core.fsmonitor=false",
	"core.untrackedCache=false",
	"core.autocrlf=false",
	"core.quotePath=false",
	"gc.auto=0",
	"maintenance.auto=false",
	"safe.directory=*",
	"submodule.recurse=false",
	"diff.renames=true",
	"advice.addEmbeddedRepo=false",
].flatMap((setting) => ["-c", setting]);

function gitEnvironment({ env = {}, settings = "ours" }: GitCall): NodeJS.ProcessEnv {
	const clean = Object.fromEntries(
		Object.entries(process.env).filter(
			([name]) =>
				!/^(?:GIT_|PG|PI_CHRONICLE_ENGINE$)/.test(name) || (settings === "users" && name.startsWith("GIT_CONFIG")),
		),
	);
	return {
		...clean,
		...(settings === "ours" ? isolation : {}),
		GIT_TERMINAL_PROMPT: "0",
		GIT_OPTIONAL_LOCKS: "0",
		LC_ALL: "C",
		...env,
	};
}

/** Runs git. Never rejects. */
export async function runGit(call: GitCall): Promise<GitResult> {
	if (call.signal?.aborted) return { kind: "aborted" };
	try {
		return await spawnGit(call);
	} catch (error) {
		// Node throws some errors of a start instead of emitting them, such as ENOTDIR and E2BIG.
		return { kind: "failed", code: -1, message: errorMessage(error), raw: "" };
	}
}

function spawnGit(call: GitCall): Promise<GitResult> {
	const { args, cwd, input, enough, accept = [], signal } = call;
	return new Promise((resolve) => {
		const child = spawn("git", [...firm, ...args], {
			cwd,
			env: gitEnvironment(call),
			stdio: [input ? "pipe" : "ignore", "pipe", "pipe"],
			windowsHide: true,
		});
		const pieces: Buffer[] = [];
		let length = 0;
		let cut = false;
		let stderr = "";
		let kill: NodeJS.Timeout | undefined;
		const abort = (): void => {
			child.kill();
			kill ??= setTimeout(() => child.kill("SIGKILL"), graceMs);
		};
		const end = (result: GitResult): void => {
			clearTimeout(kill);
			signal?.removeEventListener("abort", abort);
			resolve(result);
		};
		signal?.addEventListener("abort", abort, { once: true });
		child.on("error", (error: NodeJS.ErrnoException) => {
			// A missing folder gives the same code as a missing program.
			const missing = error.code === "ENOENT" && existsSync(cwd);
			end(missing ? { kind: "missing" } : { kind: "failed", code: -1, message: errorMessage(error), raw: "" });
		});
		// Without free file descriptors there are no streams; the error event follows.
		if (!child.stdout || !child.stderr) return;
		child.stdout.on("data", (piece: Buffer) => {
			if (cut) return;
			pieces.push(piece);
			length += piece.length;
			if (enough === undefined || length <= enough) return;
			cut = true;
			child.kill();
		});
		child.stderr.on("data", (piece: Buffer) => {
			stderr = `${stderr}${piece.toString("latin1")}`.slice(-stderrLength);
		});
		child.on("close", (code, killed) => {
			const fine = code !== null && (code === 0 || accept.includes(code));
			if (fine || cut)
				return end({ kind: "done", code: code ?? 0, output: Buffer.concat(pieces), cut, warnings: stderr });
			if (signal?.aborted) return end({ kind: "aborted" });
			const message = Buffer.from(stderr, "latin1").toString("utf8").replaceAll("\0", "").trim();
			end({ kind: "failed", code: code ?? -1, message, raw: stderr, ...(killed === null ? {} : { killed }) });
		});
		child.stdin?.on("error", () => {});
		child.stdin?.end(input);
	});
}

/** Between two queries of one `git rev-parse`, which repeats an option that it does not know. */
const NEXT_ANSWER = "--next-answer";

/** Arguments of git for several queries of `rev-parse`; {@link answersOf} takes the answers apart, even paths with line breaks. */
export function revParse(...queries: readonly (readonly string[])[]): string[] {
	return ["rev-parse", ...queries.flatMap((query, at) => (at === 0 ? query : [NEXT_ANSWER, ...query]))];
}

export function answersOf(output: Buffer | string): string[] {
	return String(output)
		.split(`${NEXT_ANSWER}\n`)
		.map((answer) => answer.replace(/\n$/, ""));
}

/** An entry of a tree or of the index. */
export interface TreeEntry {
	/** Bytes as latin1. */
	readonly path: string;
	readonly mode: string;
	readonly object: string;
}

/** Names as git's `-z` options read them. */
export function nulled(names: readonly string[]): Buffer {
	return Buffer.from(names.map((name) => `${name}\0`).join(""), "latin1");
}

/** Lines for `update-index --index-info`: the entries to set; one whose object is all zeros is removed. */
export function indexInfo(entries: readonly TreeEntry[]): Buffer {
	const lines = entries.map(({ mode, object, path }) => `${isNothing(object) ? "0" : mode} ${object}\t${path}\0`);
	return Buffer.from(lines.join(""), "latin1");
}

/** The tree edit that removes `path`. */
export function removal(path: string): TreeEntry {
	return { path, mode: "0", object: "0".repeat(40) };
}

/** Whether an object name is the null object name. */
export function isNothing(object: string): boolean {
	return /^0+$/.test(object);
}

/** The first `bytes` bytes of a text, without a part of a character. */
export function cutBytes(text: string, bytes: number): string {
	const cut = Buffer.from(text).subarray(0, bytes).toString("utf8");
	return cut.replace(/\ufffd+$/, "");
}
