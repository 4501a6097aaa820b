// Tests whether this machine can run a command without letting it change files. Not a security boundary against root.
// Invariant: a form counts only if, on this machine, a write outside the writable paths failed, one inside succeeded, and exit code and
// output came through.
import { execFile } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { realPathOf } from "../../disk/index.ts";

/** Arguments of bwrap that work on this machine, before the writable paths; `undefined` if none do. */
export type SandboxProbe = { readonly bwrap: string; readonly options: readonly string[] } | undefined;

/** From the strictest form to one that works in containers without a PID namespace. */
const forms: readonly (readonly string[])[] = [
	["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid", "--die-with-parent"],
	["--ro-bind", "/", "/", "--dev", "/dev", "--die-with-parent"],
	["--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev", "--die-with-parent"],
];

/**
 * Tries the sandbox; takes a fraction of a second and leaves no trace. Call it once per session. `CHRONICLE_SANDBOX=off` in the environment
 * turns the sandbox off.
 */
export async function probeSandbox(): Promise<SandboxProbe> {
	if (process.platform !== "linux" || process.env.CHRONICLE_SANDBOX === "off") return undefined;
	const bwrap = find("bwrap");
	if (bwrap === undefined) return undefined;
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "chronicle-probe-")));
	try {
		for (const options of forms) if (await works(bwrap, options, folder)) return { bwrap, options };
		return undefined;
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

async function works(bwrap: string, options: readonly string[], folder: string): Promise<boolean> {
	const outside = join(realPathOf(homedir()) ?? "/", `.chronicle-probe-${process.pid}`);
	const script = 'echo in > "$1/in" && ! (echo out > "$2") 2>/dev/null && cat "$1/in" && exit 7';
	const args = [...options, "--bind", folder, folder, "--", "/bin/sh", "-c", script, "sh", folder, outside];
	return new Promise((resolve) => {
		execFile(bwrap, args, { timeout: 4000 }, (error, stdout) => {
			rmSync(outside, { force: true });
			resolve(error?.code === 7 && stdout === "in\n");
		});
	});
}

function find(program: string): string | undefined {
	const folders = (process.env.PATH ?? "").split(":").filter((folder) => folder.startsWith("/"));
	return folders.map((folder) => realPathOf(join(folder, program))).find((path) => path !== undefined);
}
