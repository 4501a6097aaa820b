// The example of the library's README.
import { expect, it } from "vitest";
import { computeFootprint, type HostEnvironment } from "../src/index.ts";

it("the README's example prints the output that it shows", () => {
	const host: HostEnvironment = {
		cwd: "/project",
		home: "/me",
		temp: "/tmp",
		platform: "linux",
		env: () => undefined,
		kind: (path) => (path === "/project" || path === "/project/build" ? "directory" : undefined),
		realpath: (path) => path,
		readlink: () => undefined,
		names: () => [],
		homeOf: () => undefined,
	};
	const call = { tool: "bash", input: { command: 'cd build && rm -rf "${OUT:-cache}"; ./deploy.sh' } };
	const { accesses, runs, unknowns } = computeFootprint(call, host);
	expect(accesses[0]).toMatchObject({ kind: "delete", path: "/project/build/cache", recursive: true });
	expect(runs[0]).toMatchObject({ program: "rm", effects: ["recursive-delete", "force-delete"] });
	expect(unknowns[0]).toMatchObject({ what: "file", text: "./deploy.sh" });
});
