// Where package and pi may lie: how package managers, version managers and checkouts place them. Each layout is built on disk, below a
// path with blanks and umlauts; its pi is a script that answers as pi does.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, win32 } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findPi } from "../../../src/pi/rpc/pi-command.ts";
import { pathsNamedIn } from "../../../src/pi/rpc/pi-on-path.ts";
import { needsPosix } from "../../harness/needs.ts";

const PI = "node_modules/@earendil-works/pi-coding-agent";
const SELF = "node_modules/pi-chronicle/dist/cli.mjs";

interface Layout {
	/** Folder of pi's package, relative to the layout. */
	readonly pi: string;
	/** The file of this package that looks for pi. */
	readonly from: string;
	/** Folder on PATH. */
	readonly path?: string;
	/** Scripts by path. `@` stands for the layout's folder. */
	readonly scripts?: Readonly<Record<string, string>>;
	/** Links by path, relative to the layout's folder. */
	readonly links?: Readonly<Record<string, string>>;
	/** Files beside these, by path. */
	readonly files?: Readonly<Record<string, string>>;
	/** The program itself is started, not pi's entry file. */
	readonly itself?: string;
}

const elsewhere = `home/.npm/${SELF}`;
const layouts: Readonly<Record<string, Layout>> = {
	"npm, local": { pi: PI, from: SELF },
	"npm, global": { pi: `lib/${PI}`, from: `lib/${SELF}`, path: "bin", links: { "bin/pi": `lib/${PI}/dist/cli.js` } },
	"npm, global, pi of another prefix": {
		pi: `other/lib/${PI}`,
		from: `lib/${SELF}`,
		path: "other/bin",
		links: { "other/bin/pi": `other/lib/${PI}/dist/cli.js` },
	},
	npx: {
		pi: `lib/${PI}`,
		from: `home/.npm/_npx/0a1b/${SELF}`,
		path: "bin",
		links: { "bin/pi": `lib/${PI}/dist/cli.js` },
	},
	"pnpm, local": {
		pi: `node_modules/.pnpm/pi@1.6.0/${PI}`,
		from: `node_modules/.pnpm/pi-chronicle@1.0.0/${SELF}`,
		links: { [`node_modules/.pnpm/pi-chronicle@1.0.0/${PI}`]: `node_modules/.pnpm/pi@1.6.0/${PI}` },
	},
	"pnpm, global": {
		pi: `share/pnpm/global/5/.pnpm/pi@1.6.0/${PI}`,
		from: elsewhere,
		path: "share/pnpm",
		links: { [`share/pnpm/global/5/${PI}`]: `share/pnpm/global/5/.pnpm/pi@1.6.0/${PI}` },
		scripts: {
			"share/pnpm/pi": `#!/bin/sh
basedir=$(dirname "$(echo "$0" | sed -e 's,\\\\,/,g')")
if [ -z "$NODE_PATH" ]; then
  export NODE_PATH="@/share/pnpm/global/5/.pnpm/node_modules"
fi
if [ -x "$basedir/node" ]; then
  exec "$basedir/node"  "$basedir/global/5/${PI}/dist/cli.js" "$@"
else
  exec node  "$basedir/global/5/${PI}/dist/cli.js" "$@"
fi
`,
		},
	},
	"bun, global": {
		pi: `.bun/install/global/${PI}`,
		from: elsewhere,
		path: ".bun/bin",
		links: { ".bun/bin/pi": `.bun/install/global/${PI}/dist/cli.js` },
	},
	"yarn, global": {
		pi: `.config/yarn/global/${PI}`,
		from: elsewhere,
		path: ".yarn/bin",
		links: {
			".config/yarn/global/node_modules/.bin/pi": `.config/yarn/global/${PI}/dist/cli.js`,
			".yarn/bin/pi": ".config/yarn/global/node_modules/.bin/pi",
		},
	},
	"nix, a wrapper with absolute paths": {
		pi: `nix/store/1-pi/lib/${PI}`,
		from: elsewhere,
		path: "profile/bin",
		links: { "profile/bin/pi": "nix/store/1-pi/bin/pi" },
		scripts: {
			"nix/store/1-pi/bin/pi":
				'#! /bin/sh -e\nexport PATH="@/nix/store/2-git/bin:$PATH"\nexec "@/nix/store/1-pi/bin/.pi-wrapped"  "$@"\n',
			"nix/store/1-pi/bin/.pi-wrapped": `#!/bin/sh\nexec @node "@/nix/store/1-pi/lib/${PI}/dist/cli.js" "$@"\n`,
		},
	},
	"a wrapper by hand": {
		pi: `opt/pi/${PI}`,
		from: elsewhere,
		path: "bin",
		scripts: {
			"bin/pi": `#!/usr/bin/env bash\n# starts pi\nexec node "$(dirname "$0")/../opt/pi/${PI}/dist/cli.js" "$@"\n`,
		},
	},
	"volta, a shim that names nothing": {
		pi: `.volta/tools/image/packages/pi/lib/${PI}`,
		from: elsewhere,
		path: ".volta/bin",
		links: { ".volta/bin/pi": ".volta/bin/volta-shim" },
		scripts: {
			".volta/bin/volta-shim": `#!/bin/sh\ntools=tools/image/packages\nexec @node "@/.volta/$tools/$(basename "$0")/lib/${PI}/dist/cli.js" "$@"\n`,
		},
		itself: ".volta/bin/pi",
	},
	"mise, a shim that is a link to mise": {
		pi: `.local/share/mise/installs/npm-pi/1.6.0/lib/${PI}`,
		from: elsewhere,
		path: ".local/share/mise/shims",
		links: { ".local/share/mise/shims/pi": ".local/bin/mise" },
		scripts: {
			".local/bin/mise": `#!/bin/sh\ncd / && exec @node "@/.local/share/mise/installs/npm-$(basename "$0")/1.6.0/lib/${PI}/dist/cli.js" "$@"\n`,
		},
		itself: ".local/share/mise/shims/pi",
	},
	"a checkout with its own pi, behind the stand-in of its compiled sources": {
		pi: PI,
		from: "node_modules/.cache/pi-chronicle/0a1b/pi/pi-command.mjs",
		files: {
			[`node_modules/.cache/pi-chronicle/0a1b/${PI}/package.json`]:
				'{"name":"@earendil-works/pi-coding-agent","exports":"./supplied-by-pi.mjs"}',
		},
	},
	"a git install, with the pi on PATH": {
		pi: `lib/${PI}`,
		from: "home/.pi/agent/git/example.org/pi-chronicle/node_modules/.cache/pi-chronicle/0a1b/pi/pi-command.mjs",
		path: "bin",
		links: { "bin/pi": `lib/${PI}/dist/cli.js` },
	},
};

