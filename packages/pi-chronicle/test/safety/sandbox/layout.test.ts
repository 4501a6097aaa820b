// What the rules of a layout say, the profile of macOS that is written from them, and how a choice is read. No box runs.
import {
	existsSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readSandboxChoice } from "@pi-chronicle/core/definition";
import { describe, expect, it } from "vitest";
import { mergeChoices } from "../../../src/local/worker/worker-box.ts";
import { hostEnvironment } from "../../../src/pi/index.ts";
import { AbsentPaths } from "../../../src/safety/sandbox/absent.ts";
import { askAboutHost } from "../../../src/safety/sandbox/index.ts";
import { accessTo, type BoxPlaces, layoutOf } from "../../../src/safety/sandbox/layout.ts";
import { openOwnHome, usesNoCache } from "../../../src/safety/sandbox/own-home.ts";
import { makeBoxFolder } from "../../../src/safety/sandbox/private-folder.ts";
import { namesHost } from "../../../src/safety/sandbox/proxy.ts";
import { seatbeltProfile } from "../../../src/safety/sandbox/seatbelt.ts";
import { openFolder } from "../../harness/folder.ts";
import type { Files } from "../../harness/project.ts";

const projectFiles = {
	"home/p/a.txt": "",
	"home/p/.git/HEAD": "",
	"home/p/.git/config": "[core]\n\thooksPath = tools/hooks\n[include]\n\tpath = ../.gitconfig.shared\n",
	"home/p/tools/hooks/pre-commit": "",
	"home/p/.gitconfig.shared": "",
	"home/p/.pi/x": "",
	"home/p/.env": "",
	"home/.ssh/id": "",
	"home/.nvm/versions/bin/node": "",
	"home/.cargo/bin/cargo": "",
	"home/.cargo/credentials.toml": "",
	"home/.local/bin/tool": "",
	"home/.local/share/mise/x": "",
	"home/tools/bin/t": "",
	"home/tools/notes": "",
	"home/cache/x": "",
};

function openPlaces(files: Files = projectFiles, more: Partial<BoxPlaces> = {}): BoxPlaces & { readonly home: string } {
	const base = openFolder(files);
	const home = join(base, "home");
	const root = join(home, "p");
	mkdirSync(root, { recursive: true });
	const path = [".nvm/versions/bin", ".cargo/bin", ".local/bin", "tools/bin"].map((name) => join(home, name)).join(":");
	const env = (name: string) => (name === "PATH" ? path : undefined);
	return {
		host: { ...hostEnvironment(root), home, env, platform: "linux", temp: join(base, "none") },
		root,
		home,
		...more,
	};
}

