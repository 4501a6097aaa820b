// Examines the machine: Node, git, the sandbox, disk space.

import { join } from "node:path";
import { propertiesOf } from "@pi-chronicle/core/definition";
import { satisfies } from "compare-versions";
import { freeBytes, gitOutput, jsonObject } from "../../disk/index.ts";
import { type Project, refusedWrite } from "../../local/index.ts";
import { packageRoot } from "../../pi/index.ts";
import { probeSandbox } from "../../safety/index.ts";
import { type DoctorExamination, type DoctorFinding, fine } from "./examination.ts";

/** Free bytes below which runs soon fail, and below which they fail now. */
const littleSpace = 1_000_000_000;
const noSpace = 50_000_000;

export function machineExaminations({ place, sessions }: Project): readonly DoctorExamination[] {
	const { cwd, agentFolder, env = process.env } = place;
	return [
		{ what: "Node", maxMs: 1000, examine: async () => examineNode() },
		{ what: "git", maxMs: 10_000, examine: (signal) => examineGit(cwd, env, signal) },
		{ what: "sandbox", maxMs: 15_000, examine: examineSandbox },
		{ what: "disk", maxMs: 5000, examine: () => examineDisk([sessions, agentFolder]) },
	];
}

function examineNode(): DoctorFinding {
	const { bun } = process.versions;
	if (bun !== undefined) return fine(`Bun ${bun}, inside pi`);
	const { engines } = jsonObject(join(packageRoot(), "package.json")) ?? {};
	const wanted = String(propertiesOf(engines).node);
	const { version } = process;
	if (satisfies(version.replace(/^v/, ""), wanted)) return fine(`Node ${version.slice(1)}`);
	const text = `This is Node ${version.slice(1)}, but pi-chronicle needs ${wanted}.`;
	return { state: "failed", text, remedy: "Install a newer Node (https://nodejs.org), and start pi with it." };
}

async function examineGit(cwd: string, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<DoctorFinding> {
	const version = await gitOutput(cwd, ["--version"], { env, signal });
	if (version === undefined)
		return {
			state: "failed",
			text: "git does not run; chronicles need it to save and restore files.",
			remedy: "Install git, and make sure that `git --version` works in this shell.",
		};
	const inside = await gitOutput(cwd, ["rev-parse", "--show-toplevel"], { env, signal });
	const where = inside === undefined ? "; the project is not in a repository, and chronicles need none" : "";
	return fine(`${version.trim()}${where}`);
}

async function examineSandbox(): Promise<DoctorFinding> {
	const found = await probeSandbox();
	if (found) return fine(`${found.kind} works: workers, readonly mode and read-only phases run shell commands in it`);
	if (process.env.CHRONICLE_SANDBOX === "off")
		return fine("turned off by CHRONICLE_SANDBOX: commands are judged by their text");
	if (process.platform !== "linux") return fine("none on this system: commands are judged by their text");
	return {
		state: "warning",
		text: "No sandbox works here, so commands of workers and of readonly mode are judged by their text only.",
		remedy: "Install bubblewrap (bwrap), and allow unprivileged user namespaces, to get a sandbox.",
	};
}

async function examineDisk(folders: readonly string[]): Promise<readonly DoctorFinding[]> {
	const refused = folders.flatMap((folder) => refusedWrite(folder) ?? []);
	if (refused.length > 0) return refused.map(({ message, remedy }) => ({ state: "failed", text: message, remedy }));
	const found = await Promise.all(folders.map(async (folder) => ({ folder, free: await freeBytes(folder) })));
	const low = found.filter(({ free }) => free < littleSpace);
	if (low.length === 0) return [fine(`${size(Math.min(...found.map(({ free }) => free)))} free`)];
	return low.map(({ folder, free }) => ({
		state: free < noSpace ? "failed" : "warning",
		text: `Only ${size(free)} are free on the disk of ${folder}.`,
		remedy: "Free some space: `pi-chronicle prune --older-than 30` removes old runs.",
	}));
}

function size(bytes: number): string {
	return bytes >= 1e9 ? `${Math.round(bytes / 1e9)} GB` : `${Math.round(bytes / 1e6)} MB`;
}
