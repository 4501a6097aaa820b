// Environment variables that make other programs run something: what assigning them for a command means.
import { pathRules } from "../paths.ts";
import { taskEffects } from "../programs/index.ts";
import { displayText, isKnown, UNKNOWN_VALUE } from "../text.ts";
import { writtenIn } from "./contents.ts";
import { childState, type State, type Value } from "./state.ts";
import type { ShellWalk } from "./walk.ts";

/** Their value is expanded by the shell, so it may contain commands. */
const prompts = /^PS[0-4]$/;
/** Their value is a command line. */
const commands =
	/^(PAGER|MANPAGER|SYSTEMD_PAGER|GH_PAGER|AWS_PAGER|DELTA_PAGER|PSQL_PAGER|PSQL_EDITOR\w*|GH_EDITOR|KUBE_EDITOR|SUDO_EDITOR|FCEDIT|HGEDITOR|SVN_EDITOR|SVN_SSH|HGMERGE|CVS_RSH|BORG_RSH|GH_BROWSER|PERLDOC_PAGER|PERL_PAGER|ACK_PAGER\w*|NPM_CONFIG_EDITOR|npm_config_script_shell|RUSTC|RUSTDOC|RUSTC_WORKSPACE_WRAPPER|CARGO_BUILD_RUSTC\w*|LD|AR|GIT_PAGER|BAT_PAGER|EDITOR|VISUAL|GIT_EDITOR|GIT_SEQUENCE_EDITOR|GIT_EXTERNAL_DIFF|KUBECTL_EXTERNAL_DIFF|GIT_SSH_COMMAND|GIT_SSH|GIT_ASKPASS|SSH_ASKPASS|SUDO_ASKPASS|GIT_PROXY_COMMAND|BROWSER|RSYNC_RSH|TAR_OPTIONS|LESSOPEN|LESSCLOSE|PROMPT_COMMAND|FZF_DEFAULT_COMMAND|NPM_CONFIG_SCRIPT_SHELL|MAKEFLAGS|RUSTC_WRAPPER|CC|CXX)$/;
/** Their value is, or names, code that programs load, or options and settings that may name such code. */
const code =
	/^(LD_PRELOAD|LD_AUDIT|LD_LIBRARY_PATH|SHELL|DYLD_\w+|BASH_ENV|ENV|ZDOTDIR|INPUTRC|GCONV_PATH|TERMINFO|TERMCAP|PYTHONSTARTUP|PYTHONPATH|PYTHONHOME|PYTHONBREAKPOINT|PYTHONINSPECT|PERL5OPT|PERL5LIB|PERLLIB|PERL5DB|RUBYOPT|RUBYLIB|NODE_PATH|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|JAVA_OPTS|CLASSPATH|PHPRC|PHP_INI_SCAN_DIR|LUA_(?:PATH|CPATH|INIT)\w*|GEM_(?:HOME|PATH)|BUNDLE_GEMFILE|R_PROFILE\w*|R_ENVIRON\w*|JULIA_LOAD_PATH|ERL_\w*FLAGS|ELIXIR_ERL_OPTIONS|OPENSSL_CONF|OPENSSL_ENGINES|OPENSSL_MODULES|GIT_EXEC_PATH|GIT_TEMPLATE_DIR|GIT_CONFIG|GIT_CONFIG_\w+|GIT_INDEX_FILE|GIT_OBJECT_DIRECTORY|GIT_TRACE\w*|RIPGREP_CONFIG_PATH|ACKRC|ACK_OPTIONS|GREP_OPTIONS|FZF_DEFAULT_OPTS\w*|LESSKEY\w*|LESSHISTFILE|MANOPT|MAKEFILES|GNUMAKEFLAGS|CURL_HOME|WGETRC|SYSTEM_WGETRC|NETRC|PSQLRC|MYSQL_HOME|HGRCPATH|JJ_CONFIG|AWS_CONFIG_FILE|HELM_PLUGINS|TF_CLI_CONFIG_FILE|GH_CONFIG_DIR|YARN_RC_FILENAME|BAT_CONFIG_PATH|NPM_CONFIG_(?:USERCONFIG|GLOBALCONFIG|NODE_OPTIONS)|PIP_CONFIG_FILE|EXINIT|VIMINIT|GVIMINIT|MYVIMRC|KUBECONFIG|DOCKER_HOST|DOCKER_CONFIG|GNUPGHOME|BASHOPTS|SHELLOPTS|BASH_FUNC_.*|HOSTALIASES|LOCPATH|NLSPATH|XDG_CONFIG_(?:HOME|DIRS))$/;
