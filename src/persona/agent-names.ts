// How a name finds an agent: exact, path, file name, slug or display form, last part of a namespaced name. Pure.
// N1 a better kind of match always wins over a weaker one; N2 within one kind the first in precedence wins, except for the last
// part of a namespaced name, which must be unique.
import type { AgentFile } from "./persona.ts";

export type AgentMatch =
	| { readonly kind: "agent"; readonly agent: AgentFile }
	| { readonly kind: "ambiguous"; readonly names: readonly string[] }
	| { readonly kind: "none" };

/** Finds the agent that `name` means among `agents`, which are in order of precedence. */
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
		(agent) => fold(stemOf(agent)) === wantedPath,
		(agent) =>
			slug !== "" && (slugOf(agent.name) === slug || slugOf(agent.path) === slug || slugOf(stemOf(agent)) === slug),
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
 * The slug of a name: lower case, apostrophes gone, everything else that is no letter or digit a dash. Of a display form
 * (`Software Architect`, `SoftwareArchitect`) it is the same as of `software-architect`.
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

/** A name for people: `red-team` is shown as `Red Team`. Names that carry capitals or blanks stay as they are. */
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

function stemOf(agent: AgentFile): string {
	return agent.path.slice(agent.path.lastIndexOf("/") + 1);
}

/** `ontap-specialist` of `netapp-tigers.ontap-specialist` or `netapp-tigers:ontap-specialist`; empty where there is no namespace. */
function lastPart(name: string): string {
	const at = Math.max(name.lastIndexOf("."), name.lastIndexOf(":"), name.lastIndexOf("/"));
	return at === -1 ? "" : slugOf(name.slice(at + 1));
}
