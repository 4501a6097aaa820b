// Copies of the package as users get it: of the working tree (without files that git ignores), packed and installed, or cloned.
// The working tree itself is never built or changed.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { checkout } from "./under-test.ts";

/** How a command ended; see {@link run}. */
export interface Ran {
	code: number | null;
	stdout: string;
	stderr: string;
}

/** Runs a command to its end. `env` is added to this process's environment. Throws its output if it fails. */
export function run(cwd: string, [program = "", ...args]: string[], env: Record<string, string> = {}): Ran {
	const done = spawnSync(program, args, { cwd, env: { ...process.env, ...env }, encoding: "utf8", timeout: 120_000 });
	const { status: code, stdout, stderr } = done;
	if (code !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${code}:\n${stdout}${stderr}`);
	return { code, stdout, stderr };
}

/** Copies what git tracks or would track of the working tree into `folder`. */
export function copyCheckout(folder: string): void {
	const listed = run(checkout, ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
	for (const name of listed.stdout.split("\0")) {
		// A link called node_modules is not covered by the ignore rule, which names a folder.
		if (name === "" || name === "node_modules" || !existsSync(join(checkout, name))) continue;
		cpSync(join(checkout, name), join(folder, name), { recursive: true });
	}
}

/** Lends a copy the development dependencies, as `npm ci` would install them. */
export function linkDependencies(folder: string): void {
	const lent = join(folder, "node_modules");
	mkdirSync(lent, { recursive: true });
	for (const name of readdirSync(join(checkout, "node_modules"))) {
		if (name === ".cache" || name === "@pi-chronicle" || name === "pi-chronicle") continue;
		symlinkSync(join(checkout, "node_modules", name), join(lent, name), "dir");
	}
	linkPackages(folder);
}

/** Links the packages of a checkout into its `node_modules`, as npm does. */
function linkPackages(folder: string): void {
	for (const name of readdirSync(join(folder, "packages"))) {
		const link = join(folder, "node_modules", name === "pi-chronicle" ? name : `@pi-chronicle/${name}`);
		mkdirSync(dirname(link), { recursive: true });
		symlinkSync(join(folder, "packages", name), link, "dir");
	}
}

/**
 * Gives `folder` the runtime dependencies alone, as `npm ci --omit=dev --omit=peer` would, from our own `node_modules`: no
 * network needed. Dependencies of dependencies are followed.
 */
export function installRuntimeDependencies(folder: string, manifestOf = folder): void {
	const packages = existsSync(join(folder, "packages")) ? readdirSync(join(folder, "packages")) : [];
	const of = [manifestOf, ...packages.map((name) => join(folder, "packages", name))];
	const wanted = of
		.flatMap((one) => Object.keys(dependenciesOf(one)))
		.filter((name) => !/^(@pi-chronicle\/|pg(-boss)?$)/.test(name));
	for (let name = wanted.pop(); name; name = wanted.pop()) {
		const target = join(folder, "node_modules", name);
		if (existsSync(target)) continue;
		const source = join(checkout, "node_modules", name);
		mkdirSync(dirname(target), { recursive: true });
		cpSync(source, target, { recursive: true });
		wanted.push(...Object.keys(dependenciesOf(source)));
	}
	if (packages.length > 0) linkPackages(folder);
}

function dependenciesOf(folder: string): Record<string, string> {
	const { dependencies = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
		dependencies?: Record<string, string>;
	};
	return dependencies;
}

/** Packs a package of the copy in `folder` into a tarball, running its build, and returns the tarball's path. */
export function pack(folder: string, name = "pi-chronicle"): string {
	const own = join(folder, "packages", name);
	const { stdout } = run(own, ["npm", "pack", "--json", "--loglevel=error"]);
	const [packed] = JSON.parse(stdout.slice(stdout.indexOf("["))) as { filename: string }[];
	return join(own, packed?.filename ?? "");
}

/** Installs a tarball into the empty `folder` and returns where the package is. `registry` is another than the machine's. */
export function installTarball(tarball: string, folder: string, registry?: string): string {
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, "package.json"), '{ "name": "empty", "private": true }\n');
	const root = join(folder, "node_modules", "pi-chronicle");
	const flags = [
		"--ignore-scripts",
		"--legacy-peer-deps",
		"--omit=peer",
		"--no-audit",
		"--no-fund",
		"--prefer-offline",
	];
	const env = {
		// The npm cache of the user who runs the tests: what `npm ci` has fetched is not fetched again.
		npm_config_cache: process.env.npm_config_cache ?? join(homedir(), ".npm"),
		npm_config_fetch_retries: "0",
		npm_config_logs_max: "0",
		...(registry === undefined ? {} : { npm_config_registry: registry }),
	};
	run(folder, ["npm", "install", tarball, ...flags], env);
	return root;
}
