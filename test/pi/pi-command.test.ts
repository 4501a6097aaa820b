import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findPi, isPiCommand, ownPiSearch, type PiSearch } from "../../src/pi/pi-command.ts";
import { piScript } from "../harness/under-test.ts";

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

describe("finding pi", () => {
	it("inside pi it is the running script, through links", () => {
		expect(findPi(search({ script: join(folder, "linked-pi") }))).toEqual({
			command: process.execPath,
			args: [realpathSync(piScript())],
			version: "1.6.0",
		});
	});

	it("inside pi in RPC mode it is the ordinary entry of the same package", () => {
		const script = join(dirname(piScript()), "rpc-entry.js");
		expect(findPi(search({ script }))).toMatchObject({ args: [realpathSync(piScript())] });
	});

	it("inside a compiled pi it is the binary alone", () => {
		const found = findPi(search({ script: "/$bunfs/root/pi", execPath: "/opt/pi" }));
		expect(found).toEqual({ command: "/opt/pi", args: [], version: undefined });
	});

	it("inside a renamed distribution it is that distribution", () => {
		const script = join(folder, "renamed", "dist", "tau.js");
		expect(findPi(search({ script }))).toMatchObject({ args: [script], version: "9.9.9" });
		expect(findPi(search({ named: join(folder, "renamed") }))).toMatchObject({ args: [script] });
	});

	it("outside pi it is the peer package of this one", () => {
		const found = findPi({ ...ownPiSearch(), env: {}, script: join(folder, "other", "main.js") });
		expect(found).toMatchObject({
			command: process.execPath,
			args: expect.arrayContaining([realpathSync(piScript())]),
		});
	});

	it("a program called pi on PATH that is no pi is passed over; nothing found is a sentence that says what to do", () => {
		const found = findPi(search({ script: join(folder, "other", "main.js") }));
		expect(found).toMatchObject({ code: "pi-not-found", remedy: expect.stringContaining("--pi") });
	});

	it("outside pi, with none beside this package, it is the pi on PATH, started by its entry file", () => {
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

	it("one that is too old is passed over for a newer one on PATH; alone it is named with both versions", () => {
		const old = join(folder, "beside", "node_modules", "@earendil-works", "pi-coding-agent");
		mkdirSync(join(old, "dist"), { recursive: true });
		const manifest = { name: "@earendil-works/pi-coding-agent", version: "0.87.1", bin: { pi: "dist/cli.js" } };
		writeFileSync(join(old, "package.json"), JSON.stringify(manifest));
		writeFileSync(join(old, "dist", "cli.js"), "");
		const from = join(folder, "beside", "main.js");
		expect(findPi(search({ from }))).toMatchObject({
			code: "pi-too-old",
			message: expect.stringMatching(/needs pi 1\.3\.0 or newer, and .* is pi 0\.87\.1/),
		});
		expect(findPi(search({ named: old }))).toMatchObject({ code: "pi-too-old" });
		const newer = join(folder, "newer");
		mkdirSync(newer);
		symlinkSync(piScript(), join(newer, "pi"));
		expect(findPi(search({ from, env: { PATH: newer } }))).toMatchObject({ version: "1.6.0" });
	});

	it("what is named wins: option before variable, an entry, a package folder or a binary", () => {
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

	it("node's own options go along, a debugger's do not", () => {
		const found = findPi(search({ named: piScript(), execArgv: ["--inspect-brk=1", "--no-warnings"] }));
		expect(found).toMatchObject({ args: ["--no-warnings", realpathSync(piScript())] });
	});

	it("what is found runs", () => {
		const found = findPi(ownPiSearch());
		if (!isPiCommand(found)) throw new Error(found.message);
		const env = { PATH: "/nonexistent", HOME: folder, PI_CODING_AGENT_DIR: join(folder, "agent"), PI_OFFLINE: "1" };
		const done = spawnSync(found.command, [...found.args, "--version"], { encoding: "utf8", env });
		expect(done.stdout + done.stderr).toContain("1.6.0");
	});
});
