// The hosts that the user has allowed to commands in the sandbox, by project: `sandbox-hosts.json` in pi's agent folder, which no tool may change.
import { join } from "node:path";
import { attempt, jsonObject, replaceFileSync } from "../../disk/index.ts";

export interface RememberedHosts {
	has(host: string): boolean;
	/** Also writes the file; a failure only means that the user is asked again. */
	add(host: string): void;
}

/** The hosts of a project, whose folder is absolute. */
export function rememberedHosts(agentDir: string, project: string): RememberedHosts {
	const file = join(agentDir, "sandbox-hosts.json");
	const read = (): Record<string, string[]> => {
		const written = jsonObject(file) ?? {};
		return Object.fromEntries(
			Object.entries(written).flatMap(([name, hosts]) =>
				Array.isArray(hosts) ? [[name, hosts.filter((host) => typeof host === "string")]] : [],
			),
		);
	};
	return {
		has: (host) => read()[project]?.includes(host) ?? false,
		add(host) {
			const all = read();
			const hosts = [...new Set([...(all[project] ?? []), host])].sort();
			attempt(() => replaceFileSync(file, `${JSON.stringify({ ...all, [project]: hosts }, undefined, "\t")}\n`));
		},
	};
}
