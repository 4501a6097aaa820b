// "Does not change the project" by the place of each effect: phases, states, children and readonly answer alike, and as the disk shows.
import { execFileSync } from "node:child_process";
import {
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { computeFootprint } from "@pi-chronicle/footprint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostEnvironment } from "../../src/pi/index.ts";
import {
	openPolicies,
	type Policy,
	probeSandbox,
	type ToolCall,
	unchangedProjectPolicy,
} from "../../src/safety/index.ts";
import { projectPlaces } from "../../src/safety/places.ts";
import { readonlyPolicy } from "../../src/safety/readonly/judge.ts";
import { judgeCall } from "../../src/workflow/limits/index.ts";
import { inheritedPolicy } from "../../src/workflow/session/inherited.ts";
import { needsProgram } from "../harness/needs.ts";

const sandbox = await probeSandbox();

/** `P`: the project, which itself is in a temporary folder; `T`: a temporary folder with a repository; `O`: a linked worktree of the project. */
interface Lab {
	readonly root: string;
	readonly project: string;
	readonly temp: string;
}

/** Without the variables that git sets for its hooks. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")));
const identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
const git = (cwd: string, ...args: string[]) =>
	execFileSync("git", [...identity, ...args], { cwd, env, stdio: "pipe" });

function makeLab(): Lab {
	const root = realpathSync(mkdtempSync(join(tmpdir(), "places-")));
	const [project, temp] = [join(root, "project"), join(root, "temp")];
	for (const folder of [project, temp]) {
		mkdirSync(join(folder, "src"), { recursive: true });
		writeFileSync(join(folder, "package.json"), "{}\n");
		writeFileSync(join(folder, "src/a.py"), "x = 1\n");
		git(folder, "init", "-q");
		git(folder, "add", ".");
		git(folder, "commit", "-qm", "Begin");
		writeFileSync(join(folder, "new.txt"), "new\n");
	}
	git(project, "worktree", "add", "-q", join(root, "linked"));
	symlinkSync(project, join(temp, "link"));
	return { root, project, temp };
}

let lab: Lab;
beforeAll(() => {
	lab = makeLab();
});
afterAll(() => rmSync(lab.root, { recursive: true, force: true }));

function spelled(command: string, { root, project, temp }: Lab): string {
	return command.replace(/\bP\b/g, project).replace(/\bT\b/g, temp).replace(/\bO\b/g, join(root, "linked"));
}

type Verdict = "stops" | "passes";

/** What each kind of limit says about a command that runs in `cwd`. */
async function verdicts(command: string, { project }: Lab, cwd = project): Promise<Record<string, Verdict>> {
	const call: ToolCall = { id: "1", tool: "bash", input: { command }, siblings: [] };
	const host = hostEnvironment(cwd);
	const footprint = computeFootprint(call, host);
	const places = projectPlaces(host);
	const tools = ["read", "bash"];
	const ofPolicy = async (policy: Policy): Promise<Verdict> => {
		const policies = openPolicies();
		policies.add(policy);
		return (await policies.judge(call, () => footprint)).decision === "allow" ? "passes" : "stops";
	};
	const ofPhase = (limits: Parameters<typeof judgeCall>[0]): Verdict =>
		judgeCall(limits, call, () => footprint, places) ? "stops" : "passes";
	const list = { kind: "whitelist", names: tools, shell: "judged" } as const;
	return {
		phase: ofPhase(list),
		blacklist: ofPhase({ kind: "blacklist", names: ["edit", "write"], shell: "judged" }),
		capabilities: ofPhase({ kind: "capabilities", may: ["read", "exec"] }),
		inherited: await ofPolicy(inheritedPolicy({ phase: "x", tools: list }, cwd)),
		state: await ofPolicy(unchangedProjectPolicy({ shell: "judged", tools, advice: "" }, cwd)),
		readonly: await ofPolicy(readonlyPolicy({ places: places.temporary, contains: async () => false })),
	};
}

const all = (verdict: Verdict) => ({
	phase: verdict,
	blacklist: verdict,
	capabilities: verdict,
	inherited: verdict,
	state: verdict,
	readonly: verdict,
});

/** Commands that change the folder `D`, in every way in which a folder can be named. */
const inFolder = [
	"cd D && git commit -qam x",
	"cd D; git add .",
	"(cd D && git tag v1)",
	"pushd D && git stash && popd",
	"git -C D commit -qam x",
	"git -C / -C D add .",
	"git --git-dir=D/.git --work-tree=D commit -qam x",
	"git --git-dir D/.git --work-tree D checkout .",
	"GIT_DIR=D/.git GIT_WORK_TREE=D git add .",
	"export GIT_DIR=D/.git GIT_WORK_TREE=D; cd /; git commit -m x",
	"env -C D git add .",
	"sh -c 'cd D && git branch b'",
	"d=D; git -C $d commit -m x",
	"git init D",
	"git init D/sub && git -C D/sub commit --allow-empty -m x",
	"git config -f D/settings a.b c",
	"git push D HEAD:refs/heads/b",
	"git archive HEAD | tar x -C D",
	"git checkout-index -a --prefix=D/out/",
	"git format-patch -o D HEAD",
	"npm --prefix D install",
	"npm install --prefix=D",
	"cd D && npm init -y",
	"npm ci -C D",
	"yarn --cwd D add x",
	"pnpm add x --dir D",
	"bun add --cwd D x",
	"cargo add x --manifest-path D/Cargo.toml",
	"cargo new D/crate",
	"go -C D get example.org/x",
	"cd D && go mod init x",
	"uv add --directory D x",
	"uv --project D sync",
	"uv venv D/venv",
	"poetry -C D add x",
	"composer require a/b -d D",
	"dotnet add D/x.csproj package y",
	"dotnet new console -o D",
	"pip install --target D/lib x",
	"terraform -chdir=D init",
	"gofmt -w D/a.go",
	"patch -d D -p1 < D/x.patch",
	"hg -R D commit -m x",
	"touch D/x",
	"rm -r D/src",
];

describe("a change in a folder", () => {
	it.each(inFolder)(
		"counts if that is the project, by any name, and not if it is a temporary folder: %s",
		async (command) => {
			const at = (folder: string) => verdicts(spelled(command.replaceAll(/\bD\b/g, folder), lab), lab);
			expect([await at("P"), await at("T/link"), await at("P/src/..")]).toEqual(Array(3).fill(all("stops")));
			expect([await at("T"), await at("T/src")]).toEqual(Array(2).fill(all("passes")));
		},
	);

	it("counts in a copy outside the project, in the project that it is a copy of, and in other copies", () => {
		const [copy, other] = [join(lab.root, "copy"), join(lab.root, "other")];
		mkdirSync(copy, { recursive: true });
		const limits = { shell: "judged", tools: ["bash"], advice: "" } as const;
		const policy = unchangedProjectPolicy(limits, copy, { root: copy, project: lab.project, closed: [other] });
		const stops = (command: string) => {
			const call: ToolCall = { id: "1", tool: "bash", input: { command }, siblings: [] };
			return policy.judge(call, () => computeFootprint(call, hostEnvironment(copy))) !== undefined;
		};
		expect([`touch x`, `git -C ${lab.project} add .`, `touch ${other}/x`, `touch ${lab.temp}/x`].map(stops)).toEqual([
			true,
			true,
			true,
			false,
		]);
	});

	it("counts alike in a child's folder below the project's settings", async () => {
		const child = join(lab.project, ".pi/copy");
		mkdirSync(child, { recursive: true });
		for (const command of ["git commit -m x", "touch x", "touch P/x", "git -C P add .", "npm ci"])
			expect([command, await verdicts(spelled(command, lab), lab, child)]).toEqual([command, all("stops")]);
		for (const command of ["git -C T commit -m x", "touch T/x", "cd $(mktemp -d) && git init"])
			expect([command, await verdicts(spelled(command, lab), lab, child)]).toEqual([command, all("passes")]);
	});
});

const rows: [Verdict, ...string[]][] = [
	[
		"passes",
		"cd $(mktemp -d) && git init && touch a && git add a && git commit -m x",
		'd=$(mktemp -d); cd "$d"; git init -q; npm init -y',
		"mkdir -p T/n; cd T/n; git init",
		"git clone . T/clone && git -C T/clone commit --allow-empty -m x",
		"git log && git status && git diff HEAD",
		"npm pack --pack-destination T",
		"GIT_DIR=P/.git; cd T; git add .",
		"cp -r . T/c && cd T/c || exit 1\ntouch x; git init",
		"cp -r . T/c; if ! cd T/c; then exit 1; fi; touch x",
		"cd T/c || { echo no; exit 2; }; touch x",
		"set -e; rm -rf T/c; cp -r . T/c; cd T/c; touch x; npm ci",
		"set -euo pipefail\ncp -r . T/c\ncd T/c\ntouch x",
		"set -o errexit; cd T/c; touch x",
		"set -e; (cd T/c; touch x); d=$(pwd)",
		"set -e; f() { cd T/c; touch x; }; f",
		"d=$(mktemp -d) && cp -r . $d && cd $d && git stash",
		"npm install --dry-run && npm ci --dry-run x",
		"git worktree prune -n && git remote prune -n origin && git sparse-checkout list && git lfs ls-files",
		"django-admin startproject x T && mix new T/m && rails new T/r && ng new x --directory=T/x",
		"sudo -D T touch x",
		"d=$(mktemp -d) && cp -a . $d/ && cd $d && git checkout -b y && git commit -am x",
		"d=$(mktemp -d) && rsync -a ./ $d && cd $d && git reset --hard",
		"cp -r P T/copy && cd T/copy && git add -A",
	],
	[
		"stops",
		"cp -r . T/c; cd T/c; touch x",
		"cp -r . T/c && cd T/c && ls; touch x",
		"cd T/c || exit 1 | cat; touch x",
		"(cd T/c || exit 1); touch x",
		"cd T/c || exit 1 2; touch x",
		"cd T/c || sh -c 'exit 1'; touch x",
		"cd T/c || { exit 1; } & touch x",
		"trap 'touch x' EXIT; cd T/c || exit 1",
		"exit() { :; }; cd T/c || exit 1; touch x",
		"set -e; set +e; cd T/c; touch x",
		"set -e; cd T/c || true; touch x",
		"set -e; ! cd T/c; touch x",
		"set -e; if cd T/c; then :; fi; touch x",
		"set -e; f() { cd T/c; touch x; }; f || true",
		"set -e; { cd T/c; touch x; } && true",
		"set -e; cp -r . T/c && cd T/c; touch x && true; cp x y",
		"set -e; x=$(cd T/c; touch x)",
		"set -e; sh -c 'cd T/c; touch x'",
		"(set -e); cd T/c; touch x",
		"set -eZ; cd T/c; touch x",
		"set -- -e; cd T/c; touch x",
		"set -e; shopt -uo errexit; cd T/c; touch x",
		"f() { local -; set -e; }; f; cd T/c; touch x",
		"set -e; trap 'touch x' EXIT; cd T/c",
		"set -e; source ./setup.sh; cd T/c; touch x",
		"git fetch",
		"docker run --rm -v .:/w -w /w alpine rm -rf src",
		"virtualenv P/.venv",
		"deno init P/x",
		"mix new x",
		"cd T && rails new P/x",
		"cd T && ng new x --directory=P/x",
		"cd T && django-admin startproject x P",
		"npm set x 1 --location=project",
		"npm config set x=1 --location=project",
		"cd T && sudo -D P touch x",
		"cd T && pip-compile -o P/requirements.txt",
		"pytest --junitxml=P/x",
		"git worktree prune && git remote prune origin",
		"docker run --rm -v .:/w -w /w alpine touch x",
		"docker run --rm -v .:/w --workdir=/w/src alpine sh -c 'echo hi > x'",
		"docker run -v P:/w alpine touch /w/x",
		"docker run --mount type=bind,src=P,dst=/w alpine touch /w/x",
		"podman run -v P:/w -w /w alpine/git git commit -am x",
		"docker run --rm -v P:P -w P node npm install",
		"docker run --rm -v .:/w -w /w -v T:/t node /bin/cp /t/x /w/x",
		"cp -r O T/copy; cd T/copy && git stash",
		"cp -as P T/copy; cd T/copy && git add .",
		"cp -al P T/copy; cd T/copy && git add .",
		"rsync -a --link-dest=P P/ T/copy; cd T/copy && git add .",
		"ln -s P/.git T/fresh/.git; cp -r T/fresh T/copy; git -C T/copy add .",
		"cp -r . T/c; ln -sfn P/.git T/c/.git; cd T/c && git add .",
		"git worktree add T/w",
		"git -C P worktree add T/w && git -C T/w commit -m x",
		"git -C O add .",
		"cd O && git commit -m x",
		"cd T && git -C P add .",
		"cd T && npm --prefix P ci",
		"cd T && black P/src",
		"black T/src src",
		"(cd T && npm ci); npm ci",
		"pushd T && popd && npm ci",
		"cd T && npm install -g x",
		"cd T && npm_config_global=true npm install x",
		'cd "$UNKNOWN_FOLDER" && npm ci',
		"git -C $(unknown-program) add .",
		"git --work-tree=T add .",
		"git --git-dir=T/.git checkout .",
		"git -C T -c core.worktree=P checkout .",
		"GIT_INDEX_FILE=T/index git add .",
		"echo 'gitdir: P/.git' > T/src/.git; git -C T/src add .",
		"cp -r O T/copy; git -C T/copy add .",
		"ln -s P T/alias; cd T/alias; npm ci",
		"git -C T push P HEAD:b",
		"cd T && UV_PROJECT=P uv add x",
		"cd / && npm_config_prefix=P npm ci",
	],
];

describe("places that a command leads to", () => {
	it.each(rows.flatMap(([verdict, ...commands]) => commands.map((command) => [command, verdict] as const)))(
		"%s: %s",
		async (command, verdict) => {
			expect(await verdicts(spelled(command, lab), lab)).toEqual(all(verdict));
		},
	);

	it.each([
		[
			"cp -r . T/c; cd T/c; touch x",
			"`touch x` would change x if the `cd` before it did not happen. Join the commands with `&&`",
		],
		["cd T/c && ls; git add .", "`git add .` would change the repository if the `cd` before it did not happen."],
		["d=$(mktemp -d) && cd $d/p && ls; sed -i s/a/b/ src/a.py", "would change src/a.py if the `cd` before it"],
		["touch x", "`touch x` would change x. A copy in a temporary folder may be changed: `d=$(mktemp -d)"],
		["git stash", "would change the repository. A copy in a temporary folder may be changed"],
		["touch T/x x", "`touch T/x x` would change x. A copy"],
	])("%s: the reason is true, and says what to do", (written, expected) => {
		const call: ToolCall = { id: "1", tool: "bash", input: { command: spelled(written, lab) }, siblings: [] };
		const policy = unchangedProjectPolicy({ shell: "judged", tools: ["bash"], advice: "" }, lab.project);
		const verdict = policy.judge(call, () => computeFootprint(call, hostEnvironment(lab.project)));
		expect(verdict).toMatchObject({ reason: expect.stringContaining(spelled(expected, lab)) });
	});

	it("a container that changes nothing of the project passes, but in readonly mode", async () => {
		const commands = [
			"docker run --rm -v T:/w -w /w node npm install",
			"docker run --rm -w /w node npm install",
			"docker run --rm -v .:/w:ro -w /w node npm test",
			"docker run --rm -v .:/w -w /w node cat x",
			"docker run --rm -v .:/w -w /w alpine sh -c 'rm -rf /var/cache/*'",
			"docker run --rm -v T:/w alpine touch /w/x",
		];
		for (const command of commands)
			expect([command, await verdicts(spelled(command, lab), lab)]).toEqual([
				command,
				{ ...all("passes"), readonly: "stops" },
			]);
	});

	it("tests and unknown programs pass in a phase and a state that are not strict", async () => {
		for (const command of ["npm test", "make check", "./run.sh", "unknown-program x"])
			expect([command, await verdicts(command, lab)]).toEqual([command, { ...all("passes"), readonly: "stops" }]);
	});

	it("a task changes the project with an option that rewrites files", async () => {
		for (const command of [
			"npm run lint -- --fix",
			"npm test -- -u",
			"pnpm run test:unit -u",
			"npx playwright test --update-snapshots",
			"pytest --snapshot-update",
			"cargo clippy --fix --allow-dirty",
		])
			expect([command, await verdicts(command, lab)]).toEqual([command, all("stops")]);
	});

	it("program text passes only if all its words are known to read", async () => {
		for (const command of [
			`python3 -c "import json; print(json.load(open('package.json')))"`,
			`node -p "require('./package.json').scripts"`,
			"python3 src/a.py",
		])
			expect([command, (await verdicts(command, lab)).state]).toEqual([command, "passes"]);
		for (const command of [
			`python3 -c "import a; a.x()"`,
			`node -e "f(process.argv)" x`,
			"LD_PRELOAD=./x.so ls",
			"NODE_OPTIONS='--import data:text/javascript,x()' npm test",
			"$(cat tool) src",
			"GIT_EXTERNAL_DIFF=./absent git diff",
			"gcc -wrapper 'sh,-c,x y' a.c",
			"vitest run --script-shell ./absent.sh",
		])
			expect([command, await verdicts(command, lab)]).toEqual([command, { ...all("stops"), capabilities: "passes" }]);
	});
});

/** Everything below a folder, as paths with contents. Times of git's index are no content. */
function contents(folder: string): Record<string, string> {
	const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
	return Object.fromEntries(
		files.map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), "base64")]),
	);
}

