// Finds an agent by name: exact name, path, file name, slug or display form, last part of a namespaced name. Pure.
// A stronger kind of match always wins over a weaker one; within one kind, the first in precedence wins, except that the last part
// of a namespaced name must be unique.
import type { AgentFile } from "./persona.ts";

export type AgentMatch =
	| { readonly kind: "agent"; readonly agent: AgentFile }
	| { readonly kind: "ambiguous"; readonly names: readonly string[] }
	| { readonly kind: "none" };

/** Finds the agent that `name` refers to. `agents` are in order of precedence. */
export function findAgent(name: string, agents: readonly AgentFile[]): AgentMatch {
	const wanted = fold(name);
	if (wanted === "") return { kind: "none" };
	const wantedPath = wanted
		.replaceAll("\\", "/")
		.replace(/^\.?\//, "")
		.replace(/\.md$/, "");
	const slug = slugOf(name);
	const kinds: ((agent: AgentFile) => boolean)[] = [
		(agent) => fold(agent.name) === wanted,
		(agent) => fold(agent.path) === wantedPath,
		(agent) => fold(baseName(agent)) === wantedPath,
		(agent) =>
			slug !== "" && (slugOf(agent.name) === slug || slugOf(agent.path) === slug || slugOf(baseName(agent)) === slug),
	];
	for (const matches of kinds) {
		const agent = agents.find(matches);
		if (agent) return { kind: "agent", agent };
	}
	const ending = agents.filter((agent) => lastPart(agent.name) === slug && slug !== "");
	const [only, ...others] = ending;
	if (only && others.length === 0) return { kind: "agent", agent: only };
	if (only) return { kind: "ambiguous", names: ending.map((agent) => agent.name) };
	return { kind: "none" };
}

/**
 * The slug of a name: lower case, without apostrophes, every other run of non-alphanumeric characters replaced by a dash. Display forms
 * (`Software Architect`, `SoftwareArchitect`) have the same slug as `software-architect`.
 */
export function slugOf(name: string): string {
	return name
		.normalize("NFKC")
		.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1-$2")
		.toLowerCase()
		.replace(/['’`]/g, "")
		.replace(/[^\p{L}\p{N}]+/gu, "-")
		.replace(/^-+|-+$/g, "");
}

/** The display form of a name: `Red Team` for `red-team`. Names with capitals or spaces stay unchanged. */
export function displayName(name: string): string {
	if (/[\p{Lu}\s]/u.test(name)) return name;
	return name
		.split(/[-_]+/)
		.filter((word) => word !== "")
		.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)
		.join(" ");
}

function fold(name: string): string {
	return name.normalize("NFKC").trim().toLowerCase();
}

function baseName(agent: AgentFile): string {
	return agent.path.slice(agent.path.lastIndexOf("/") + 1);
}

/** `ontap-specialist` of `netapp-tigers.ontap-specialist` or `netapp-tigers:ontap-specialist`; empty without a namespace. */
function lastPart(name: string): string {
	const at = Math.max(name.lastIndexOf("."), name.lastIndexOf(":"), name.lastIndexOf("/"));
	return at === -1 ? "" : slugOf(name.slice(at + 1));
}
