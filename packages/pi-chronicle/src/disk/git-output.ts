// Asks git about a folder.
import { type ExecFileOptions, execFile } from "node:child_process";

/** The output of git in `folder`; `undefined` if it fails or is missing, and if the folder is none. */
export function gitOutput(
	folder: string,
	args: readonly string[],
	options: Pick<ExecFileOptions, "env" | "signal" | "timeout"> = {},
): Promise<string | undefined> {
	const asked = new Promise<string>((resolve, reject) => {
		// Throws if the folder is a file.
		execFile("git", [...args], { cwd: folder, maxBuffer: 64 * 1024 * 1024, ...options }, (error, stdout) =>
			error ? reject(error) : resolve(stdout),
		);
	});
	return asked.catch(() => undefined);
}
