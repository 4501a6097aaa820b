// Tries the packed package in every supported minor version of pi that npm offers and installs, and in the newest one that is too old:
// `npm run try-pi-versions`, or with versions as arguments. Each supported version lists the commands' answers and rehearses a workflow and a
// chronicle; the old one starts and names what is needed. Ends with a table; exits 1 when a version fails.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isTooOld } from "../packages/pi-chronicle/src/pi/rpc/supported-pi.ts";

const PACKAGE = "@earendil-works/pi-coding-agent";
const root = fileURLToPath(new URL("..", import.meta.url));
const base = mkdtempSync(join(tmpdir(), "chronicle-versions-"));
const rows = [];
try {
	const named = process.argv.slice(2);
	const packed = packPackage();
	for (const version of named.length > 0 ? named : versionsToTry()) rows.push([version, tryVersion(version, packed)]);
} finally {
	rmSync(base, { recursive: true, force: true });
}
for (const [version, result] of rows) console.log(`pi ${version.padEnd(8)} ${result}`);
const failed = rows.filter(([, result]) => result.startsWith("failed"));
const worked = rows.filter(([, result]) => result.startsWith("works"));
if (failed.length > 0 || worked.length === 0) process.exitCode = 1;

/** The newest patch of each supported minor version, and of the newest minor version that is too old. */
function versionsToTry() {
	const listed = JSON.parse(run("npm", ["view", PACKAGE, "versions", "--json"], root).stdout);
	const newest = new Map();
	for (const version of listed.filter((each) => /^\d+\.\d+\.\d+$/.test(each))) {
		newest.set(version.split(".").slice(0, 2).join("."), version);
	}
	const versions = [...newest.values()];
	return [...versions.filter(isTooOld).slice(-3), ...versions.filter((version) => !isTooOld(version))];
}

function packPackage() {
	const { stdout } = run(
		"npm",
		["pack", "--json", "--loglevel=error", "--pack-destination", base],
		join(root, "packages/pi-chronicle"),
	);
	const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf("[")));
	run("tar", ["-xzf", join(base, filename), "-C", base], base);
	return join(base, "package");
}

/** "works …", "says …" (too old), "does not install …" or "failed: …". */
function tryVersion(version, packed) {
	const folder = join(base, version);
	mkdirSync(folder);
	writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
	const install = [
		"install",
		"--no-audit",
		"--no-fund",
		"--ignore-scripts",
		"--loglevel=error",
		`${PACKAGE}@${version}`,
	];
	const installed = spawnSync("npm", install, { cwd: folder, encoding: "utf8" });
	if (installed.status !== 0) return `does not install (${/\bE[A-Z0-9]+\b/.exec(installed.stderr)?.[0] ?? "npm"})`;
	const home = join(folder, "home");
	const project = join(folder, "project");
	mkdirSync(home);
	cpSync(join(root, "examples", "receipts"), project, { recursive: true });
	const pi = join(folder, "node_modules", PACKAGE);
	const entry = join(pi, Object.values(JSON.parse(readFileSync(join(pi, "package.json"), "utf8")).bin)[0]);
	const env = {
		PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
		HOME: home,
		PI_CODING_AGENT_DIR: join(home, "agent"),
	};
	const start = (...args) =>
		spawnSync(process.execPath, args, { cwd: project, env, encoding: "utf8", timeout: 180_000 });

	const started = start(entry, "--offline", "--approve", "-ne", "-e", packed, "-p", "/workflow");
	if (isTooOld(version)) {
		if (/does not provide an export|ERR_/.test(started.stderr)) return "does not start by itself";
		const sentence = new RegExp(`needs pi \\S+ or newer, but this is pi ${version.replaceAll(".", "\\.")}`);
		return sentence.test(started.stderr) && started.status === 2 ? "says what is needed" : failure(started);
	}
	if (started.status !== 0 || !/\bfeature\b/.test(started.stdout)) return failure(started);
	for (const [kind, name] of [
		["workflow", "feature"],
		["chronicle", "bug-fix"],
	]) {
		const cli = join(packed, "bin", "pi-chronicle.mjs");
		const rehearsed = start(cli, "rehearse", "--pi", pi, kind, name, "A refund raises the total");
		if (rehearsed.status !== 0 || !/^DONE/m.test(rehearsed.stdout)) return failure(rehearsed);
	}
	return "works: starts, rehearses a workflow and a chronicle";
}

function failure({ status, stdout, stderr }) {
	return `failed: exit ${status}\n${stdout}${stderr}`;
}

function run(program, args, cwd) {
	const done = spawnSync(program, args, { cwd, encoding: "utf8" });
	if (done.status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${done.status}:\n${done.stderr}`);
	return done;
}
