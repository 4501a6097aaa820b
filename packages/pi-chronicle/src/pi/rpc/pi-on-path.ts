// Reads a script that starts pi, as package managers put one on PATH, for the file that it starts. It runs nothing.
// pnpm, npm on Windows and nix name the file in their script; volta, asdf and mise name only themselves, so their scripts give nothing here.
import nodePath, { type PlatformPath } from "node:path";

/** What a script calls the folder that it lies in: of sh, cmd and PowerShell. */
const ownFolder =
	/\$\{?(?:basedir|PSScriptRoot|SCRIPT_DIR)\}?|\$\(\s*(?:cd\s+)?"?\$?\(?dirname\s+(?:--\s+)?"?\$(?:0|\{BASH_SOURCE\[0\]\}|BASH_SOURCE)"?[^)]*\)+"?|%~?dp0%?/g;
/** A word of a script: in quotes, or without blanks. */
const word = /"([^"\n]*)"|'([^'\n]*)'|([^\s"'=]+)/g;

/**
 * The paths that the script with `text` names, in its order, absolute. `file` is the script's own path; `path` the platform that its paths are
 * written for.
 */
export function pathsNamedIn(text: string, file: string, path: PlatformPath = nodePath): readonly string[] {
	const folder = path.dirname(file);
	const named = text
		.replaceAll(ownFolder, () => `${folder}${path.sep}`)
		.split("\n")
		.filter((line) => !/^\s*(?:#|::|rem\b)/i.test(line))
		.flatMap((line) => [...line.matchAll(word)].map(([, double, single, bare]) => double ?? single ?? bare ?? ""))
		.filter((one) => /[\\/]/.test(one) && !/[$%`*?]/.test(one))
		.map((one) => path.resolve(folder, one));
	return [...new Set(named)].filter((one) => one !== file);
}