describe("a layout", () => {
	const places = openPlaces();
	const { root, home } = places;
	const layout = layoutOf({ ...places, write: ["~/cache"], closed: [join(root, ".env")] }, "project", true);

	it.each([
		["a.txt", "write"],
		["new/file.txt", "write"],
		[".git/HEAD", "write"],
		[".git/config", "read"],
		[".git/hooks/pre-commit", "write"],
		["tools/hooks/pre-commit", "read"],
		[".gitconfig.shared", "read"],
		[".pi/x", "read"],
		[".env", "hide"],
		["../.ssh/id", "home"],
		["../.nvm/versions/bin/node", "read"],
		["../.cargo/bin/cargo", "read"],
		["../.cargo/credentials.toml", "home"],
		["../.local/bin/tool", "read"],
		["../.local/share/mise/x", "read"],
		["../tools/bin/t", "read"],
		["../tools/notes", "home"],
		["../cache/x", "write"],
		["/etc/passwd", "read"],
		["packages/a/AGENTS.md", "write"],
	])("says of %s: %s", (path, access) => {
		const full = path.startsWith("/") ? path : join(root, path);
		expect(accessTo(layout, full, full)).toBe(access);
	});

	it("names what must not come into being, and fixes the folders around what is protected", () => {
		expect(layout.absent).toEqual(
			expect.arrayContaining([join(root, ".git/hooks"), join(root, ".mcp.json"), join(root, "AGENTS.md")]),
		);
		expect(layout.rules).toContainEqual({ path: join(root, "tools"), access: "write" });
	});

	it("of a scope that does not change the project leaves it, its repository and its agents' files alone", () => {
		const ignored = layoutOf({ ...places, ignored: [join(root, "tools")] }, "ignored", false);
		const at = (path: string) => accessTo(ignored, join(root, path), join(root, path));
		expect([at("a.txt"), at(".git/HEAD"), at("tools/x"), at(".pi/x")]).toEqual(["read", "read", "write", "read"]);
		expect(
			layoutOf(places, "temporary", false).rules.filter(
				({ access, path }) => access === "write" && path.startsWith(home),
			),
		).toEqual([]);
	});

	it("hides the sockets of services, of databases only without an open network", () => {
		const host = { ...places.host, realpath: (path: string) => path };
		const at = (path: string) =>
			[true, false].map((open) => accessTo(layoutOf({ ...places, host }, "project", open), path, path));
		expect(at("/run/postgresql/.s.PGSQL.5432")).toEqual(["read", "hide"]);
		for (const path of ["/run/docker.sock", "/var/run/docker.sock", "/run/user/1000/bus"])
			expect(at(path)).toEqual(["hide", "hide"]);
	});

	it("opens what is named, except what rules close, to commands that may change the project", () => {
		const write = [".pi", ".git/config", ".mcp.json", "../.ssh", ".env"];
		const open = { ...places, write, closed: [join(root, ".env")] };
		const at = (scope: "project" | "ignored" | "temporary") => {
			const named = layoutOf(open, scope, true);
			return write.map((path) => accessTo(named, join(root, path), join(root, path)));
		};
		expect(at("project")).toEqual(["write", "write", "write", "write", "hide"]);
		for (const scope of ["ignored", "temporary"] as const)
			expect(at(scope)).toEqual(["read", "read", "read", "home", "hide"]);
	});

	it("hides only logins where the project contains the home directory", () => {
		const wide = layoutOf({ ...places, root: home, host: { ...places.host, cwd: home } }, "project", true);
		expect(accessTo(wide, join(home, ".ssh/id"), join(home, ".ssh/id"))).toBe("hide");
		expect(accessTo(wide, join(home, "tools/notes"), join(home, "tools/notes"))).toBe("write");
	});

	it("becomes a profile of macOS, whose later rules win", async () => {
		const own = await openOwnHome(join(openFolder(), "home"), { home, env: () => undefined });
		await own.filled;
		const profile = seatbeltProfile({ layout, home: own, network: 4321 });
		const line = (text: string) => profile.split("\n").indexOf(text);
		const order = [
			"(deny default)",
			"(allow file-read*)",
			`(deny file-read* file-write* (subpath "${home}"))`,
			`(allow file-read* file-write* (subpath "${root}"))`,
			`(deny file-read* file-write* (subpath "${join(root, ".env")}"))`,
			`(deny file-write* (subpath "${join(root, ".mcp.json")}"))`,
			`(deny file-write-unlink (literal "${join(root, "tools")}"))`,
			'(allow network-outbound (remote ip "localhost:4321"))',
		].map(line);
		expect(order).toEqual([...order].sort((a, b) => a - b));
		expect(order[0]).toBeGreaterThan(0);
		expect(line(`(deny file-write* (subpath "${join(root, ".git/config")}"))`)).toBeGreaterThan(
			line(order.length > 0 ? `(allow file-read* file-write* (subpath "${root}"))` : ""),
		);
		expect(profile.match(/\(/g)?.length).toBe(profile.match(/\)/g)?.length);
	});
});