describe("text that is unknown until it runs", () => {
	it.each(["jq -nr .x | sh", "printf '%s' \"$(date)\" | ash", "vim --cmd 'call writefile([], \"src/a.py\")' -c q"])(
		"stops: %s",
		async (command) => {
			const box = makeLab();
			try {
				expect(await verdicts(command, box)).toMatchObject({ phase: "stops", state: "stops", readonly: "stops" });
			} finally {
				rmSync(box.root, { recursive: true, force: true });
			}
		},
	);
});

describe("the disk, after a command has run in a box,", needsProgram("bwrap", sandbox), () => {
	it.each([
		"git -C T commit -q --allow-empty -m x",
		"git commit -q --allow-empty -m x",
		"cd T && git add .",
		"git add .",
		"git -C T/link add .",
		"git worktree add -q T/w",
		"git clone -q . T/clone && git -C T/clone tag v1",
		"git -C O commit -q --allow-empty -m x",
		"GIT_DIR=T/.git GIT_WORK_TREE=T git add .",
		"GIT_DIR=P/.git GIT_WORK_TREE=T git add .",
		"git --git-dir=T/.git --work-tree=T checkout -q .",
		"git -C T push -q P HEAD:refs/heads/b",
		"cd $(mktemp -d) && git init -q && git commit -q --allow-empty -m x",
		"cp -r O T/copy && git -C T/copy add .",
		"ln -s P T/alias; cd T/alias; git tag v2",
		"git checkout-index -a --prefix=T/out/",
		"git format-patch -q -o T -1",
		"bash -c 'set -e; cd T/none; touch x'; true",
		"bash -c 'cd T/none || exit 1; touch x'; true",
		"set -e; cd T/none || true; touch x",
		"set -e; f() { cd T/none; touch x; }; f || true",
		"set -e; touch $(cd T/none; echo x)",
	])("shows what was judged: %s", async (written) => {
		const box = makeLab();
		try {
			if (sandbox?.kind !== "bwrap") throw new Error("no sandbox");
			const command = spelled(written, box);
			const judged = await verdicts(command, box);
			const before = contents(box.project);
			const variables = Object.entries({
				GIT_AUTHOR_NAME: "a",
				GIT_AUTHOR_EMAIL: "a@b",
				GIT_COMMITTER_NAME: "a",
				GIT_COMMITTER_EMAIL: "a@b",
			});
			const options = [...sandbox.options, "--bind", box.root, box.root, "--chdir", box.project];
			const settings = [...variables, ["TMPDIR", box.root]].flatMap(([name = "", value = ""]) => [
				"--setenv",
				name,
				value,
			]);
			execFileSync(sandbox.bwrap, [...options, ...settings, "--", "bash", "-c", command], {
				env,
				stdio: "pipe",
			});
			const changed = JSON.stringify(contents(box.project)) !== JSON.stringify(before);
			expect(judged).toEqual(all(changed ? "stops" : "passes"));
		} finally {
			rmSync(box.root, { recursive: true, force: true });
		}
	});
});
