// Running git for ourselves: nothing of the person's or the project's configuration, hooks, filters or prompts takes part.
// G1 no shell; G2 every GIT_ variable of the surroundings is left out; G3 output is bytes, since names of files may be any; G4 a git that is
// missing, or fails, is a value.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";

export interface GitCall {
	readonly args: readonly string[];
	readonly cwd: string;
	/** Variables of this call, such as `GIT_DIR`. */
	readonly env?: Readonly<Record<string, string>>;
	readonly input?: Buffer;
	/** Whose configuration holds: ours (default), or the person's own, for asking what they have set. */
	readonly settings?: "ours" | "persons";
	/** Bytes of output that are enough: git is stopped after them. Default: all of it. */
	readonly enough?: number;
}

export type GitResult =
	| { readonly kind: "done"; readonly output: Buffer; readonly cut: boolean }
	| { readonly kind: "failed"; readonly code: number; readonly message: string }
	| { readonly kind: "missing" };

/** Modes of the entries of a tree. */
export const modes = { file: "100644", program: "100755", link: "120000", repository: "160000" };

const nowhere = process.platform === "win32" ? "NUL" : "/dev/null";

const isolation = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: nowhere, GIT_ATTR_NOSYSTEM: "1" };

/** Configuration that holds for every call, whatever the repository says. */
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

/** Runs git. Never rejects. */
export async function runGit({ args, cwd, env = {}, input, settings = "ours", enough }: GitCall): Promise<GitResult> {
	const clean = Object.fromEntries(
		Object.entries(process.env).filter(
			([name]) => !name.startsWith("GIT_") || (settings === "persons" && name.startsWith("GIT_CONFIG")),
		),
	);
	return new Promise((resolve) => {
		const child = spawn("git", [...firm, ...args], {
			cwd,
			env: {
				...clean,
				...(settings === "ours" ? isolation : {}),
				GIT_TERMINAL_PROMPT: "0",
				GIT_OPTIONAL_LOCKS: "0",
				LC_ALL: "C",
				...env,
			},
			stdio: ["pipe", "pipe", "pipe"],
			windowsHide: true,
		});
		const pieces: Buffer[] = [];
		let length = 0;
		let cut = false;
		let complaint = "";
		child.on("error", (error: NodeJS.ErrnoException) => {
			// A folder that is not there gives the same code as a program that is not.
			const missing = error.code === "ENOENT" && existsSync(cwd);
			resolve(missing ? { kind: "missing" } : { kind: "failed", code: -1, message: error.message });
		});
		// Where file descriptors run out there are no streams; the error comes a moment later.
		if (!child.stdout || !child.stderr || !child.stdin) return;
		child.stdout.on("data", (piece: Buffer) => {
			if (cut) return;
			pieces.push(piece);
			length += piece.length;
			if (enough === undefined || length <= enough) return;
			cut = true;
			child.kill();
		});
		child.stderr.on("data", (piece: Buffer) => {
			complaint = `${complaint}${piece.toString("utf8")}`.slice(-4000);
		});
		child.on("close", (code) => {
			if (code === 0 || cut) resolve({ kind: "done", output: Buffer.concat(pieces), cut });
			else resolve({ kind: "failed", code: code ?? -1, message: complaint.trim() });
		});
		child.stdin.on("error", () => {});
		child.stdin.end(input);
	});
}
