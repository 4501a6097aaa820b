// Runs a command in the real bash over a small tree of files and reports what changed on disk.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { hostEnvironment } from "../../pi-chronicle/src/pi/project/host-environment.ts";
import type { HostEnvironment } from "../src/index.ts";
import { tree } from "./shell-commands.ts";

export interface RealBash {
	/** Puts the tree into its first state and answers how a footprint sees it. */
	prepare(): HostEnvironment;
	/** Runs the command; absolute paths that were made or changed, and those that are gone. */
	run(command: string): { readonly changed: readonly string[]; readonly gone: readonly string[] };
	close(): void;
}

/** Opens a place to run commands in: confined by bwrap where that works, many folders deep below a temporary one everywhere. */
export function openRealBash(): RealBash {
	const top = realpathSync(mkdtempSync(join(tmpdir(), "chronicle-bash-")));
	// No generated command climbs as far as this.
	const work = join(top, ...Array.from({ length: 24 }, (_, index) => `up${index}`), "work");
	const confiner = "bwrap";
	const bwrap = [
		"--ro-bind",
		"/",
		"/",
		"--bind",
		top,
		top,
		"--dev",
		"/dev",
		"--die-with-parent",
		"--chdir",
		work,
		"--",
	];
	const environment = { PATH: process.env.PATH ?? "", HOME: work, LC_ALL: "C" };
	mkdirSync(work, { recursive: true });
	const confined = spawnSync(confiner, [...bwrap, "true"], { env: environment }).status === 0;
	let before = new Map<string, string>();
	return {
		prepare() {
			rmSync(top, { recursive: true, force: true });
			mkdirSync(work, { recursive: true });
			for (const [path, content] of Object.entries(tree)) {
				const place = join(work, path);
				mkdirSync(dirname(place), { recursive: true });
				if (content === null) mkdirSync(place, { recursive: true });
				else if (content.startsWith("->")) symlinkSync(content.slice(2), place);
				else writeFileSync(place, content);
			}
			before = snapshot(top);
			return {
				...hostEnvironment(work),
				home: work,
				env: (name) => (environment as { readonly [name: string]: string })[name],
			};
		},
		run(command) {
			const [program, args] = confined ? [confiner, [...bwrap, "bash", "-c", command]] : ["bash", ["-c", command]];
			spawnSync(program, args, { cwd: work, env: environment, timeout: 10_000, stdio: "ignore" });
			const after = snapshot(top);
			return {
				changed: [...after].filter(([path, state]) => before.get(path) !== state).map(([path]) => path),
				gone: [...before.keys()].filter((path) => !after.has(path)),
			};
		},
		close: () => rmSync(top, { recursive: true, force: true }),
	};
}

/** Every path below a folder, with its content. */
function snapshot(folder: string): Map<string, string> {
	const found = new Map<string, string>();
	const visit = (path: string) => {
		const stat = lstatSync(path);
		if (stat.isSymbolicLink()) found.set(path, `link ${readlinkSync(path)}`);
		else if (stat.isDirectory()) {
			found.set(path, "directory");
			for (const name of readdirSync(path)) visit(join(path, name));
		} else if (stat.isFile()) found.set(path, createHash("sha1").update(readFileSync(path)).digest("hex"));
		else found.set(path, "other");
	};
	visit(folder);
	return found;
}
