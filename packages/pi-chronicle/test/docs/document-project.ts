// The project that a document's code blocks are written to and run in: real files, real shell, real pi with this package installed.
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import {
	checkout,
	copyCheckout,
	keepForFile,
	linkDependencies,
	openBench,
	type Project,
	packageAt,
	packageUnderTest,
	piScript,
	type Rpc,
	runProgram,
	type Script,
	startRpc,
	startTui,
	type Tui,
} from "../harness/index.ts";
import { problemsOf } from "./readers.ts";

type Environment = Record<string, string | undefined>;

export interface DocumentProject {
	project: Project;
	/** What its commands and its pi have in their environment beside that of the project. */
	env: Environment;
	/** Writes a file; `~/` is the project's home. */
	write(path: string, text: string): void;
	/** Runs commands with `bash -e` and returns the exit code and what was printed. */
	run(commands: string): Promise<{ code: number | null; printed: string }>;
	/** The pi that stays open for the document. Its dialogs are answered with yes, or stay open for `answers: "later"` when it starts. */
	pi(answers?: "yes" | "later"): Promise<Rpc>;
	/** A pi in a terminal, which stays open too. */
	tui(): Promise<Tui>;
	/** Types lines into that pi, and returns what it then showed. */
	type(lines: string[]): Promise<string>;
	/** What the product's own readers find wrong with the files; each problem is a text. */
	check(): string[];
}

/**
 * Opens the project `name` ("" is empty, `checkout`, or a folder of `examples`) with the package under test; its model plays `script`. For a user
 * who follows a document with an empty home and installs the package first, see user.ts.
 */
export async function openDocumentProject(name: string, script: Script): Promise<DocumentProject> {
	const { project } = await openBench({
		script,
		settings: { packages: [packageUnderTest().root], defaultProvider: "scripted", defaultModel: "one" },
		git: true,
		...(name === "" ? {} : { name }),
	});
	if (name === "checkout") {
		copyCheckout(project.folder);
		linkDependencies(project.folder);
	} else if (name !== "") copyExample(name, project.folder);
	const commands = commandFolder(project, ["pi", "pi-chronicle"]);
	return inProject(project, { PATH: [commands, process.env.PATH].join(delimiter) }, keepForFile);
}

/** Copies a folder of `examples`. */
export function copyExample(name: string, folder: string): void {
	const example = join(checkout, "examples", name);
	if (!existsSync(example)) throw new Error(`in=${name}: there is no examples/${name}`);
	cpSync(example, folder, { recursive: true });
}

/** What a document does in a project whose commands have `env`. Its pi stays open until the test ends, or as `keep` says. */
export function inProject(
	project: Project,
	env: Environment,
	keep: <T>(open: () => T) => T = (open) => open(),
): DocumentProject {
	let pi: Rpc | undefined;
	let tui: Tui | undefined;
	const launch = { package: "none", discover: "yes", model: null, env } as const;
	const written = new Set<string>();
	const open = async (answers: "yes" | "later" = "yes") => {
		const answer = answers === "yes" ? { answers: () => true } : {};
		pi ??= await keep(() => startRpc(project, { ...launch, ...answer }));
		return pi;
	};
	return {
		project,
		env,
		write: (path, text) => {
			const target = path.startsWith("~/") ? join(project.home, path.slice(2)) : project.path(path);
			mkdirSync(dirname(target), { recursive: true });
			writeFileSync(target, `${text}\n`);
			written.add(target);
		},
		run: async (commands) => {
			const command = ["bash", "-e", "-c", commands];
			const { code, stdout, stderr } = await runProgram(project, command, { env, timeout: 80_000 });
			return { code, printed: `${stdout}${stderr}` };
		},
		pi: open,
		tui: async () => {
			tui ??= await keep(() => startTui(project, launch));
			return tui;
		},
		type: async (lines) => {
			const typed = await open();
			const before = typed.screen.notifications.length;
			for (const line of lines) {
				await typed.prompt(line);
				await typed.idle();
			}
			return typed.screen.notifications
				.slice(before)
				.map(({ message }) => message)
				.join("\n");
		},
		check: () => problemsOf(project, written),
	};
}

/** A folder with commands, linked as npm links them. `pi-chronicle` is the installed copy, which has no pi next to it. */
export function commandFolder(project: Project, names: ("pi" | "pi-chronicle")[]): string {
	const folder = join(project.home, "bin");
	mkdirSync(folder, { recursive: true });
	const scripts = { pi: piScript(), "pi-chronicle": packageAt(packageUnderTest().root).cli };
	for (const name of names) symlinkSync(scripts[name], join(folder, name));
	return folder;
}
