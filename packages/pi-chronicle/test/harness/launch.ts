// The command line every mode starts pi with. pi is run by this node and its own script, never by a name on the PATH.
import { defaultModel } from "./models.ts";
import type { Project } from "./project.ts";
import { packageUnderTest, piScript } from "./under-test.ts";

/** What all ways to start pi have in common. */
export interface LaunchOptions {
	/** Further arguments, after those of the harness. */
	args?: string[];
	/** `--model`; `null` leaves the option out (default `scripted/one`). */
	model?: string | null;
	/** `--session`: a session file to open or make, or `"none"` for `--no-session`. */
	session?: string;
	/** More extensions (`-e`), loaded after the package. */
	extensions?: string[];
	/** Which package `-e` names: the one under test (default), none, or the path given. */
	package?: "under-test" | "none" | (string & {});
	/** Also load the extensions that pi would discover by itself (settings, `.pi/extensions`). */
	discover?: "no" | "yes";
	/** Added to the environment; `undefined` takes a variable away. */
	env?: Record<string, string | undefined>;
	/** Working folder (default: the project's). */
	cwd?: string;
}

/** Arguments for `process.execPath`, pi's script first. */
export function launchArguments(mode: string[], options: LaunchOptions): string[] {
	const { model = defaultModel, session, extensions = [], args = [] } = options;
	const chosen = options.package ?? "under-test";
	const loaded = chosen === "none" ? [] : [chosen === "under-test" ? packageUnderTest().root : chosen];
	return [
		piScript(),
		...mode,
		"--offline",
		...(options.discover === "yes" ? [] : ["-ne"]),
		...[...loaded, ...extensions].flatMap((path) => ["-e", path]),
		...(model === null ? [] : ["--model", model]),
		...(session === undefined ? [] : session === "none" ? ["--no-session"] : ["--session", session]),
		...args,
	];
}

/** Where and with which environment a pi of this project runs. */
export function launchPlace(project: Project, options: LaunchOptions): { cwd: string; env: Record<string, string> } {
	return { cwd: options.cwd ?? project.folder, env: project.environment(options.env) };
}
