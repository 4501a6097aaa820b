// What commands in the sandbox may read and write: rules for paths, of which the nearest to a path decides. Both kinds of sandbox, and the judgment of
// file tools, read the same rules.
// Invariants: a path without a rule is read-only; a rule for a path that is a link is a rule for where it leads, but a link that a command may
// have made opens nothing; what is protected stays so inside of what is writable.
import { dirname, join, normalize } from "node:path";
import type { WorkingCopy } from "@pi-chronicle/core/ports";
import type { HostEnvironment } from "@pi-chronicle/footprint";
import { isWithin } from "../containment.ts";
import { temporaryPlaces } from "../places.ts";
import type { BoxScope } from "../policy/index.ts";
import { gitRules } from "./git-rules.ts";
import { toolchainFolders } from "./toolchains.ts";

/** `write`: read and write; `read`; `hide`: nothing is found there; `home`: replaced by the sandbox's own home directory. */
export type BoxAccess = "write" | "read" | "hide" | "home";

export interface BoxRule {
	/** Absolute. */
	readonly path: string;
	readonly access: BoxAccess;
}

type BoxHost = Pick<
	HostEnvironment,
	"cwd" | "home" | "temp" | "platform" | "env" | "kind" | "realpath" | "readlink" | "names"
>;

export interface BoxPlaces {
	readonly host: BoxHost;
	/** The folder of the files that a command may change: the working folder, or the repository that contains it. Absolute. */
	readonly root: string;
	/** The copy of the project that the agent works in. */
	readonly copy?: WorkingCopy | undefined;
	/** Further paths that may be written, as the user wrote them: absolute, from the home directory (`~/`), or from `root`. */
	readonly write?: readonly string[] | undefined;
	/** Absolute paths that must stay readable although they are in the home directory. */
	readonly read?: readonly string[];
	/** Absolute paths that nobody may read. */
	readonly closed?: readonly string[];
	/** Absolute folders that git ignores, for the scope `ignored`. */
	readonly ignored?: readonly string[];
}

export interface BoxLayout {
	/** Parents come before what they contain. */
	readonly rules: readonly BoxRule[];
	/** Protected paths that do not exist, or are links: only what they become can be undone. */
	readonly absent: readonly string[];
	/** Those of them that would be folders, in what may be written: an empty folder can take their place. */
	readonly absentFolders: readonly string[];
	/** What may be written, for people. */
	readonly writable: readonly string[];
}

/** Settings and instructions of agents, in the folders that an agent works in: programs outside the sandbox follow them. */
const agentFolders = [".pi", ".claude", ".codex", ".gemini", ".cursor", ".agents", ".opencode"];
const agentFiles = [".mcp.json", "AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", ".cursorrules"];

/** Names in temporary folders through which a command could reach programs outside: sockets of agents, screens and editors. */
const outerSockets =
	/^(ssh-|agent\.|\.X11-unix|\.ICE-unix|tmux-|screens?$|dbus-|gpg-|vscode-|pulse-|systemd-private|pi-chronicle-box-)/;

/** What stays visible below `/run`, whose other entries are sockets of services. */
const runEntries = ["systemd/resolve", "resolvconf", "NetworkManager", "nscd", "current-system", "booted-system"];
const databaseEntries = ["postgresql", "mysqld", "mariadb", "redis"];