/** Options of a runtime or pager that load or run something. */
const options: { readonly [name: string]: RegExp } = {
	NODE_OPTIONS:
		/(^|\s)(-r|--require|--import|--loader|--experimental-loader|--env-file\S*|--cpu-prof\S*|--heap-prof\S*|--report\S*|--trace-event\S*|--redirect-warnings\S*|--diagnostic-dir\S*|--inspect\S*|--openssl-config\S*)(=|\s|$)/,
	LESS: /(^|[\s-])\+|(^|\s)-\w*[oOk]|--(log-file|LOG-FILE|lesskey)/,
	MORE: /(^|[\s-])\+/,
	GOFLAGS: /-(?:toolexec|vettool|overlay|modfile|exec)/,
	MANLESS: /[!|]/,
};

/** Their value is where package managers fetch code from: judged like the argument of an installer. */
const sources =
	/^(?:(?:NPM|YARN|PNPM)_CONFIG_(?:.*_)?REGISTRY|YARN_(?:NPM_REGISTRY_SERVER|REGISTRY)|BUN_CONFIG_REGISTRY|(?:PIP|UV|PIPENV)_\w*(?:INDEX\w*|FIND_LINKS|MIRROR)|POETRY_REPOSITORIES_\w+|GOPROXY|BUNDLE_MIRROR\w*|BUNDLE_GEM__MIRROR|RUBYGEMS_HOST|CARGO_REGISTR\w*_INDEX|CARGO_SOURCE_\w+|RUSTUP_(?:DIST_SERVER|UPDATE_ROOT)|HOMEBREW_\w*(?:REMOTE|DOMAIN)|JSR_URL|NVM_\w*_MIRROR|COMPOSER_REPO_\w+|CONDA_CHANNEL\w*|HEX_MIRROR\w*)$/i;

/** Harmless values of such variables. */
const harmless =
	/^(|true|false|:|cat|less( -\w+)*|more|\/dev\/null|0|1|cc|gcc|clang|g\+\+|clang\+\+|c\+\+|sccache|-[js]\d*|--no-print-directory|-W:?\w*|-w|-Xm[xs]\w+|--yjit|--jit|nobanner|ssh|(\/usr)?(\/local)?\/bin\/(ba|z|da|k|a|fi)?sh|--(height|layout|info|color|reverse|ansi)\S*( --\S+)*)$/;

/** Records what assigning environment variables for commands makes them run. */
export function recordEnvironment(
	walk: ShellWalk,
	assigned: readonly (readonly [string, Value])[],
	state: State,
): void {
	for (const [name, value] of assigned) {
		for (const text of valueTexts(value))
			if (name === "PATH" || !harmless.test(text)) recordVariable(walk, name, text, state);
	}
}

/** Records assignments of the shell's own variables that disable its history or make it run something later. */
export function recordOwnVariables(
	walk: ShellWalk,
	assigned: readonly (readonly [string, Value])[],
	state: State,
): void {
	for (const [name, value] of assigned)
		for (const text of valueTexts(value)) {
			// `PS4` is expanded before each command that `set -x` shows, the others before each prompt.
			if (prompts.test(name)) recordVariable(walk, name, text, state);
			// An interactive shell runs it before each prompt.
			if (name === "PROMPT_COMMAND") walk.runText(text, state, "");
			if (historyVariables.test(name) && /^(?:0|\/dev\/null)?$/.test(text)) recordHistoryOff(walk, `${name}=${text}`);
		}
}

