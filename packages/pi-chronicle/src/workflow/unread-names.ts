// The names of the workflows on disk, for completions before a workflow is used: taken from lines of their files, because reading them whole loads
// the parsers. A file that is written differently is offered once a workflow was used.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../disk/index.ts";
import { shippedFolder } from "../tools/shipped/index.ts";
import { offerWords, verbsWithoutRun } from "./offered-words.ts";

/** What is offered behind `/workflow ` before a workflow is used; see `offerWords`. `agentDir`: pi's agent folder. */
export function completeUnread(
	agentDir: string,
	{ cwd, trusted }: { readonly cwd: string; readonly trusted: boolean },
	prefix: string,
): ReturnType<typeof offerWords> {
	const own = trusted ? [join(cwd, ".pi", "workflows")] : [];
	const texts = [shippedFolder("workflows"), join(agentDir, "workflows"), ...own].flatMap(textsBelow);
	const named = new Map(texts.flatMap((text) => startName(text)));
	const names = [...named].sort(([one], [other]) => (one < other ? -1 : 1));
	return offerWords({ names, startable: true, verbs: verbsWithoutRun, earlier: [] }, prefix);
}

/** The texts of the definitions in the folders of `root`, or one level below. */
function textsBelow(root: string): readonly string[] {
	const read = (folder: string) => attempt(() => readFileSync(join(folder, "workflow.yaml"), "utf8"));
	const below = (folder: string) => (attempt(() => readdirSync(folder)) ?? []).map((name) => join(folder, name));
	return below(root).flatMap((folder) => {
		const text = read(folder);
		return text === undefined ? below(folder).flatMap((nested) => read(nested) ?? []) : [text];
	});
}

function startName(text: string): readonly (readonly [command: string, name: string])[] {
	const lineOf = (field: string) => {
		const found = new RegExp(`(?:^|[{,])\\s*"?${field}"?\\s*:\\s*(?:"([^"]*)"|'([^']*)'|([^,\\n}]*))`, "m").exec(text);
		return (found?.[1] ?? found?.[2] ?? found?.[3])?.trim();
	};
	const command = lineOf("commandName");
	if (command === undefined || !/^[\w-]+$/.test(command) || lineOf("show") === "workflows") return [];
	return [[command, lineOf("name") ?? command]];
}
