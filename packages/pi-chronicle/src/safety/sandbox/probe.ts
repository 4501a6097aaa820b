// Finds out whether this machine can contain commands, and how. Not a security boundary against root outside.
// Invariant: a form counts only if, on this machine, a write outside the writable paths failed, one inside succeeded, and exit code and
// output came through.
import { execFile } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { realPathOf } from "../../disk/index.ts";

/** The program that contains commands on this machine, and its first arguments; `undefined` if none works. */
export type SandboxProbe =
	| { readonly kind: "bwrap"; readonly bwrap: string; readonly options: readonly string[] }
	| { readonly kind: "seatbelt"; readonly program: string }
	| undefined;

/**
 * Root would keep rights with which it could undo read-only mounts, and could write the kernel's settings in `/proc` without any. It keeps
 * only those over the files of others, whom containers often leave a project to.
 */
const asRoot = [
	...["--remount-ro", "/proc", "--cap-drop", "ALL"],
	...["DAC_OVERRIDE", "CHOWN", "FOWNER", "FSETID"].flatMap((name) => ["--cap-add", `CAP_${name}`]),
];

/** From the strictest form to one that works in containers without a new `/proc`. */
const forms: readonly (readonly string[])[] = [
	["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid", "--unshare-ipc"],
	["--ro-bind", "/", "/", "--dev", "/dev"],
];

const seatbeltProgram = "/usr/bin/sandbox-exec";

/**
 * Tries the sandbox; takes a fraction of a second and leaves no trace. Call it once per session. `CHRONICLE_SANDBOX=off` in the environment
 * turns the sandbox off.
 */
export async function probeSandbox(env: NodeJS.ProcessEnv = process.env): Promise<SandboxProbe> {
	if (env.CHRONICLE_SANDBOX === "off") return undefined;
	if (process.platform === "darwin")
		return realPathOf(seatbeltProgram) === undefined ? undefined : { kind: "seatbelt", program: seatbeltProgram };
	const program = process.platform === "linux" ? findProgram("bwrap") : undefined;
	if (program === undefined) return undefined;
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "chronicle-probe-")));
	const rights = process.getuid?.() === 0 ? asRoot : [];
	try {
		for (const form of forms) {
			const options = [...form, ...rights];
			if (await works(program, options, folder)) return { kind: "bwrap", bwrap: program, options };
		}
		return undefined;
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

async function works(program: string, options: readonly string[], folder: string): Promise<boolean> {
	const outside = join(realPathOf(homedir()) ?? "/", `.chronicle-probe-${process.pid}`);
	const script = 'echo in > "$1/in" && ! (echo out > "$2") 2>/dev/null && cat "$1/in" && exit 7';
	const args = [...options, "--bind", folder, folder, "--", "/bin/sh", "-c", script, "sh", folder, outside];
	return new Promise((resolve) => {
		execFile(program, args, { timeout: 4000 }, (error, stdout) => {
			rmSync(outside, { force: true });
			resolve(error?.code === 7 && stdout === "in\n");
		});
	});
}

/** The real path of a program on PATH. */
function findProgram(name: string): string | undefined {
	const folders = (process.env.PATH ?? "").split(":").filter((folder) => folder.startsWith("/"));
	return folders.map((folder) => realPathOf(join(folder, name))).find((path) => path !== undefined);
}
