// Without free file descriptors, starting a child fails with the reason, and a live process is not considered dead.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { needsLinux } from "../harness/needs.ts";

const child = fileURLToPath(new URL("../../src/process/child.ts", import.meta.url));
const identity = fileURLToPath(new URL("../../src/process/process-identity.ts", import.meta.url));
const git = fileURLToPath(new URL("../../src/local/workspace/git.ts", import.meta.url));

/** Opens files until there are no more descriptors, says what starting gives, then frees them and tries again. */
const program = `
import { closeSync, openSync } from "node:fs";
const { startChild } = await import(${JSON.stringify(child)});
const { isSameProcess, processStart } = await import(${JSON.stringify(identity)});
const { runGit } = await import(${JSON.stringify(git)});
const spec = { command: "/bin/true", args: [], cwd: "/", env: process.env };
await startChild(spec).exited;
const started = processStart(process.pid);
const files = [];
try { for (;;) files.push(openSync("/dev/null", "r")); } catch {}
const seen = {};
const one = startChild(spec);
seen.write = await one.write("x");
one.endInput();
seen.exit = await one.exited;
seen.stop = await one.stop(10);
seen.git = await runGit({ args: ["version"], cwd: "/" });
seen.self = processStart(process.pid);
seen.gone = processStart(2 ** 22 - 1) === undefined;
for (const file of files) closeSync(file);
seen.again = await startChild(spec).exited;
seen.same = isSameProcess(process.pid, started);
console.log(JSON.stringify(seen));
`;

it("without file descriptors a start fails with the reason, and live processes count as alive", needsLinux, () => {
	const command = `ulimit -n 64; exec "$0" --experimental-strip-types --no-warnings --input-type=module -e "$1"`;
	const said = execFileSync("/bin/sh", ["-c", command, process.execPath, program], { encoding: "utf8" });
	const seen = JSON.parse(said);
	expect(seen).toMatchObject({
		write: false,
		exit: { kind: "unstarted", error: expect.objectContaining({ code: "EMFILE" }) },
		stop: { kind: "unstarted" },
		git: { kind: "failed", message: expect.stringContaining("too many open files") },
		self: "unknown",
		gone: true,
		again: { kind: "exited", code: 0 },
		same: true,
	});
});
