// The project that a document's code blocks are written to and run in: real files, real shell, real pi with this package installed.
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import {
	checkout,
	copyCheckout,
	keepForFile,
	linkDependencies,
	openBench,
	openRegistry,
	type Project,
	packageAt,
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

/**
 * Opens the project `name` ("" is empty, `checkout`, or a folder of `examples`); its model plays `script`. The package is installed there, or,
 * with `by: "document"`, only pi is, in an empty home with a registry that offers the package: the document's own lines install it.
 */
export async function openDocumentProject(
	name: string,
	script: Script,
	by: "test" | "document" = "test",
): Promise<DocumentProject> {
	const models = { defaultProvider: "scripted", defaultModel: "one" };
	const { project, rpc } = await openBench({
		script,
		settings: by === "test" ? { packages: [packageUnderTest().root], ...models } : models,
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
	const installing = by === "test" ? {} : await npmEnvironment(project);
	const commands = commandFolder(project, by === "test" ? ["pi", "pi-chronicle"] : ["pi"]);
	const npmCommands = join(project.home, ".npm-global", "bin");
	const env = { ...installing, PATH: [commands, npmCommands, process.env.PATH].join(delimiter) };
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

/** A folder with commands, linked as npm links them. `pi-chronicle` is the installed copy, which has no pi next to it. */
function commandFolder(project: Project, names: ("pi" | "pi-chronicle")[]): string {
	const folder = join(project.home, "bin");
	mkdirSync(folder, { recursive: true });
	const scripts = { pi: piScript(), "pi-chronicle": packageAt(packageUnderTest().root).cli };
	for (const name of names) symlinkSync(scripts[name], join(folder, name));
	return folder;
}

/** What lets npm install into the project's home from a registry that has this package. */
async function npmEnvironment({ home }: Project): Promise<Record<string, string>> {
	return {
		npm_config_registry: await openRegistry(),
		npm_config_prefix: join(home, ".npm-global"),
		npm_config_cache: join(home, ".npm"),
		npm_config_update_notifier: "false",
	};
}