describe("what a command can have left in the project", () => {
	const key = "home/.ssh/id";
	const head = { "home/p/.git/HEAD": "" };

	it.each<[what: string, files: Files, links: Readonly<Record<string, string>>]>([
		["a file `.git`", { "home/p/.git": "gitdir: ../.ssh\n" }, {}],
		["a link `.git`", {}, { ".git": "../.ssh" }],
		["a common folder of git", { ...head, "home/p/.git/commondir": "../../.ssh" }, {}],
		["another store of objects", { ...head, "home/p/.git/objects/info/alternates": "../../../.ssh\n" }, {}],
		[
			"the hooks of a submodule",
			{ ...head, "home/p/.git/modules/x/HEAD": "" },
			{ ".git/modules/x/hooks": "../../../../../.ssh" },
		],
		["settings of an agent", {}, { ".claude": "../.ssh" }],
		["a program on PATH", { "home/p/bin/x": "" }, { "bin/y": "../../.ssh/id" }],
		["a folder of programs", {}, { bin: "../.ssh" }],
		["a path that may be written", {}, { made: "../.ssh" }],
	])("opens nothing in the home directory: %s", (_what, files, links) => {
		const places = openPlaces({ [key]: "", "home/p/a.txt": "", ...files });
		const { root, home } = places;
		for (const [link, target] of Object.entries(links)) symlinkSync(target, join(root, link));
		const env = (name: string) => (name === "PATH" ? join(root, "bin") : undefined);
		const layout = layoutOf({ ...places, host: { ...places.host, env }, write: ["made"] }, "project", true);
		expect(accessTo(layout, join(home, ".ssh/id"), join(home, ".ssh/id"))).toBe("home");
		expect(accessTo(layout, join(root, "a.txt"), join(root, "a.txt"))).toBe("write");
	});

	it.each<[what: string, files: Files, repository: string]>([
		[
			"a linked working tree",
			{
				"home/main/.git/HEAD": "",
				"home/main/.git/worktrees/p/HEAD": "",
				"home/main/.git/worktrees/p/commondir": "../..\n",
				"home/main/.git/worktrees/p/gitdir": "../../../../p/.git\n",
				"home/p/.git": "gitdir: ../main/.git/worktrees/p\n",
			},
			"main/.git",
		],
		[
			"a submodule",
			{
				"home/main/.git/modules/p/HEAD": "",
				"home/main/.git/modules/p/config": "[core]\n\tworktree = ../../../../p\n",
				"home/p/.git": "gitdir: ../main/.git/modules/p\n",
			},
			"main/.git/modules/p",
		],
	])("does not close the repository of %s", (_what, files, repository) => {
		const places = openPlaces(files);
		const at = (name: string) => join(places.home, repository, name);
		const layout = layoutOf(places, "project", true);
		expect(accessTo(layout, at("index"), at("index"))).toBe("write");
		expect(layout.absent).toContain(at("hooks"));
	});

	it("is not the repository of the home directory, which does not count for a project in it", () => {
		const places = openPlaces({ "home/.git/HEAD": "", [key]: "", "home/p/a.txt": "" });
		const layout = layoutOf(places, "project", true);
		for (const name of [".ssh/id", ".git/HEAD"])
			expect(accessTo(layout, join(places.home, name), join(places.home, name))).toBe("home");
	});
});

describe("the home directory of the sandbox", () => {
	it("has settings without logins, and what the caches hold, by links", async () => {
		const base = openFolder({
			"home/.npmrc": "registry=https://u:p@example.org/\n//example.org/:_authToken=MARK\nfund=false\n",
			"home/.gitconfig": "[user]\n\tname = A\n[commit]\n\tgpgsign = true\n",
			"home/.npm/_cacache/content-v2/sha512/aa/bb/cc": "content",
			"home/.npm/_cacache/index-v5/aa/bb/cc": "index",
			"home/.cargo/registry/cache/host/a.crate": "crate",
			"home/.cargo/credentials.toml": "MARK",
		});
		const home = await openOwnHome(join(base, "own"), {
			home: join(base, "home"),
			env: (name) => (name === "GOCACHE" ? "/x" : undefined),
		});
		await home.filled;
		expect(readFileSync(join(home.folder, ".npmrc"), "utf8")).toBe("registry=https://example.org/\nfund=false\n");
		expect(readFileSync(join(home.folder, ".npm/_cacache/index-v5/aa/bb/cc"), "utf8")).toBe("index");
		expect(existsSync(join(home.folder, ".cargo/credentials.toml"))).toBe(false);
		expect(home.shown["/run/pi-chronicle/.npm/_cacache"]).toBe(join(base, "home/.npm/_cacache"));
		expect(home.variables).toMatchObject({
			GOCACHE: "",
			GIT_CONFIG_KEY_0: "commit.gpgsign",
			GIT_CONFIG_VALUE_0: "false",
		});
	});
});

