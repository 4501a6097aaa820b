// Whether the user trusts a project, for processes other than pi: the same rule, files and order as a pi that cannot ask anyone. Inside pi,
// use `ctx.isProjectTrusted()`. Source of the rule: pi's docs/security.md, "How Pi chooses a trust decision".
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { jsonObject, realPathOf } from "../../disk/index.ts";
import { agentFolder } from "./agent-folder.ts";

export type Trust = "trusted" | "untrusted";

export interface TrustQuestion {
	/** Absolute. */
	readonly cwd: string;
	readonly home: string;
	/** pi's agent folder. */
	readonly agentFolder: string;
}

/** The files that pi gates. A project without any of them is trusted unless the user has decided otherwise. */
const gated = "settings.json mcp.json extensions skills prompts themes SYSTEM.md APPEND_SYSTEM.md".split(" ");

/** Decides as pi would; if the file of decisions cannot be read, nothing is trusted. */
export function projectTrust({ cwd, home, agentFolder: folder }: TrustQuestion): Trust {
	const saved = savedDecision(cwd, join(folder, "trust.json"));
	if (saved === "unreadable") return "untrusted";
	if (saved !== undefined) return saved ? "trusted" : "untrusted";
	const standard = defaultTrust(join(folder, "settings.json"));
	// pi does not ask if it finds none of its own files, but this package's definitions may still exist.
	if (!hasGatedFiles(cwd, home)) return standard === "never" ? "untrusted" : "trusted";
	return standard === "always" ? "trusted" : "untrusted";
}

/**
 * Whether a project's definitions (workflows, templates, agents, scenarios) are read in the session of `ctx`. pi trusts a project in which
 * it finds none of its own files, even if it is set to trust none; in that case only a saved decision or `--approve` counts.
 */
export function definitionsTrusted(ctx: Pick<ExtensionContext, "cwd" | "isProjectTrusted">): boolean {
	if (!ctx.isProjectTrusted()) return false;
	const folder = agentFolder();
	if (defaultTrust(join(folder, "settings.json")) !== "never") return true;
	return hasGatedFiles(ctx.cwd, homedir()) || trustedByHand(ctx.cwd);
}

/** Whether the user has explicitly trusted the project in `cwd`, permanently or for this process. */
export function trustedByHand(cwd: string): boolean {
	if (process.argv.some((word) => word === "--approve" || word === "-a")) return true;
	return savedDecision(cwd, join(agentFolder(), "trust.json")) === true;
}

/** The saved decision for the folder or its closest parent. */
function savedDecision(cwd: string, file: string): boolean | "unreadable" | undefined {
	if (!existsSync(file)) return undefined;
	const decisions = jsonObject(file);
	if (!decisions) return "unreadable";
	for (let folder = realPathOf(cwd) ?? resolve(cwd); ; folder = dirname(folder)) {
		const key = Object.keys(decisions).find((path) => isSamePath(path, folder));
		const decision = key === undefined ? undefined : decisions[key];
		if (typeof decision === "boolean") return decision;
		if (folder === dirname(folder)) return undefined;
	}
}

function hasGatedFiles(cwd: string, home: string): boolean {
	const here = realPathOf(cwd) ?? resolve(cwd);
	if (gated.some((name) => existsSync(join(here, ".pi", name)))) return true;
	const own = join(realPathOf(home) ?? resolve(home), ".agents", "skills");
	for (let folder = here; ; folder = dirname(folder)) {
		const skills = join(folder, ".agents", "skills");
		if (!isSamePath(skills, own) && existsSync(skills)) return true;
		if (folder === dirname(folder)) return false;
	}
}

function defaultTrust(file: string): unknown {
	return existsSync(file) ? jsonObject(file)?.defaultProjectTrust : undefined;
}

function isSamePath(one: string, other: string): boolean {
	return process.platform === "win32" ? one.toLowerCase() === other.toLowerCase() : one === other;
}
