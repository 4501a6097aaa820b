// Whether the person trusts a project, for processes that are not pi: by the same rule, files and order as a pi that can ask nobody.
// Inside pi, `ctx.isProjectTrusted()` is asked. Source of the rule: pi's docs/security.md, "How Pi chooses a trust decision".
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export type Trust = "trusted" | "untrusted";

export interface TrustQuestion {
	/** Absolute. */
	readonly cwd: string;
	readonly home: string;
	/** pi's agent folder. */
	readonly agentFolder: string;
}

/** What pi gates: a project that has none of it is trusted unless the person has said otherwise. */
const gated = [
	"settings.json",
	"mcp.json",
	"extensions",
	"skills",
	"prompts",
	"themes",
	"SYSTEM.md",
	"APPEND_SYSTEM.md",
];

/** Answers as a pi would; a file of decisions that cannot be read trusts nothing. */
export function projectTrust({ cwd, home, agentFolder }: TrustQuestion): Trust {
	const saved = savedDecision(cwd, join(agentFolder, "trust.json"));
	if (saved === "unreadable") return "untrusted";
	if (saved !== undefined) return saved ? "trusted" : "untrusted";
	if (!hasGatedFiles(cwd, home)) return "trusted";
	return defaultTrust(join(agentFolder, "settings.json")) === "always" ? "trusted" : "untrusted";
}

/** The decision for the folder or the closest one above it. */
function savedDecision(cwd: string, file: string): boolean | "unreadable" | undefined {
	if (!existsSync(file)) return undefined;
	const decisions = readObject(file);
	if (!decisions) return "unreadable";
	for (let folder = realPath(cwd); ; folder = dirname(folder)) {
		const key = Object.keys(decisions).find((path) => isSamePath(path, folder));
		const decision = key === undefined ? undefined : decisions[key];
		if (typeof decision === "boolean") return decision;
		if (folder === dirname(folder)) return undefined;
	}
}

function hasGatedFiles(cwd: string, home: string): boolean {
	const here = realPath(cwd);
	if (gated.some((name) => existsSync(join(here, ".pi", name)))) return true;
	const own = join(realPath(home), ".agents", "skills");
	for (let folder = here; ; folder = dirname(folder)) {
		const skills = join(folder, ".agents", "skills");
		if (!isSamePath(skills, own) && existsSync(skills)) return true;
		if (folder === dirname(folder)) return false;
	}
}

function defaultTrust(file: string): unknown {
	return existsSync(file) ? readObject(file)?.defaultProjectTrust : undefined;
}

function readObject(file: string): Readonly<Record<string, unknown>> | undefined {
	try {
		const data: unknown = JSON.parse(readFileSync(file, "utf8").replace(/^\ufeff/, ""));
		return typeof data === "object" && data !== null && !Array.isArray(data)
			? (data as Record<string, unknown>)
			: undefined;
	} catch {
		return undefined;
	}
}

function realPath(path: string): string {
	try {
		return realpathSync.native(path);
	} catch {
		return resolve(path);
	}
}

function isSamePath(one: string, other: string): boolean {
	return process.platform === "win32" ? one.toLowerCase() === other.toLowerCase() : one === other;
}