/** The rules for one scope. `network`: whether services of this machine may be reached. Reads the disk. */
export function layoutOf(places: BoxPlaces, scope: BoxScope, network: boolean): BoxLayout {
	const { host, root, copy, closed = [], ignored = [] } = places;
	const isProject = scope === "project";
	const named = isProject ? (places.write ?? []).map((path) => namedPath(path, root, host)) : [];
	const roots = [...new Set([root, copy?.root ?? root, host.cwd])];
	const git = gitRules(roots, host);
	const inRoots = (names: readonly string[]) => roots.flatMap((folder) => names.map((name) => join(folder, name)));
	const isKept = (path: string) => !named.some((open) => isWithin(path, open));
	const keptFolders = [...inRoots(agentFolders), ...git.keptFolders].filter(isKept);
	const kept = [...keptFolders, ...[...inRoots(agentFiles), ...git.keptFiles].filter(isKept)];
	const written = [...temporaryPlaces(host).folders, ...roots, ...git.write, ...named];
	const rules = new RuleList(host, written);
	addTemporary(rules, host);
	if (host.platform === "linux") addServices(rules, host, network);
	addHomes(rules, places, { roots, objects: git.read, written });
	addOuter(rules, places);
	rules.add("read", [...git.roots, ...git.write, ...roots]);
	if (isProject) rules.add("write", [...git.write, ...roots, ...named]);
	if (scope === "ignored") rules.add("write", ignored);
	if (scope !== "temporary") rules.add("read", kept);
	rules.close(closed);
	const writable = {
		project: [copy?.root ?? root, ...named],
		ignored: ["folders that git ignores"],
		temporary: [],
	}[scope];
	const sorted = rules.sorted();
	return {
		rules: sorted,
		absent: isProject ? kept.filter((path) => [undefined, "link"].includes(host.kind(path))) : [],
		absentFolders: isProject
			? keptFolders.filter((path) => host.kind(path) === undefined && nearestRule(sorted, path) === "write")
			: [],
		writable: [...writable, "temporary folders"],
	};
}

function addTemporary(rules: RuleList, host: BoxHost): void {
	const { folders } = temporaryPlaces(host);
	rules.add("write", folders);
	for (const folder of folders) {
		const sockets = (host.names(folder) ?? []).filter((name) => outerSockets.test(name));
		rules.add(
			"hide",
			sockets.map((name) => join(folder, name)),
		);
	}
}

/** Hides home directories, but for what programs and agents read there. A project that contains the user's is not hidden: only its logins are. */
function addHomes(
	rules: RuleList,
	{ host, read = [] }: BoxPlaces,
	{
		roots,
		objects,
		written,
	}: { readonly roots: readonly string[]; readonly objects: readonly string[]; readonly written: readonly string[] },
): void {
	const { home } = host;
	if (roots.some((folder) => isWithin(home, folder))) {
		const secret = secretFolders.map((name) => join(home, name));
		rules.add("hide", secret);
		return;
	}
	const others = otherHomes(host);
	rules.add("hide", others);
	rules.add("home", [home]);
	const tools = [home, ...others].flatMap((one) => toolchainFolders({ ...host, home: one }, written));
	rules.add("read", [...tools, ...objects, ...read]);
}

/** Projects around the working folder, and the project of a copy: they are read. */
function addOuter(rules: RuleList, { host, copy }: BoxPlaces): void {
	const isHome = (path: string) => isWithin(host.home, path) || host.realpath(host.home) === path;
	const real = host.realpath(host.cwd) ?? host.cwd;
	// The places include what a file `.git` names, which may be anything.
	const isMarked = (path: string) => [".git", ".pi"].some((mark) => host.kind(join(path, mark)) !== undefined);
	const isOuter = (path: string) =>
		!isHome(path) && isMarked(path) && [host.cwd, real].some((at) => isWithin(at, path));
	const copied = copy ? [copy.project, ...copy.closed].filter((folder) => folder !== copy.root) : [];
	rules.add("read", [...temporaryPlaces(host).except.filter(isOuter), ...copied]);
}

