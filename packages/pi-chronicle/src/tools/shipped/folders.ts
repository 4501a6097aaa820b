// Locates and names the definitions that come with the package. Their layout is that of a project's `.pi` folder.
import { readdirSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { packageRoot } from "../../pi/index.ts";

const folders = {
	workflows: ["workflows"],
	templates: ["chronicle", "workflows"],
	agents: ["agents"],
	"workflow scenarios": ["rehearsals", "workflows"],
	"chronicle scenarios": ["rehearsals", "chronicles"],
} as const;

export type ShippedKind = keyof typeof folders;

/** Absolute path of the package's definitions of one kind. */
export function shippedFolder(kind: ShippedKind): string {
	return join(packageRoot(), "definitions", ...folders[kind]);
}

/** Path of the same kind below a project's folder. */
export function copyFolder(cwd: string, kind: ShippedKind): string {
	return join(cwd, ".pi", ...folders[kind]);
}

/** Names of the shipped workflows, sorted. */
export function shippedWorkflows(): string[] {
	return readdirSync(shippedFolder("workflows")).sort();
}

/** Names of the shipped chronicles, sorted. */
export function shippedChronicles(): string[] {
	return readdirSync(shippedFolder("templates"))
		.map((name) => basename(name, extname(name)))
		.sort();
}

/** Names of all shipped definitions, sorted. */
export function shippedNames(): string[] {
	return [...shippedChronicles(), ...shippedWorkflows()].sort();
}
