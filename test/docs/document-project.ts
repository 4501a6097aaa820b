// The project that a document's code blocks are written to and run in: real files, real shell, real pi with this package installed.
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import {
	checkout,
	copyCheckout,
	keepForFile,
	linkDependencies,
	openBench,
	type Project,
	packageUnderTest,
	piScript,
	type Rpc,
	runProgram,
	type Script,
} from "../harness/index.ts";
import { problemsOf } from "./readers.ts";

export interface DocumentProject {
	project: Project;
	/** Writes a file; `~/` is the project's home. */
	write(path: string, text: string): void;
	/** Runs commands with `bash -e` and returns the exit code and what was printed. */
	run(commands: string): Promise<{ code: number | null; printed: string }>;
	/** Types lines into a pi that stays open for the document, and returns what it then showed. */
	type(lines: string[]): Promise<string>;
	/** What the product's own readers find wrong with the files; each problem is a text. */
	check(): string[];
}

/** Opens the project `name` ("" is empty, `checkout`, or a folder of `examples`); its model plays `script`. */
export async function openDocumentProject(name: string, script: Script): Promise<DocumentProject> {
	const { project, rpc } = await openBench({
		script,
		settings: { packages: [packageUnderTest().root], defaultProvider: "scripted", defaultModel: "one" },
		git: true,
		...(name === "" ? {} : { name }),
	});
	if (name === "checkout") {
		copyCheckout(project.folder);
		linkDependencies(project.folder);
	} else if (name !== "") {
		const example = join(checkout, "examples", name);
		if (!existsSync(example)) throw new Error(`in=${name}: there is no examples/${name}`);
		cpSync(example, project.folder, { recursive: true });
	}
	const env = { PATH: `${commandFolder(project)}${delimiter}${process.env.PATH}` };
	const bash = async (commands: string) => {
		const { code, stdout, stderr } = await runProgram(project, ["bash", "-e", "-c", commands], {
			env,
			timeout: 80_000,
		});
		return { code, printed: `${stdout}${stderr}` };
	};
	let pi: Rpc | undefined;
	const written = new Set<string>();
	return {
		project,
		write: (path, text) => {
			const target = path.startsWith("~/") ? join(project.home, path.slice(2)) : project.path(path);
			mkdirSync(dirname(target), { recursive: true });
			writeFileSync(target, `${text}\n`);
			written.add(target);
		},
		run: bash,
		type: async (lines) => {
			pi ??= await keepForFile(() => rpc({ package: "none", discover: "yes", env, answers: () => true }));
			const before = pi.screen.notifications.length;
			for (const line of lines) {
				await pi.prompt(line);
				await pi.idle();
			}
			return pi.screen.notifications
				.slice(before)
				.map(({ message }) => message)
				.join("\n");
		},
		check: () => problemsOf(project, written),
	};
}

/** A folder with the commands `pi` and `pi-chronicle`, as npm would link them. */
function commandFolder(project: Project): string {
	const folder = join(project.home, "bin");
	mkdirSync(folder, { recursive: true });
	for (const [name, script] of [
		["pi", piScript()],
		["pi-chronicle", packageUnderTest().cli],
	]) {
		const text = `#!/bin/sh\nexec "${process.execPath}" "${script}" "$@"\n`;
		writeFileSync(join(folder, name ?? ""), text, { mode: 0o755 });
	}
	return folder;
}