const answers = `#!/usr/bin/env node
console.log(process.argv[2] === "--version" ? "1.6.0" : "PI_CODING_AGENT_DIR - Config directory");
`;
let root: string;
beforeAll(() => {
	root = realpathSync(mkdtempSync(join(tmpdir(), "Jörg's layouts of pi ")));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function build(name: string, layout: Layout): string {
	const folder = join(root, name);
	const place = (path: string) => {
		mkdirSync(dirname(join(folder, path)), { recursive: true });
		return join(folder, path);
	};
	const manifest = {
		name: "@earendil-works/pi-coding-agent",
		version: "1.6.0",
		type: "module",
		bin: { pi: "dist/cli.js" },
	};
	writeFileSync(place(`${layout.pi}/package.json`), JSON.stringify(manifest));
	writeFileSync(place(`${layout.pi}/dist/cli.js`), answers, { mode: 0o755 });
	writeFileSync(place(layout.from), "");
	for (const [path, text] of Object.entries(layout.files ?? {})) writeFileSync(place(path), text);
	for (const [path, text] of Object.entries(layout.scripts ?? {})) {
		const node = JSON.stringify(process.execPath);
		writeFileSync(place(path), text.replaceAll("@node", node).replaceAll("@/", `${folder}/`));
		chmodSync(join(folder, path), 0o755);
	}
	for (const [path, target] of Object.entries(layout.links ?? {})) symlinkSync(join(folder, target), place(path));
	return folder;
}

describe("pi is found", needsPosix, () => {
	it.each(Object.entries(layouts))("%s", (name, layout) => {
		const folder = build(name, layout);
		const other = join(root, "another pi");
		mkdirSync(other, { recursive: true });
		writeFileSync(join(other, "pi"), "#!/bin/sh\necho 3.14159\n", { mode: 0o755 });
		const PATH = [other, ...(layout.path ? [join(folder, layout.path)] : []), "/usr/bin", "/bin"].join(delimiter);
		for (const from of [join(folder, layout.from), pathToFileURL(join(folder, layout.from)).href])
			expect(findPi({ env: { PATH }, execPath: process.execPath, execArgv: [], script: undefined, from })).toEqual(
				layout.itself
					? { command: join(folder, layout.itself), args: [], version: "1.6.0" }
					: { command: process.execPath, args: [join(folder, layout.pi, "dist", "cli.js")], version: "1.6.0" },
			);
	});
});

describe("what a script starts", () => {
	const entry = String.raw`C:\Users\Jörg Müller\AppData\Roaming\npm\node_modules\@earendil-works\pi-coding-agent\dist\cli.js`;
	const folder = String.raw`C:\Users\Jörg Müller\AppData\Roaming\npm`;
	it.each([
		[
			"npm's command file",
			"pi.cmd",
			String.raw`  endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\node_modules\@earendil-works\pi-coding-agent\dist\cli.js" %*`,
		],
		[
			"pnpm's command file",
			"pi.cmd",
			String.raw`@"%~dp0\node.exe"  "%~dp0\node_modules\@earendil-works\pi-coding-agent\dist\cli.js" %*`,
		],
		[
			"npm's script for PowerShell",
			"pi.ps1",
			`& "$basedir/node$exe"  "$basedir/node_modules/@earendil-works/pi-coding-agent/dist/cli.js" $args`,
		],
		[
			"npm's script for a shell on Windows",
			"pi",
			`exec node  "$basedir/node_modules/@earendil-works/pi-coding-agent/dist/cli.js" "$@"`,
		],
		["a path from the root", "pi.cmd", `@node "${entry}" %*`],
	])("on Windows, %s", (_what, name, text) => {
		expect(pathsNamedIn(text, win32.join(folder, name), win32)).toContain(entry);
	});
});
