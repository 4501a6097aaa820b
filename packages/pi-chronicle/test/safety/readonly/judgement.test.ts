// The readonly posture without pi: reading commands pass, changing ones do not, in every spelling.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { computeFootprint } from "@pi-chronicle/footprint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostEnvironment } from "../../../src/pi/index.ts";
import { openPolicies, type Policies, type ToolCall } from "../../../src/safety/index.ts";
import { temporaryPlaces } from "../../../src/safety/places.ts";
import { readonlyPolicy } from "../../../src/safety/readonly/judge.ts";

let root: string;
let cwd: string;
let temp: string;
let policies: Policies;

beforeAll(() => {
	root = realpathSync(mkdtempSync(join(tmpdir(), "readonly-")));
	cwd = join(root, "home/project");
	temp = join(root, "temp");
	mkdirSync(join(cwd, "src"), { recursive: true });
	mkdirSync(temp);
	for (const name of ["a.ts", "src/a.ts", "f", "x", "script.sh", "package.json", "a.tgz", "fix.patch"]) {
		writeFileSync(join(cwd, name), "x\n");
	}
	policies = openPolicies();
	policies.add(
		readonlyPolicy({
			places: temporaryPlaces({ ...hostEnvironment(cwd), temp, home: join(root, "home") }),
			contains: async () => false,
		}),
	);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function decide(tool: string, input: Record<string, unknown>, more: Partial<ToolCall> = {}): Promise<string> {
	const call: ToolCall = { id: "1", tool, input, siblings: [], ...more };
	const around = { ...hostEnvironment(cwd), home: join(root, "home"), temp, platform: "linux" as const };
	return (await policies.judge(call, () => computeFootprint(call, around))).decision;
}

const bash = (command: string) => decide("bash", { command: command.replaceAll("TEMP", temp) });

/** Options that load or run something, of commands that otherwise read. */
const loads = [
	"git --exec-path=./x status",
	"git --config-env=core.pager=X log",
	"awk -l ./x 1 a",
	"gawk -i ./lib 1 a",
	"ruby -I. -rx -c a.rb",
	"php -d auto_prepend_file=x -l a.php",
	"npm ls --node-options=--require=./x",
	"npm view x --script-shell=./x",
	"go list -toolexec ./x ./...",
	"go vet -vettool=./x ./...",
	"kubectl get pods --kubeconfig ./x",
	"svn diff --diff-cmd ./x",
	"wget --use-askpass=./x -qO- http://x",
	"wget --config ./x -qO- http://x",
	"wget -e use_askpass=./x -qO- http://x",
	"pip --python ./x list",
	"pip list --python=./x",
	"uv pip list --config-file x",
	"cargo tree --config x",
	"cargo metadata --config 'build.rustc-wrapper=\"./x\"'",
	"docker --config ./x ps",
	"kubectl --kubeconfig ./x get pods",
	"helm --kubeconfig ./x list",
	"hg --config alias.log='!touch x' log",
	"npm ls --globalconfig ./x",
	"pnpm --config.script-shell=./x list",
	"gpg --options ./x --verify f",
	"gpg --homedir . --list-keys",
	"openssl version -config x",
	"openssl x509 -provider ./x -in f",
	"curl --engine ./x http://x",
	"mysql --plugin-dir=. -e 'select 1'",
	"gcloud --flags-file x projects list",
	"ag --ackrc x foo",
	"man -C x ls",
	"less --lesskey-src=x f",
	"pandoc --lua-filter x -t plain f",
	"nm --plugin ./x f",
	"ctags --options=x -f - f",
	"java -javaagent:x -version",
	"prettier --config x --check .",
	"go list -overlay x ./...",
	"dc -f x",
	"m4 x",
	"chroot . ls",
	"pkexec sh",
	"doas -s",
	"sudo -i",
	"su",
	"pip --log f list",
	"psql -o f -c 'select 1'",
	"xxd -e x f",
	"curl --config - http://x <<< 'output = f'",
	"rpm -qa --pipe ./x",
	"rpm -q --define 'x %(touch f)' y",
	"php -c ./x -l a.php",
];

const looks = [
	"git --no-pager log -p -1",
	"php -l a.php",
	"ruby -c a.rb",
	"find src -name '*.ts' -exec grep -Hn export {} +",
	"go list ./...",
	"gawk -i join '{print}' a",
	"uv pip list --python 3.12",
	"git push --dry-run",
	"gpg --no-options --list-keys",
	"rpm -qa",
	"xxd -l 16 f",
	"shellcheck --rcfile x script.sh",
	"docker --context x ps",
	"pip list --format json",
];

describe("options that load code", () => {
	it.each(loads)("are refused: %s", async (command) => {
		expect(await bash(command)).toBe("deny");
	});
	it.each(looks)("are not seen in: %s", async (command) => {
		expect(await bash(command)).toBe("allow");
	});
});

const writes = [
	"/bin/rm x",
	"\\rm x",
	"! rm x",
	"{ rm x; }",
	"( rm x )",
	"if true; then rm x; fi",
	"for f in *; do rm $f; done",
	"while true; do rm x; break; done",
	"case a in a) rm x;; esac",
	"f() { rm x; }; f",
	"timeout 5 rm x",
	"nohup rm x",
	"time rm x",
	"nice rm x",
	"env A=b rm x",
	"sudo rm x",
	"xargs rm < f",
	"mv src/a.ts TEMP/x",
	"cp a.ts b.ts",
	"sed --in-place s/a/b/ f",
	"sed -i s/a/b/ f",
	"sed -n 'w out' f",
	"sed 's/a/b/w out' f",
	"awk '{print > \"out\"}' f",
	"awk '{system(\"rm x\")}' f",
	"echo 'rm x' | sh",
	"bash script.sh",
	"./script.sh",
	"sh < script.sh",
	"source script.sh",
	"patch -p1 < fix.patch",
	"tar xf a.tgz",
	"unzip a.zip",
	"rsync -a src/ out/",
	"make install",
	"npx prettier --write .",
	"npx anything",
	"bun install",
	"uv sync",
	"go install ./...",
	"npm install",
	"npm ci",
	"pip install x",
	"cargo add serde",
	"git log --output=f",
	"git diff --output=f",
	"git commit -m x",
	"git add .",
	"git checkout .",
	"git checkout main",
	"git reset --hard",
	"git stash",
	"git push",
	"git merge x",
	"git branch new",
	"git branch -d old",
	"git tag v1",
	"git config user.name x",
	"git remote add o u",
	"git worktree add ../w",
	"git clean -fd",
	"git rm f",
	"git init",
	"git apply fix.patch",
	"docker run --rm x sh",
	"docker rm x",
	"docker exec x rm f",
	"ssh host rm x",
	"vim f",
	"nano f",
	"ed f",
	"echo x > a",
	"echo x >> a",
	"echo x >| a",
	"echo x &> a",
	"cat f > out",
	"> f",
	"tee out < f",
	"touch new",
	"mkdir d",
	"rmdir d",
	"ln -s f g",
	"chmod 600 f",
	"chown me f",
	"truncate -s 0 f",
	"dd if=f of=g",
	"install f g",
	"find . -delete",
	"find . -exec rm {} +",
	"find . -fprint out",
	"sort -o f f",
	"python3 -c \"open('a','w')\"",
	"node -e \"require('fs').writeFileSync('a','')\"",
	"perl -pi -e s/a/b/ f",
	"python3 script.py",
	"$(echo rm) x",
	"eval 'rm x'",
	"curl -o out https://example.com",
	"curl -O https://example.com/a",
	"curl -X POST https://example.com",
	"curl -d a=b https://example.com",
	"wget https://example.com/a",
	"kill 123",
	"crontab f",
	"gh pr create --title x --body y",
	"gh pr merge 3",
	"psql -c 'delete from users'",
	"echo $(rm x)",
	"cat <(rm x)",
	"ls; rm x",
	"ls && rm x",
	"ls || rm x",
	"cd TEMP && rm -rf $OLDPWD/src",
	"rm -rf TEMP/../home/project/src",
	"cp f TEMP/../home/project/g",
	"jq . f > f2",
	"exec 3> f",
	"npm test",
	"make test",
	"cargo build",
	"some-unknown-program",
	"unzip -o a.zip -d .",
	"gzip f",
	"split f out-",
	"xxd -r f g",
	"openssl genrsa -out key 2048",
	"ssh-keygen -f k",
	"npm version patch",
	"npm publish",
	"brew install jq",
	"npm audit fix",
	"gofmt -w .",
	"shfmt -i 2 -w script.sh",
	"clang-format -i f",
	"black src",
	"psql -c '\\copy t from f'",
	"mount /dev/sda1 /mnt",
	"curl -X POST -G -d a=b https://example.com",
	"tar xf a.tgz -C TEMP/../home/project",
	"unzip a.zip -d out",
	"ar x lib.a",
	"ar rcs lib.a f",
	"ls | xargs rm",
	"mkdir -m 700 d",
	"gio trash f",
	"npx rimraf src",
	"tmux new-session -d 'rm x'",
	"vim -c '!rm x'",
	"systemctl restart nginx",
];

const reads = [
	"ls -la",
	"cat f",
	"head -5 f | tail -2",
	"grep -rn foo src",
	"rg foo",
	"find . -name '*.ts'",
	"find . -exec grep -l foo {} +",
	"find . -type f | xargs wc -l",
	"git branch -a",
	"git branch",
	"git branch --show-current",
	"git remote show origin",
	"git remote -v",
	"git check-ignore f",
	"git ls-remote",
	"git worktree list --porcelain",
	"git config user.name",
	"git config --get remote.origin.url",
	"git config --list",
	"git log -3",
	"git log --oneline --graph",
	"git diff",
	"git diff HEAD~1 -- src",
	"git show HEAD",
	"git status",
	"git blame f",
	"git grep foo",
	"git ls-files",
	"git rev-parse HEAD",
	"git tag",
	"git tag -l 'v*'",
	"git stash list",
	"git reflog",
	"git describe",
	"git shortlog -sn",
	"[[ 3 > 2 ]]",
	"[ -f f ] && echo yes",
	"test -d src",
	"echo hi",
	"echo 'rm x'",
	"printf '%s' x",
	"grep 'rm -rf' f",
	"wc -l f",
	"sort f | uniq -c",
	"sed -n 1,5p f",
	"sed s/a/b/ f",
	"awk '{print $1}' f",
	"jq . package.json",
	"diff a.ts src/a.ts",
	"stat f",
	"file f",
	"du -sh .",
	"df -h",
	"ps aux",
	"which node",
	"node --version",
	"date",
	"pwd",
	"env",
	"for f in *.ts; do wc -l $f; done",
	"if grep -q x f; then echo y; fi",
	"cat f 2>/dev/null",
	"cat f > /dev/null 2>&1",
	"ls 2>&1 | head",
	"echo x > TEMP/a",
	"cp f TEMP/a",
	"mkdir -p TEMP/d && echo x > TEMP/d/e",
	"rm -rf TEMP/d",
	"tee TEMP/a < f",
	"sort f > TEMP/sorted; cat TEMP/sorted",
	"cd src && ls",
	"(cd src; cat a.ts)",
	"sudo cat f",
	"timeout 5 cat f",
	"curl -s https://example.com",
	"curl -I https://example.com",
	"curl -s https://example.com | jq .",
	"wget -qO- https://example.com",
	"npm ls",
	"npm view react",
	"npm outdated",
	"docker ps",
	"docker logs x",
	"gh pr list",
	"gh pr view 3",
	"psql -c 'select 1'",
	"tar tf a.tgz",
	"unzip -l a.zip",
	"base64 f",
	"sha256sum f",
	"tree src",
	"cat <<< x",
	"cat <<'E'\nrm x\nE",
	"sleep 1",
	"true",
	"kubectl get pods",
	"systemctl status nginx",
	"python3 --version",
	"git mv -n f g",
	"cargo tree",
	"cargo metadata --format-version 1",
	"gofmt -l .",
	"shfmt -d script.sh",
	"clang-format f",
	"prettier --check .",
	"black --check src",
	"mvn -version",
	"psql -c '\\dt+ users'",
	"psql -c '\\conninfo'",
	"mount | grep tmp",
	"curl -G -d a=b https://example.com",
	"ssh -V",
	"tar xf a.tgz -C TEMP",
	"unzip a.zip -d TEMP/out",
	"ar t lib.a",
	"npm audit",
	"setfacl --help",
	"ls | grep x | xargs wc -l",
];

describe("readonly", () => {
	it.each(writes)("stops %s", async (command) => {
		expect(await bash(command)).toBe("deny");
	});
	it.each(reads)("allows %s", async (command) => {
		expect(await bash(command)).toBe("allow");
	});

	it("stops pi's own writing tools and allows the reading ones", async () => {
		expect(await decide("write", { path: "a", content: "x" })).toBe("deny");
		expect(await decide("edit", { path: "f", edits: [] })).toBe("deny");
		expect(await decide("write", { path: `${temp}/a`, content: "x" })).toBe("allow");
		expect(await decide("read", { path: "f" })).toBe("allow");
		expect(await decide("grep", { pattern: "x" })).toBe("allow");
		expect(await decide("find", { pattern: "*" })).toBe("allow");
		expect(await decide("ls", {})).toBe("allow");
		expect(await decide("powershell", { command: "Remove-Item f" })).toBe("deny");
		expect(await decide("powershell", { command: "Get-Content f" })).toBe("allow");
	});

	it("stops other extensions' tools unless they are known or declared to only read", async () => {
		expect(await decide("patch_file", { path: "f", content: "x" })).toBe("deny");
		expect(await decide("mystery", { text: "x" })).toBe("deny");
		expect(await decide("mystery", { text: "x" }, { annotations: { readOnlyHint: true } })).toBe("allow");
		expect(await decide("mystery", { command: "rm x" }, { annotations: { readOnlyHint: true } })).toBe("deny");
		expect(await decide("web_search", { query: "x" })).toBe("allow");
		expect(await decide("workflow_step", { action: "next" }, { own: true })).toBe("allow");
	});
});
