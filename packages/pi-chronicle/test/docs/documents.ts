// The documents of the checkout: all Markdown files for users and contributors, in any folder.
import { globSync } from "node:fs";

const patterns = [
	"*.md",
	"docs/**/*.md",
	"skills/**/*.md",
	"prompts/**/*.md",
	"examples/**/README.md",
	"test/**/README.md",
	"bench/**/README.md",
	"src/**/README.md",
];

/** Paths of all documents below `root`, sorted, with `/`. */
export function documentPaths(root: string): string[] {
	return patterns
		.flatMap((pattern) => globSync(pattern, { cwd: root, exclude: (path) => /node_modules|fixtures/.test(path) }))
		.map((path) => path.replaceAll("\\", "/"))
		.sort();
}
