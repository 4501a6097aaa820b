// Unusual installations: unpacked by hand, from a read-only folder, from a git clone.
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import {
	copyCheckout,
	installRuntimeDependencies,
	installTarball,
	openBench,
	packageUnderTest,
	piScript,
	run,
	runNode,
} from "./harness/index.ts";
import { patient } from "./harness/patience.ts";
import { compiling, filesOf, offered, openPackageCopies, type PackageCopies } from "./package-copies.ts";

let copies: PackageCopies;
/** Names of the commands that the package under test offers: every copy must offer the same. */
let commands: string[];

beforeAll(async () => {
	copies = openPackageCopies();
	commands = await offered(packageUnderTest().root);
}, patient(120_000));

it("the package is installed from a tarball, and loads, where no registry can be reached", async () => {
	const root = installTarball(copies.tarball, join(copies.base, "offline"), "http://127.0.0.1:9/");
	expect(filesOf(root).filter((name) => !name.startsWith("node_modules/"))).toEqual(filesOf(copies.installed));
	expect(await offered(root)).toEqual(commands);
});

it("the package loads its sources from a read-only checkout, with a message that says why", async () => {
	const readOnly = join(copies.base, "read-only");
	copyCheckout(readOnly);
	installRuntimeDependencies(readOnly);
	writeFileSync(join(readOnly, "packages", "pi-chronicle", "node_modules"), "no folder");
	const why = expect.stringMatching(/sources could not be compiled, so each start takes longer: not a directory/);
	expect(await offered(readOnly, undefined, why)).toEqual(commands);
});

it("the package loads pi's library once from a checkout", async () => {
	rmSync(join(copies.tree, "packages/pi-chronicle/dist"), { recursive: true, force: true });
	await offered(".", copies.tree, expect.anything());
	const { project } = await openBench();
	const env = { JITI_DEBUG: "1" };
	const args = [piScript(), "--offline", "-ne", "-e", copies.tree, "-p", "/workflow"];
	const { stdout, stderr } = await runNode(project, args, { env });
	expect(stdout).toContain("You have no workflows yet");
	const own = `${stdout}${stderr}`.split("\n").filter((line) => line.includes("[native] [import]"));
	expect(own.filter((line) => line.includes(copies.tree) && line.includes("pi-coding-agent"))).toEqual([]);
});

it("the package loads from a git clone with runtime dependencies only", { timeout: patient(120_000) }, async () => {
	run(copies.tree, ["git", "init", "-q"]);
	run(copies.tree, ["git", "add", "-A"]);
	const author = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid"];
	run(copies.tree, ["git", ...author, "commit", "-q", "-m", "Clone me"]);
	const clone = join(copies.base, "clone");
	run(copies.base, ["git", "clone", "-q", `file://${copies.tree}`, clone]);
	installRuntimeDependencies(clone);
	expect(existsSync(join(clone, "packages/pi-chronicle/dist"))).toBe(false);
	expect(await offered(clone, undefined, compiling)).toEqual(commands);
	expect(await offered(clone)).toEqual(commands);
});