/** Folders with logins and keys, for a project that contains the home directory. */
const secretFolders = [
	...[".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".config/gh", ".config/gcloud", ".password-store"],
	...[".netrc", ".git-credentials", ".npmrc", ".pypirc", ".pgpass", ".local/share/keyrings", ".pi/agent/auth.json"],
];

function addServices(rules: RuleList, { realpath, env }: BoxHost, network: boolean): void {
	for (const run of new Set(["/run", realpath("/var/run") ?? "/var/run"])) {
		rules.add("hide", [run]);
		const shown = network ? [...runEntries, ...databaseEntries] : runEntries;
		rules.add(
			"read",
			shown.map((name) => join(run, name)),
		);
	}
	const sockets = ["SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "DOCKER_HOST", "XAUTHORITY", "GPG_AGENT_INFO"];
	const named = sockets.flatMap((name) => /(?:^|unix:(?:path=|\/\/)?)(\/[^,;:]+)/.exec(env(name) ?? "")?.[1] ?? []);
	rules.add("hide", named);
}

/** Home directories of others. */
function otherHomes({ home, names, realpath }: BoxHost): string[] {
	const isShared = (name: string) => name === "linuxbrew" || name === "nix";
	const below = ["/home", "/Users"].flatMap((parent) =>
		(names(parent) ?? []).filter((name) => !isShared(name)).map((name) => join(parent, name)),
	);
	const own = [home, realpath(home) ?? home];
	return [...below, "/root"].filter((path) => !own.some((one) => isWithin(one, path)));
}

function namedPath(written: string, root: string, { home }: BoxHost): string {
	if (written === "~" || written.startsWith("~/")) return normalize(join(home, written.slice(1)));
	return written.startsWith("/") ? normalize(written) : normalize(join(root, written));
}

/** From the strictest. */
const order: readonly BoxAccess[] = ["hide", "home", "read", "write"];

/** What the rules say about a path, by name and by real path: the stricter counts. */
export function accessTo({ rules }: BoxLayout, path: string, real: string): BoxAccess {
	const [named, led] = [nearestRule(rules, path), nearestRule(rules, real)];
	return order.find((access) => access === named || access === led) ?? "read";
}

function nearestRule(rules: readonly BoxRule[], path: string): BoxAccess {
	return rules.findLast((rule) => isWithin(path, rule.path))?.access ?? "read";
}

/** Rules by real path; a later rule for a path replaces an earlier one. */
class RuleList {
	readonly #rules = new Map<string, BoxAccess>();
	readonly #host: BoxHost;
	/** Places in which commands can make links: by name, and by real path. */
	readonly #written: readonly { readonly path: string; readonly real: string }[];

	/** `written`: folders that commands of any scope may write; absolute. */
	constructor(host: BoxHost, written: readonly string[]) {
		this.#host = host;
		this.#written = written.map((path) => ({ path, real: host.realpath(path) ?? path }));
	}

	/** Adds a rule for each path that exists. A link that a command may have made only makes the access stricter where it leads. */
	add(access: BoxAccess, paths: readonly string[]): void {
		for (const path of paths) {
			const real = this.#host.realpath(path);
			if (real === undefined || real === "/") continue;
			const opens = order.indexOf(access) > order.indexOf(this.#accessTo(real));
			if (!(opens && this.#mayBeMade(path, real))) this.#rules.set(real, access);
		}
	}

	/** Whether a path in a place that commands write leads elsewhere. */
	#mayBeMade(path: string, real: string): boolean {
		return this.#written.some((one) => isWithin(path, one.path) && real !== one.real + path.slice(one.path.length));
	}

	#accessTo(path: string): BoxAccess {
		for (let at = path; ; at = dirname(at)) {
			const access = this.#rules.get(at);
			if (access !== undefined || at === dirname(at)) return access ?? "read";
		}
	}

	/** Hides paths, whatever the rules for what is in them. */
	close(paths: readonly string[]): void {
		for (const path of paths) {
			const real = this.#host.realpath(path);
			if (real === undefined) continue;
			for (const below of this.#rules.keys()) if (isWithin(below, real)) this.#rules.delete(below);
			this.#rules.set(real, "hide");
		}
	}

	/** Parents first; the folders between something writable and what is protected in it are fixed, so that none can be moved away. */
	sorted(): readonly BoxRule[] {
		const own = [...this.#rules].map(([path, access]) => ({ path, access })).sort(byPath);
		const fixed = new Map<string, BoxAccess>();
		for (const { path } of own)
			for (let at = dirname(path); at !== dirname(at) && !this.#rules.has(at) && !fixed.has(at); at = dirname(at)) {
				if (nearestRule(own, at) !== "write") break;
				fixed.set(at, "write");
			}
		const all = [...own, ...[...fixed].map(([path, access]) => ({ path, access }))].sort(byPath);
		// A mount costs time: what the folder around it says already needs none.
		return all.filter(({ path, access }) => access === "write" || nearestRule(all, dirname(path)) !== access);
	}
}

function byPath(one: BoxRule, other: BoxRule): number {
	return one.path < other.path ? -1 : 1;
}
