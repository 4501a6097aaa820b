// Which copy of the package the tests load, and which pi and which node run it. Not how the copy is made: that is stage.ts.
// By default it is the published form (bundled, no sources), built afresh from the working tree for every test run.
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout these tests belong to. */
export const checkout = fileURLToPath(new URL("../../../..", import.meta.url)).replace(/[\\/]$/, "");

/** The folder of the package in the checkout. */
export const packageFolder = join(checkout, "packages", "pi-chronicle");

/**
 * Where the package under test lives.
 * - `root`: its folder, what `pi -e` and `pi install` take
 * - `extension`, `worker`: what a pi process loads
 * - `cli`: the script behind the command `pi-chronicle`, to be run with `process.execPath`; it finds pi by `PI_CHRONICLE_PI`
 * - `cliBesidePi`: the same, of a copy that has pi's packages next to it, as npm may install it. Each pi that it starts takes 0.6 s more.
 * - `cliWithEngine`: as `cli`, of a copy that has the package of engines next to it
 */
export interface PackageUnderTest {
	root: string;
	extension: string;
	worker: string;
	cli: string;
	cliBesidePi: string;
	cliWithEngine: string;
}

/**
 * The package under test, chosen by the environment variable `CHRONICLE_UNDER_TEST`:
 * unset: the bundle that stage.ts built for this run or, when it could not be built, the sources; `source`: the sources of the
 * checkout, compiled at every start; anything else: the root folder of an installed copy.
 */
export function packageUnderTest(): PackageUnderTest {
	const chosen = process.env.CHRONICLE_UNDER_TEST;
	if (chosen === "source") return packageAt(packageFolder);
	if (chosen) return packageAt(chosen);
	const staged = process.env.CHRONICLE_STAGED;
	if (!staged) return packageAt(packageFolder);
	return {
		...packageAt(join(staged, "by-pi")),
		cliBesidePi: packageAt(join(staged, "by-npm")).cli,
		cliWithEngine: packageAt(join(staged, "with-engine", "node_modules", "pi-chronicle")).cli,
	};
}

/** The entry points of the package in folder `root`. */
export function packageAt(root: string): PackageUnderTest {
	const cli = join(root, "bin", "pi-chronicle.mjs");
	const entries = { extension: join(root, "extension.ts"), worker: join(root, "worker.ts") };
	return { root, ...entries, cli, cliBesidePi: cli, cliWithEngine: cli };
}

/**
 * Where Node keeps compiled code for every process of a test: one folder per test run, removed with the staged package. Otherwise a test
 * that sets TMPDIR has each of its processes compile pi anew, for half as much CPU time again.
 */
export function compileCache(): string {
	return join(process.env.CHRONICLE_STAGED ?? tmpdir(), "compile-cache");
}

/** The script that starts the pi of our development dependencies; run it with `process.execPath`. */
export function piScript(): string {
	const folder = join(checkout, "node_modules", "@earendil-works", "pi-coding-agent");
	const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { bin: { pi: string } };
	const script = join(folder, bin.pi);
	if (!existsSync(script)) throw new Error(`pi is not installed at ${script}: run npm ci.`);
	return script;
}

/** An extension of `test/harness/extensions`, for the option `extensions` of every way to start pi. */
export function fixtureExtension(name: "probe" | "foreign-tool" | "neighbors" | "empty" | "theme-switch"): string {
	return fileURLToPath(new URL(`extensions/${name}.mjs`, import.meta.url));
}
