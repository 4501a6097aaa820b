// Places that an agent under rules may not change, whatever the rule files say: what decides about it and what records it.
// Only this package's and pi's own files; reading them is allowed.
import type { Access, Surroundings, Touch } from "../footprint/index.ts";
import { folding, type PathSurroundings } from "./path-rule.ts";
import { selectionOf } from "./protected-tree.ts";
import type { RuleSet } from "./rules.ts";

/** What is protected within a `.pi` folder of a project, by the name below it. */
const ownFiles = new Set([
	"damage-control-rules.yaml",
	"damage-control-rules.yml",
	"settings.json",
	"settings.local.json",
	"mcp.json",
	"models.json",
	"keybindings.json",
	"system.md",
	"append_system.md",
	"trust.json",
	"auth.json",
]);
const ownFolders = new Set([
	"extensions",
	"skills",
	"prompts",
	"themes",
	"agents",
	"workflows",
	"chronicle",
	"sequences",
	"sessions",
	"agent-sessions",
	"npm",
	"git",
	"agent",
]);

export interface SelfProtection {
	/** Whether changing this place would change what the agent is judged by. */
	covers(path: string, access: Access): boolean;
	/** A place that a removal of everything below the touched folder, as far as it is picked by name, would take along. */
	below(touch: Touch, surroundings: Pick<Surroundings, "kind">): string | undefined;
}

/** `agentDir`: pi's agent folder; `ruleFiles`: wherever the rules were read from. */
export function selfProtection(
	rules: Pick<RuleSet, "foldCase" | "files">,
	around: PathSurroundings & { readonly agentDir: string | undefined },
): SelfProtection {
	const fold = folding(rules.foldCase, around.platform);
	const slashes = (path: string) => fold(around.platform === "win32" ? path.replaceAll("\\", "/") : path);
	const bothNames = (path: string) => [path, around.real(path)].map(slashes);
	const whole = [`${around.home}/.pi`, ...(around.agentDir ? [around.agentDir] : [])].flatMap(bothNames);
	const files = new Set(rules.files.flatMap(({ file }) => bothNames(file)));
	return {
		below(touch, { kind }) {
			const picks = selectionOf(touch);
			const own = [...whole, ...files, `${touch.real}/.pi`].filter((root) => root.startsWith(`${touch.real}/`));
			return own.find((root) => {
				if (kind(root) === undefined) return false;
				const inner = ["", ...ownFiles, ...ownFolders].map((name) => (name === "" ? root : `${root}/${name}`));
				return inner.some((place) => picks(place.slice(touch.real.length + 1)));
			});
		},
		covers(path, access) {
			const text = slashes(path);
			if (files.has(text) || whole.some((root) => text === root || text.startsWith(`${root}/`))) return true;
			const parts = text.split("/");
			for (let at = parts.indexOf(".pi"); at !== -1; at = parts.indexOf(".pi", at + 1)) {
				const below = parts[at + 1];
				if (below === undefined) return access === "delete";
				const name = below.toLowerCase();
				if (ownFolders.has(name) || (ownFiles.has(name) && parts.length === at + 2)) return true;
			}
			return false;
		},
	};
}