it("the home directory is whole whoever was killed while he filled it, and whoever else fills it", async () => {
	const base = openFolder({
		"home/.npmrc": "fund=false\n",
		// As an earlier version left it.
		"own/.npmrc": "fund=fal",
		"own/.local/share/pi-chronicle/.yarn/x": "",
		"own.making-abc/.npmrc": "fund",
	});
	const open = async () => {
		const home = await openOwnHome(join(base, "own"), { home: join(base, "home"), env: () => undefined });
		await home.filled;
	};
	await Promise.all([open(), open(), open()]);
	expect(readFileSync(join(base, "own/.npmrc"), "utf8")).toBe("fund=false\n");
	expect(readdirSync(base).sort()).toEqual(["home", "own"]);
	writeFileSync(join(base, "own/.local/kept"), "");
	await open();
	expect(existsSync(join(base, "own/.local/kept"))).toBe(true);
});

it.each<[manager: string, writes: readonly string[], files: readonly string[]]>([
	[
		"npm",
		[".npm/_cacache/content-v2/sha512/aa", ".npm/_cacache/index-v5/aa"],
		[".npm/_cacache/content-v2/sha512/aa/bb/cc", ".npm/_cacache/index-v5/aa/bb/cc"],
	],
	[
		"pnpm",
		[".local/share/pnpm/store/v10/files/aa", ".local/share/pnpm/store/v10/index/aa"],
		[".local/share/pnpm/store/v10/files/aa/bb", ".local/share/pnpm/store/v10/index/aa/bb.json"],
	],
	["yarn 1", [".cache/yarn/v6"], [".cache/yarn/v6/npm-dep-1.0.0/node_modules/dep/package.json"]],
	["yarn", [".yarn/berry/cache"], [".yarn/berry/cache/dep-npm-1.0.0.zip"]],
	["bun", [".bun/install/cache"], [".bun/install/cache/dep@1.0.0/package.json"]],
	["pip", [".cache/pip/http-v2/a/b", ".cache/pip/wheels"], [".cache/pip/http-v2/a/b/c", ".cache/pip/wheels/a/dep.whl"]],
	[
		"uv",
		[".cache/uv/archive-v0", ".cache/uv/wheels-v5/pypi", ".cache/uv/simple-v16/pypi"],
		[
			".cache/uv/archive-v0/x/dep/__init__.py",
			".cache/uv/wheels-v5/pypi/dep/1.0.0.http",
			".cache/uv/simple-v16/pypi/dep.rkyv",
		],
	],
	[
		"cargo",
		[".cargo/registry/cache/host", ".cargo/registry/src/host"],
		[".cargo/registry/cache/host/a.crate", ".cargo/registry/src/host/a-1/lib.rs"],
	],
])("what %s has stored is found there, and more can be added", async (_manager, writes, files) => {
	const base = openFolder(Object.fromEntries(files.map((file) => [join("home", file), "stored"])));
	const own = await openOwnHome(join(base, "own"), { home: join(base, "home"), env: () => undefined });
	await own.filled;
	/** Where the sandbox finds a path of its home directory. */
	const find = (path: string): string => {
		let at = own.folder;
		for (const name of path.split("/")) {
			at = join(at, name);
			const target = lstatSync(at).isSymbolicLink() ? readlinkSync(at) : undefined;
			const shown = Object.keys(own.shown).find((place) => target?.startsWith(place));
			if (target !== undefined)
				at =
					shown === undefined ? resolve(dirname(at), target) : join(own.shown[shown] ?? "", target.slice(shown.length));
		}
		return at;
	};
	for (const file of files) expect(readFileSync(find(file), "utf8")).toBe("stored");
	for (const folder of writes) expect(find(folder).startsWith(`${own.folder}/`), folder).toBe(true);
});

it("only commands that certainly use no cache do not wait for the caches", () => {
	const waits = [
		"npm ci",
		"ls; make",
		"git commit -m x",
		"cd x && ./run",
		"ls `x`",
		"echo $(npm -v)",
		"X=1 npm ci",
		"true\nnpx x",
	];
	const goesOn = ["ls -la", "git status && git diff | head -5", "cat a\n\nwc -l b"];
	expect([...waits, ...goesOn].filter(usesNoCache)).toEqual(goesOn);
});

