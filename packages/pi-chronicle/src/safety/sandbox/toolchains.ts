// The folders in the home directory that programs on PATH need: compilers, interpreters, version managers. Nothing else of it is seen in the sandbox.
import { basename, dirname, join, relative } from "node:path";
import type { HostEnvironment } from "@pi-chronicle/footprint";
import { isWithin } from "../containment.ts";

type ToolHost = Pick<HostEnvironment, "home" | "env" | "kind" | "names" | "realpath">;

/** Never shown, whatever PATH names: keys, logins, settings of agents and browsers. A folder of programs in one of them is shown alone. */
const secret =
	/^(\.ssh|\.gnupg|\.aws|\.azure|\.kube|\.docker|\.pi|\.claude|\.codex|\.gemini|\.mozilla|\.password-store|\.config|\.cargo|\.npm|\.cache|\.local(\/share)?|\.m2|\.gradle|\.gem|\.composer|\.nuget|\.dotnet|\.kodi)$/;

/** What a folder of programs needs besides itself, below the home directory. */
const companions: Readonly<Record<string, readonly string[]>> = {
	".cargo": [".rustup"],
	".local": [
		...[".local/lib", ".local/pipx", ".local/opt", ".local/go", ".local/node"],
		...["uv", "mise", "pipx", "fnm", "rtx", "pypoetry", "virtualenv", "nvm"].map((name) => `.local/share/${name}`),
	],
	".asdf": [".tool-versions"],
	".dotnet": [".dotnet/sdk", ".dotnet/shared", ".dotnet/host"],
};

/** Variables that name a toolchain's folder. */
const variables = [
	...["NVM_DIR", "RUSTUP_HOME", "PYENV_ROOT", "RBENV_ROOT", "ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR", "VOLTA_HOME"],
	...["FNM_DIR", "GOROOT", "JAVA_HOME", "SDKMAN_DIR", "BUN_INSTALL", "CONDA_PREFIX", "VIRTUAL_ENV", "N_PREFIX"],
];

/** Names of folders that hold nothing but programs. */
const programFolder = /^(s?bin|\.bin|shims|libexec)$/;

/** Absolute folders below the home directory, of which some may not exist. `written`: folders in which commands can make links. */
export function toolchainFolders(host: ToolHost, written: readonly string[]): readonly string[] {
	const { home, realpath } = host;
	const places = written.filter((place) => !isWithin(home, place));
	const isWritten = (path: string) => places.some((place) => isWithin(path, place));
	const isInHome = (path: string) => path !== home && isWithin(path, home);
	const found = new Set<string>();
	const add = (folder: string): void => {
		if (isInHome(folder)) for (const path of rootsOf(relative(home, folder))) found.add(join(home, path));
	};
	for (const folder of programFolders(host)) {
		if (!isInHome(folder)) {
			if (!isWritten(folder)) add(realpath(folder) ?? folder);
			continue;
		}
		add(folder);
		// A link that a command may have made shows programs, never other files.
		const shows = (led: string) => !isWritten(folder) || programFolder.test(basename(dirname(led)));
		for (const led of linkTargets(folder, host)) if (isInHome(led) && shows(led)) add(dirname(led));
	}
	return [...found];
}

/** The absolute folders in which the system looks for programs. */
function programFolders({ env }: ToolHost): readonly string[] {
	const own = variables.flatMap((name) => (env(name) ? [join(env(name) ?? "", "bin")] : []));
	return [...(env("PATH") ?? "").split(":"), dirname(process.execPath), ...own].filter((path) => path.startsWith("/"));
}

/** The part of the home directory that a folder of programs belongs to, and its companions. */
function rootsOf(folder: string): readonly string[] {
	const [first = "", second = "", third = ""] = folder.split("/");
	const more = companions[first] ?? [];
	if (folder.startsWith(".local/share/")) return [`${first}/${second}/${third}`, ...more];
	// A toolchain that is all in one hidden folder, such as `.nvm`; a visible folder may hold anything.
	return first.startsWith(".") && !secret.test(first) ? [first, ...more] : [folder, ...more];
}

/** Where the links in a folder of programs lead, one step at most 200 times. */
function linkTargets(folder: string, { names, kind, realpath }: ToolHost): string[] {
	return (names(folder) ?? [])
		.slice(0, 200)
		.filter((name) => kind(join(folder, name)) === "link")
		.flatMap((name) => realpath(join(folder, name)) ?? []);
}
