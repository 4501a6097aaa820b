// Environment variables that make other programs run something: what assigning them for a command means.
import { pathRules } from "../paths.ts";
import { everyAccess } from "../record.ts";
import { HOLE, isKnown, shown } from "../text.ts";
import { childState, lookUp, type State, type Value } from "./state.ts";
import type { Walk } from "./walk.ts";

/** Their value is text that the shell expands, and so may hold commands. */
const prompts = /^PS[0-4]$/;
/** Their value is a command line. */
const commands =
	/^(PAGER|MANPAGER|GIT_PAGER|BAT_PAGER|EDITOR|VISUAL|GIT_EDITOR|GIT_SEQUENCE_EDITOR|GIT_EXTERNAL_DIFF|GIT_SSH_COMMAND|GIT_SSH|GIT_ASKPASS|SSH_ASKPASS|SUDO_ASKPASS|GIT_PROXY_COMMAND|BROWSER|RSYNC_RSH|TAR_OPTIONS|LESSOPEN|LESSCLOSE|PROMPT_COMMAND|FZF_DEFAULT_COMMAND|NPM_CONFIG_SCRIPT_SHELL|MAKEFLAGS|RUSTC_WRAPPER|CC|CXX)$/;
/** Their value names code that is loaded into programs. */
const code =
	/^(LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV|ENV|ZDOTDIR|PYTHONSTARTUP|PERL5OPT|RUBYOPT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|GIT_EXEC_PATH|GIT_TEMPLATE_DIR|GIT_CONFIG_(GLOBAL|SYSTEM|COUNT|KEY_\d+|VALUE_\d+))$/;

/** Values of such variables that run nothing of note. */
const harmless =
	/^(|true|false|:|cat|less( -\w+)*|more|\/dev\/null|0|cc|gcc|clang|g\+\+|clang\+\+|c\+\+|sccache|-[js]\d*|--no-print-directory)$/;

/** Records what assigning environment variables for commands makes them run. */
export function recordEnvironment(walk: Walk, assigned: readonly (readonly [string, Value])[], state: State): void {
	for (const [name, value] of assigned) {
		const texts = value.kind === "text" ? value.options : value.items;
		for (const text of texts) {
			if (harmless.test(text)) continue;
			if (prompts.test(name)) {
				if (/[$`]/.test(text)) walk.runText(`: "${text}"`, childState(state, walk.around), "", new Set());
				continue;
			}
			if (commands.test(name)) walk.runText(text, childState(state, walk.around), HOLE, new Set());
			else if (
				code.test(name) ||
				(name === "NODE_OPTIONS" && /(^|\s)(-r|--require|--import|--loader|--experimental-loader)\b/.test(text))
			)
				walk.record.unknown({ what: "script", text: `${name}=${shown(text)}`, may: everyAccess });
		}
	}
}

/**
 * The file that a bare command word names where the script itself has changed `PATH`: something that stands before the system's folders.
 * `undefined` where it names what it always does.
 */
export function foundOnPath(walk: Walk, name: string, state: State): string | undefined {
	if (!state.variables.has("PATH") || state.elsewhere) return undefined;
	const value = lookUp(state, "PATH", walk.around);
	const before = new Set((walk.around.env("PATH") ?? "").split(":"));
	const rules = pathRules(walk.around);
	for (const path of value?.kind === "text" ? value.options : [HOLE])
		for (const folder of path.split(":")) {
			if (before.has(folder) || folder === "") continue;
			// Each folder is a question to the disk.
			if (!walk.record.spend(5)) return `${HOLE}/${name}`;
			if (!isKnown(folder)) return `${folder}/${name}`;
			const cwd = state.cwd?.length === 1 ? state.cwd[0] : undefined;
			if (cwd === undefined && !rules.isAbsolute(folder)) return `${HOLE}/${name}`;
			const file = rules.join(rules.resolve(cwd ?? "/", folder), name);
			if (walk.around.kind(file) !== undefined || walk.written(file) !== undefined) return file;
		}
	return undefined;
}

/** Where a program that is installed on this machine is found, by the search path as the script leaves it; `undefined` where it is not seen. */
export function findOnPath(walk: Walk, name: string, state: State): string | undefined {
	const { around } = walk;
	if (state.elsewhere || state.variables.has("PATH")) return undefined;
	const rules = pathRules(around);
	const folders = (around.env("PATH") ?? "").split(around.platform === "win32" ? ";" : ":");
	for (const folder of folders.slice(0, 50)) {
		if (!rules.isAbsolute(folder) || !walk.record.spend(2)) continue;
		const file = rules.join(folder, name);
		if (around.kind(file) !== undefined) return file;
	}
	return undefined;
}

/** Whether a path names a file in a folder of the search path: an installed program, wherever that folder is. */
export function isOnPath(path: string, { around }: Walk): boolean {
	const folder = pathRules(around).dirname(path);
	return (around.env("PATH") ?? "").split(around.platform === "win32" ? ";" : ":").includes(folder);
}