const historyVariables = /^(?:HISTFILE|HISTSIZE|HISTFILESIZE|SAVEHIST)$/;

function valueTexts(value: Value): readonly string[] {
	return value.kind === "text" ? value.options : value.items;
}

/** Records that the shell's history is disabled. */
export function recordHistoryOff({ record }: ShellWalk, text: string): void {
	record.run({ program: "history", text, effects: ["clear-history"] });
}

function recordVariable(walk: ShellWalk, name: string, text: string, state: State): void {
	const assignment = `${name}=${displayText(text)}`;
	if (prompts.test(name)) {
		if (/[$`]/.test(text)) walk.runText(`: "${text}"`, childState(state, walk.host), "");
	} else if (commands.test(name)) {
		walk.runText(text.replace(/^\|?[-|]?/, ""), childState(state, walk.host), UNKNOWN_VALUE);
		// A file of no known folder, or options in place of a command.
		if (/^(?:[./~]|--)/.test(text) && !programFolder.test(text))
			walk.record.unknown({ what: "script", text: assignment });
	} else if (state.elsewhere) return;
	else if (/^(?:BASH_ENV|ENV)$/.test(name) && startsWith(walk, text, state) !== undefined)
		walk.runText(startsWith(walk, text, state) ?? "", childState(state, walk.host), "");
	else if (sources.test(name))
		walk.record.run({ program: name, text: assignment, effects: taskEffects("npm", text.split(/[\s,|]+/)) });
	else if (code.test(name) || options[name]?.test(text) || (name === "PATH" && !leadsToInstalled(walk, text)))
		walk.record.unknown({ what: "script", text: assignment });
}

/** The text of a shell startup file, if the script has written it. */
function startsWith(walk: ShellWalk, file: string, state: State): string | undefined {
	return walk.connected(file) ?? writtenIn(walk, file, state.cwd);
}

/** Folders of programs that are the system's, or installed for the user or the project. */
const programFolder =
	/^\/(?:usr|opt|snap|nix|bin|sbin|Library|Applications|home\/linuxbrew|run\/current-system)(?:\/|$)|(?:^|\/)(?:node_modules\/\.bin|\.?venv\/bin|vendor\/bin|\.local\/bin|\.cargo\/bin|go\/bin|\.bun\/bin|\.deno\/bin|\.nvm\/.*\/bin|\.pyenv\/(?:bin|shims)|\.rbenv\/(?:bin|shims)|\.asdf\/(?:bin|shims)|\.volta\/bin|\.local\/share\/(?:pnpm|mise\/shims|fnm)|Library\/pnpm)\/?$/;

/** Whether a search path contains only its previous folders and folders of installed programs. */
function leadsToInstalled(walk: ShellWalk, text: string): boolean {
	// An empty entry is the working directory.
	const before = new Set((walk.host.env("PATH") ?? "").split(":").filter((folder) => folder !== ""));
	return text
		.split(":")
		.every(
			(folder) =>
				before.has(folder) || (isKnown(folder) && folder !== "" && programFolder.test(folder)) || isOwnPrefix(folder),
		);
}

/** `$(brew --prefix)/bin`, `$JAVA_HOME/bin`: a folder of programs below an unknown folder. */
function isOwnPrefix(folder: string): boolean {
	return folder.startsWith(UNKNOWN_VALUE) && /\/s?bin$/.test(folder);
}

/** Whether a path names a file in a folder of the search path: an installed program, wherever that folder is. */
export function isOnPath(path: string, { host }: ShellWalk): boolean {
	const folder = pathRules(host).dirname(path);
	return (host.env("PATH") ?? "").split(host.platform === "win32" ? ";" : ":").includes(folder);
}
