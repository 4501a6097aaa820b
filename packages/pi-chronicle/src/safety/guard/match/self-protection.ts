// Paths that an agent under rules may not change, regardless of the rule files: the files of this package and of pi that control and record the
// agent. Reading them is allowed.

import type { WorkingCopy } from "@pi-chronicle/core/ports";
import type { AccessKind, FileAccess, HostEnvironment } from "@pi-chronicle/footprint";
import { isWithin } from "../../policy/index.ts";
import { answersFile } from "../answers/index.ts";
import type { RuleSet } from "../rules/index.ts";
import type { GitView } from "./git-view.ts";
import { folding, type PathEnvironment } from "./path-pattern.ts";
import { compileSelection } from "./protected-tree.ts";

/** Names in a project's `.pi` folder that are protected. */
const ownFiles = new Set(
	"damage-control-rules.yaml damage-control-rules.yml settings.json settings.local.json mcp.json models.json keybindings.json system.md append_system.md trust.json auth.json".split(
		" ",
	),
);
const ownFolders = new Set(
	"extensions skills prompts themes agents workflows chronicle sequences sessions agent-sessions npm git agent".split(
		" ",
	),
);

const MAX_PLACES = 2000;

/** The paths below a folder, breadth first, up to a bound. */
function placesIn(root: string, { kind, names }: Pick<HostEnvironment, "kind" | "names">): string[] {
	const places = [root];
	// Grows while it is read.
	for (const folder of places) {
		if (places.length > MAX_PLACES) break;
		if (kind(folder) !== "directory") continue;
		for (const name of names(folder)?.slice(0, MAX_PLACES) ?? []) places.push(`${folder}/${name}`);
	}
	return places.slice(1);
}

/** Whether a path below a project's `.pi` is a protected file or in a protected folder. */
function isOwnPlace(place: string, root: string): boolean {
	const [name = "", ...rest] = place.slice(root.length).toLowerCase().replace(/^\//, "").split("/");
	return ownFolders.has(name) || (rest.length === 0 && ownFiles.has(name));
}

export interface SelfProtection {
	/** Whether a change of this path (`recursive`: with everything below it) would change a protected file. */
	covers(path: string, access: AccessKind, recursive: boolean): boolean;
	/** Whether the access would reach the file of the user's answers. */
	isAnswers(access: FileAccess): boolean;
	/** An existing protected path that a change of everything below a folder, or of the files selected by name, would reach. */
	below(
		access: FileAccess,
		host: Pick<HostEnvironment, "kind" | "names">,
		/** Contents of the folders that this judgment has read. */
		seen: Map<string, readonly string[]>,
		git: Pick<GitView, "isTracked" | "isIgnored">,
	): string | undefined;
}

/** Opens the protection; `agentDir` is pi's agent folder. */
export function openSelfProtection(
	rules: Pick<RuleSet, "foldCase" | "files">,
	host: PathEnvironment & { readonly agentDir: string | undefined; readonly copy?: WorkingCopy | undefined },
): SelfProtection {
	const fold = folding(rules.foldCase, host.platform);
	const slashes = (path: string) => fold(host.platform === "win32" ? path.replaceAll("\\", "/") : path);
	const bothNames = (path: string) => [path, host.real(path)].map(slashes);
	const whole = [`${host.home}/.pi`, ...(host.agentDir ? [host.agentDir] : [])].flatMap(bothNames);
	const answers = host.agentDir === undefined ? [] : bothNames(answersFile(host.agentDir));
	const copy = host.copy && slashes(host.copy.root);
	/** A copy may be in pi's agent folder or below the records, but it is the project of its agent. */
	const withoutCopy = (path: string) => (copy !== undefined && isWithin(path, copy) ? path.slice(copy.length) : path);
	const files = new Set(rules.files.flatMap(({ file }) => bothNames(file)));
	return {
		isAnswers(access) {
			const picks = compileSelection(access);
			return [access.path, access.real].map(slashes).some((place) =>
				answers.some((file) => {
					if (place === file) return true;
					// Moving or removing a folder affects everything in it; any other change only what it selects by name.
					const reaches = access.recursive && isWithin(file, place);
					return (
						reaches && (access.kind === "delete" || (access.only !== undefined && picks(file.slice(place.length + 1))))
					);
				}),
			);
		},
		below(access, host, seen, git) {
			const picks = compileSelection(access);
			const own = [...whole, ...files, `${access.real}/.pi`].filter((root) => root.startsWith(`${access.real}/`));
			// Tracked files stay if only the others are removed; a folder is affected through its files.
			const isLeft = (place: string) =>
				access.skips?.includes("tracked") === true &&
				(host.kind(place) === "directory" ||
					git.isTracked(place) ||
					(access.skips.includes("ignored") && git.isIgnored(place)));
			const isPicked = (place: string) => picks(place.slice(access.real.length + 1));
			for (const root of own) {
				if (host.kind(root) === undefined) continue;
				if (isPicked(root) && !isLeft(root)) return root;
				const inner = seen.get(root) ?? placesIn(root, host);
				seen.set(root, inner);
				const found = inner.find(
					(place) =>
						isPicked(place) &&
						!isLeft(place) &&
						(files.has(place) || root !== `${access.real}/.pi` || isOwnPlace(place, root)),
				);
				if (found !== undefined) return found;
			}
			return undefined;
		},
		covers(path, access, recursive) {
			const named = slashes(path);
			if (files.has(named)) return true;
			const text = withoutCopy(named);
			if (whole.some((root) => text === root || text.startsWith(`${root}/`))) return true;
			const parts = text.split("/");
			for (let at = parts.indexOf(".pi"); at !== -1; at = parts.indexOf(".pi", at + 1)) {
				const below = parts[at + 1];
				if (below === undefined) return access === "delete" || recursive;
				if (isOwnPlace(parts.slice(at + 1).join("/"), "")) return true;
			}
			return false;
		},
	};
}
