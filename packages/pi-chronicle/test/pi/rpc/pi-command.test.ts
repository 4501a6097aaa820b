import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findPi, isPiCommand, ownPiSearch, type PiSearch } from "../../../src/pi/rpc/pi-command.ts";
import { piScript } from "../../harness/under-test.ts";

let folder: string;
beforeAll(() => {
	folder = realpathSync(mkdtempSync(join(tmpdir(), "pi-command-")));
	mkdirSync(join(folder, "bin"));
	writeFileSync(join(folder, "bin", "pi"), "#!/bin/sh\necho wrong >&2\nexit 66\n");
	chmodSync(join(folder, "bin", "pi"), 0o755);
	symlinkSync(piScript(), join(folder, "linked-pi"));
	mkdirSync(join(folder, "renamed", "dist"), { recursive: true });
	writeFileSync(
		join(folder, "renamed", "package.json"),
		JSON.stringify({ name: "tau", version: "9.9.9", bin: { tau: "dist/tau.js" }, piConfig: { name: "tau" } }),
	);
	writeFileSync(join(folder, "renamed", "dist", "tau.js"), "");
	mkdirSync(join(folder, "other"));
	writeFileSync(join(folder, "other", "package.json"), JSON.stringify({ name: "other", version: "1.0.0" }));
	writeFileSync(join(folder, "other", "main.js"), "");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function search(part: Partial<PiSearch>): PiSearch {
	return {
		env: { PATH: join(folder, "bin") },
		execPath: process.execPath,
		execArgv: [],
		script: undefined,
		from: join(folder, "other", "main.js"),
		...part,
	};
}

describe("the pi command", () => {
	it("is inside pi the running script, with links resolved", () => {
		expect(findPi(search({ script: join(folder, "linked-pi") }))).toEqual({
			command: process.execPath,
			args: [realpathSync(piScript())],
			version: "1.6.0",
		});
	});

	it("is inside pi in RPC mode the ordinary entry of the same package", () => {
		const script = join(dirname(piScript()), "rpc-entry.js");
		expect(findPi(search({ script }))).toMatchObject({ args: [realpathSync(piScript())] });
	});

	it("is inside a compiled pi the binary alone", () => {
		const found = findPi(search({ script: "/$bunfs/root/pi", execPath: "/opt/pi" }));
		expect(found).toEqual({ command: "/opt/pi", args: [], version: undefined });
	});

	it("is inside a renamed distribution that distribution", () => {
		const script = join(folder, "renamed", "dist", "tau.js");
		expect(findPi(search({ script }))).toMatchObject({ args: [script], version: "9.9.9" });
		expect(findPi(search({ named: join(folder, "renamed") }))).toMatchObject({ args: [script] });
	});

	it("is outside pi the peer package", () => {
		const found = findPi({ ...ownPiSearch(), env: {}, script: join(folder, "other", "main.js") });
		expect(found).toMatchObject({
			command: process.execPath,
			args: expect.arrayContaining([realpathSync(piScript())]),
		});
	});

	it("skips another program called pi on PATH; if none is found, the error has a remedy", () => {
		const found = findPi(search({ script: join(folder, "other", "main.js") }));
		expect(found).toMatchObject({ code: "pi-not-found", remedy: expect.stringContaining("--pi") });
	});

	it("is outside pi, without a peer package, the pi on PATH, started by its entry file", () => {
		const linked = join(folder, "path");
		mkdirSync(linked);
		symlinkSync(piScript(), join(linked, "pi"));
		const PATH = [join(folder, "bin"), "", "/nowhere", linked].join(delimiter);
		expect(findPi(search({ env: { PATH } }))).toEqual({
			command: process.execPath,
			args: [realpathSync(piScript())],
			version: "1.6.0",
		});
	});

	it("skips a pi that is too old for a newer one on PATH; without one, the error has both versions", () => {
		const old = join(folder, "beside", "node_modules", "@earendil-works", "pi-coding-agent");
		mkdirSync(join(old, "dist"), { recursive: true });
		const manifest = { name: "@earendil-works/pi-coding-agent", version: "0.87.1", bin: { pi: "dist/cli.js" } };
		writeFileSync(join(old, "package.json"), JSON.stringify(manifest));
		writeFileSync(join(old, "dist", "cli.js"), "");
		const from = join(folder, "beside", "main.js");
		expect(findPi(search({ from }))).toMatchObject({
			code: "pi-too-old",
			message: expect.stringMatching(/needs pi 1\.3\.0 or newer, but .* is pi 0\.87\.1/),
		});
		expect(findPi(search({ named: old }))).toMatchObject({ code: "pi-too-old" });
		const newer = join(folder, "newer");
		mkdirSync(newer);
		symlinkSync(piScript(), join(newer, "pi"));
		expect(findPi(search({ from, env: { PATH: newer } }))).toMatchObject({ version: "1.6.0" });
	});

	it("may be set by option, then by variable: an entry, a package folder or a binary", () => {
		const named = (path: string, env: NodeJS.ProcessEnv = {}) => findPi(search({ named: path, env }));
		expect(named(piScript(), { PI_CHRONICLE_PI: "/nowhere" })).toMatchObject({ args: [realpathSync(piScript())] });
		expect(named(join(dirname(piScript()), "..", ".."))).toMatchObject({ version: "1.6.0" });
		expect(named(join(folder, "bin", "pi"))).toEqual({
			command: join(folder, "bin", "pi"),
			args: [],
			version: undefined,
		});
		expect(findPi(search({ env: { PI_CHRONICLE_PI: piScript() } }))).toMatchObject({ version: "1.6.0" });
		expect(named("/nowhere/pi")).toMatchObject({ code: "pi-not-found", file: "/nowhere/pi" });
		expect(named(join(folder, "other"))).toMatchObject({ code: "pi-not-found" });
	});

	it("keeps Node's options except the debugger's", () => {
		const found = findPi(search({ named: piScript(), execArgv: ["--inspect-brk=1", "--no-warnings"] }));
		expect(found).toMatchObject({ args: ["--no-warnings", realpathSync(piScript())] });
	});

	it("runs", () => {
		const found = findPi(ownPiSearch());
		if (!isPiCommand(found)) throw new Error(found.message);
		const env = { PATH: "/nonexistent", HOME: folder, PI_CODING_AGENT_DIR: join(folder, "agent"), PI_OFFLINE: "1" };
		const done = spawnSync(found.command, [...found.args, "--version"], { encoding: "utf8", env });
		expect(done.stdout + done.stderr).toContain("1.6.0");
	});
});