it("the folders of all processes are in one, and those of processes that are long gone are removed", () => {
	const base = openFolder();
	const first = makeBoxFolder(base);
	const all = dirname(first);
	for (const name of ["4194305-old", "4194305-new", `${process.pid}-old`]) mkdirSync(join(all, name));
	const longAgo = new Date(Date.now() - 2 * 86_400_000);
	for (const name of ["4194305-old", `${process.pid}-old`]) utimesSync(join(all, name), longAgo, longAgo);
	// Of an earlier version.
	for (const name of ["pi-chronicle-box-aBcDeF", "pi-chronicle-box-new123", "other-aBcDeF"]) {
		mkdirSync(join(base, name));
		if (!name.includes("new")) utimesSync(join(base, name), longAgo, longAgo);
	}
	const second = makeBoxFolder(base);
	expect(readdirSync(base).sort()).toEqual(["other-aBcDeF", basename(all), "pi-chronicle-box-new123"]);
	expect(basename(all)).toMatch(/^pi-chronicle-box-/);
	expect(readdirSync(all).sort()).toEqual(
		["4194305-new", basename(first), basename(second), `${process.pid}-old`].sort(),
	);
});

describe("what a killed process left of protected paths", () => {
	it("is undone by the next one", () => {
		const base = openFolder({ "p/x": "" });
		const host = hostEnvironment(base);
		const path = join(base, "p/.mcp.json");
		new AbsentPaths(host, join(base, "box")).begin([path]);
		mkdirSync(path);
		mkdirSync(join(path, "full"));
		new AbsentPaths(host, join(base, "box")).recover();
		expect(existsSync(path)).toBe(false);
		expect(existsSync(join(base, "box/refused/1-.mcp.json/full"))).toBe(true);
	});
});

describe("a choice", () => {
	it.each<[unknown, unknown]>([
		["required", { use: "required" }],
		[false, { use: "off" }],
		[{ network: ["a.org", "*.b.org"] }, { use: "default", network: ["a.org", "*.b.org"] }],
		[
			{ network: "off", write: ["~/x"] },
			{ use: "default", network: "off", write: ["~/x"] },
		],
		["on", undefined],
		[{ uses: "off" }, undefined],
		[{ network: ["https://a.org"] }, undefined],
		[{ write: "x" }, undefined],
		[[], undefined],
		[7, undefined],
	])("%j is %j", (written, choice) => {
		const read = readSandboxChoice(written);
		expect("choice" in read ? read.choice : undefined).toEqual(choice);
	});

	it("of a template and one of the user: what one requires stays required", () => {
		expect(mergeChoices({ use: "off" }, { use: "required" }).use).toBe("required");
		expect(mergeChoices({ use: "off" }, undefined).use).toBe("off");
		expect(mergeChoices({ use: "default", write: ["a"] }, { use: "off", write: ["b"] })).toEqual({
			use: "off",
			write: ["b", "a"],
		});
		expect(mergeChoices({ use: "default", network: "off" }, { use: "default", network: "open" }).network).toBe("off");
	});

	it.each<[readonly string[], string, boolean]>([
		[["a.org"], "a.org", true],
		[["a.org"], "x.a.org", false],
		[["*.a.org"], "x.a.org", true],
		[["*.a.org"], "a.org", false],
		[["*.a.org"], "evila.org", false],
		[[], "a.org", false],
	])("of hosts %j names %s: %s", (list, host, named) => expect(namesHost(list, host)).toBe(named));
});

describe("a host that is not in the list", () => {
	it("is asked about once, and remembered for the project", async () => {
		const folder = openFolder();
		const asked: string[] = [];
		const ask = (answer: "yes" | "no" | "nobody") =>
			askAboutHost("/p", folder, async ({ message }) => {
				asked.push(message);
				return answer;
			});
		const nobody = ask("nobody");
		expect([await nobody("a.org"), await nobody("a.org")]).toEqual([false, false]);
		const no = ask("no");
		expect([await no("a.org"), await no("a.org")]).toEqual([false, false]);
		expect(await ask("yes")("a.org")).toBe(true);
		expect(await ask("no")("a.org")).toBe(true);
		expect(await askAboutHost("/q", folder, async () => "no")("a.org")).toBe(false);
		expect(asked).toHaveLength(4);
		expect(asked[0]).toContain("a.org");
	});
});
