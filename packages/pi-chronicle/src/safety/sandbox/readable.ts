// What agents read below the home directory: skills, prompts, and the packages that their instructions come with.
import { dirname, join } from "node:path";
import { realPathOf } from "../../disk/index.ts";
import { packageRoot } from "../../pi/index.ts";

const agentEntries = ["skills", "prompts", "agents", "extensions", "npm", "git", "bin", "node_modules", "AGENTS.md"];

/** Absolute paths of folders and files; `agentDir` is pi's agent folder. None holds a login. */
export function agentReadable(home: string, agentDir: string): readonly string[] {
	const pi = realPathOf(process.argv[1] ?? "");
	return [
		...agentEntries.map((name) => join(agentDir, name)),
		join(home, ".agents/skills"),
		join(home, ".claude/skills"),
		packageRoot(),
		...(pi === undefined ? [] : [dirname(dirname(pi))]),
	];
}
