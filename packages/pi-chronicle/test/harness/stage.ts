// Vitest's global setup: builds the published form of the package once per test run, outside of `dist`, so that tests never
// see a stale build and never disturb one. It lies three times outside of the checkout: as pi installs it, without pi's own packages beside
// it (where they can be resolved, an extension loads them a second time, for 0.6 s of CPU), and as npm installs it, with them; and a third time as pi
// installs it, beside the package of engines.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { removeClusters } from "./postgres.ts";
import { checkout, compileCache, packageFolder, piScript } from "./under-test.ts";

/** The folder of pi in the home of who runs the tests. */
const usersPi = join(homedir(), ".pi");

const stages = join(tmpdir(), `chronicle-stages-${userInfo().uid}`);

/**
 * Stages the package in a folder of this process and names that in `CHRONICLE_STAGED`; again before every rerun when vitest
 * watches. A build that fails is reported here and fails `package.test.ts`; the other tests then load the sources, so that one
 * broken file does not hide what else is broken. Returns the clean-up.
 */
export default function stage(project: TestProject): () => void {
	sweepStages();
	const hadPi = existsSync(usersPi);
	const folder = join(stages, String(process.pid));
	build(folder);
	process.env.CHRONICLE_PI_START_MS = String(measurePi(folder));
	project.onTestsRerun(async () => build(folder));
	return () => {
		removeStage(folder);
		if (!hadPi && existsSync(usersPi)) throw new Error(`A test has started a pi with the user's own home: ${usersPi}.`);
	};
}

function build(folder: string): void {
	rmSync(folder, { recursive: true, force: true });
	const root = join(folder, "by-pi");
	mkdirSync(root, { recursive: true });
	const { files } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as { files: string[] };
	for (const name of [...files, "package.json", "LICENSE", "README.md"]) {
		const from = [packageFolder, checkout].map((parent) => join(parent, name)).find(existsSync);
		if (name !== "dist" && from) cpSync(from, join(root, name), { recursive: true });
	}
	const bundled = spawnSync(process.execPath, ["scripts/build.mjs", join(root, "dist")], {
		cwd: checkout,
		encoding: "utf8",
	});
	delete process.env.CHRONICLE_STAGED;
	if (bundled.status === 0) {
		const beside = join(folder, "by-npm");
		cpSync(root, beside, { recursive: true });
		symlinkSync(join(checkout, "node_modules"), join(beside, "node_modules"), "dir");
		installEngine(root, join(folder, "with-engine", "node_modules"));
		process.env.CHRONICLE_STAGED = folder;
		return;
	}
	const reason = bundled.stderr.split("\n").slice(0, 5).join("\n");
	console.error(`The package could not be bundled, the tests load its sources instead:\n${reason}`);
}

/** Installs the package at `root` and that of engines, as npm does, into `modules`. */
function installEngine(root: string, modules: string): void {
	const own = join(modules, "pi-chronicle");
	cpSync(root, own, { recursive: true });
	const packed = JSON.parse(readFileSync(join(own, "package.json"), "utf8"));
	packed.exports["./local"] = "./dist/later/local.mjs";
	writeFileSync(join(own, "package.json"), JSON.stringify(packed));
	const engine = join(modules, "@pi-chronicle", "postgres");
	const manifest = JSON.parse(readFileSync(join(checkout, "packages/postgres/package.json"), "utf8"));
	mkdirSync(engine, { recursive: true });
	manifest.exports["."] = "./index.mjs";
	writeFileSync(join(engine, "package.json"), JSON.stringify(manifest));
	spawnSync(process.execPath, ["scripts/build-postgres.mjs", join(engine, "index.mjs")], { cwd: checkout });
	for (const name of ["pg", "pg-boss"]) symlinkSync(join(checkout, "node_modules", name), join(modules, name), "dir");
}

/**
 * How long a bare pi takes to start, answer and end, in milliseconds: what {@link patient} scales limits by. It is the first one of the run and
 * leaves its compiled code to the others.
 */
function measurePi(folder: string): number {
	const home = join(folder, "home");
	mkdirSync(home, { recursive: true });
	const { PATH } = process.env;
	const agent = join(home, "agent");
	const env = {
		PATH,
		HOME: home,
		USERPROFILE: home,
		PI_CODING_AGENT_DIR: agent,
		PI_TELEMETRY: "0",
		NODE_COMPILE_CACHE: compileCache(),
	};
	const args = [piScript(), "--mode", "rpc", "--offline", "-ne", "--no-session"];
	const began = performance.now();
	const { stdout } = spawnSync(process.execPath, args, {
		cwd: home,
		env,
		input: '{"type":"get_state"}\n',
		encoding: "utf8",
	});
	if (!stdout.includes("get_state")) throw new Error("A bare pi does not start: run npm ci.");
	return Math.round(performance.now() - began);
}

/** Removes a stage, and the databases that its test files have shared. */
function removeStage(folder: string): void {
	for (const name of existsSync(folder) ? readdirSync(folder) : [])
		if (name.startsWith("postgres-")) removeClusters(join(folder, name));
	rmSync(folder, { recursive: true, force: true });
}

/** Removes what test runs left behind that were killed. */
function sweepStages(): void {
	if (!existsSync(stages)) return;
	for (const name of readdirSync(stages)) {
		try {
			process.kill(Number(name), 0);
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code === "ESRCH") {
				removeStage(join(stages, name));
			}
		}
	}
}
