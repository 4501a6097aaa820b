// Programs that show something with some arguments and set it with others: each row follows the manuals of Linux, macOS and busybox.
import { describe, expect, it } from "vitest";
import { accesses, harms, shell } from "./host-environment.ts";
import { knowledgeOf } from "./knowledge.ts";

/** By subject: what only shows, and what sets, writes or sends. */
const subjects: {
	readonly [subject: string]: { readonly shows: readonly string[]; readonly sets: readonly string[] };
} = {
	"the clock": {
		shows: [
			"date",
			"date +%F",
			"date -u +%s",
			"date -d yesterday",
			"date -d '2 days ago' +%F",
			"date -r a",
			"date -Iseconds",
			"date --iso-8601=s",
			"date -j -f %Y 2020 +%s",
			"date -v+1d",
			"timedatectl",
			"timedatectl status",
			"timedatectl list-timezones",
			"cal 2030",
		],
		sets: [
			"date -s 12:00",
			"date --set '1 hour ago'",
			"date --se=12:00",
			"date 010112002030",
			"date -u 0101",
			"date -f %Y 2020",
			"timedatectl set-time 12:00",
			"timedatectl set-ntp no",
		],
	},
	"names of the machine": {
		shows: [
			"hostname",
			"hostname -I",
			"hostnamectl",
			"hostnamectl status",
			"hostnamectl hostname",
			"uname -a",
			"localectl",
			"localectl list-locales",
		],
		sets: [
			"hostname other",
			"hostname -F a",
			"hostnamectl set-hostname x",
			"hostnamectl hostname x",
			"hostnamectl set-chassis vm",
			"localectl set-locale LANG=C",
		],
	},
	"the network": {
		shows: [
			"ip a",
			"ip -br addr",
			"ip -4 route show default",
			"ip route get 1.1.1.1",
			"ip link",
			"ip -s link show eth0",
			"ip neigh",
			"ip netns list",
			"ip monitor",
			"ifconfig",
			"ifconfig -a",
			"ifconfig en0",
			"ss -tlnp",
			"netstat -an",
			"route -n",
			"ufw status",
			"iptables -L -n",
			"resolvectl status",
			"networkctl list",
		],
		sets: [
			"ip link set eth0 up",
			"ip addr add 10.0.0.1/8 dev eth0",
			"ip a flush dev eth0",
			"ip route del default",
			"ip l s eth0 mtu 9000",
			"ip -batch a",
			"ip netns exec n touch a",
			"ifconfig eth0 up",
			"ifconfig en0 ether 0:0",
			"ss -K dst 1.1.1.1",
			"route add default 10.0.0.1",
			"ufw enable",
			"iptables -F",
		],
	},
	"settings of the machine": {
		shows: [
			"sysctl -a",
			"sysctl vm.swappiness",
			"defaults read",
			"defaults read com.apple.dock",
			"xcode-select -p",

			"nvidia-smi",
			"nvidia-smi -q -d MEMORY",
			"nvidia-smi --query-gpu=name --format=csv",
			"lsmod",
			"dmesg",
			"dmesg -T --level=err",
			"journalctl -u x -n 50",
			"journalctl --since today",
			"blkid",
		],
		sets: [
			"sysctl vm.swappiness=1",
			"sysctl -p",
			"defaults write com.x y -bool true",
			"defaults delete com.x",
			"xcode-select -s /x",
			"nvidia-smi -r",
			"nvidia-smi -pl 100",
			"dmesg -c",
			"dmesg --console-off",
			"journalctl --vacuum-size=1M",
			"journalctl --rotate",
			"launchctl unload x",
			"loginctl kill-user me",
		],
	},
	disks: {
		shows: [
			"lsblk -f",
			"fdisk -l",
			"sfdisk -d /dev/sda",
			"sgdisk -p /dev/sda",
			"wipefs /dev/sda",
			"zpool status",
			"zpool list -H",
			"zfs list -t snapshot",
			"zfs get all tank",
			"btrfs subvolume list /",
			"btrfs filesystem df /",
			"diskutil list",
			"diskutil info disk2",
			"diskutil apfs list",
			"mount",
			"mount -l",
			"findmnt",
		],
		sets: [
			"fdisk /dev/sdz",
			"sgdisk -Z /dev/sdz",
			"parted -s /dev/sdz rm 1",
			"wipefs -a /dev/sdz",
			"zpool destroy t",
			"zfs snapshot t@x",
			"zfs rollback t@x",
			"btrfs subvolume create x",
			"lvcreate -L1G vg",
			"dmsetup remove x",
			"cryptsetup luksFormat /dev/sdz",
			"mdadm --stop /dev/md0",
			"nvme sanitize /dev/nvme0",
			"hdparm -S 10 /dev/sda",
			"diskutil unmount disk2",
			"mount /dev/sdz /mnt",
			"mount --bind src b",
			"tmutil delete x",
		],
	},
	"pagers and manuals": {
		shows: ["less a", "less +G a", "less +/x a", "more a", "man ls", "man -k x", "bat a"],
		sets: [
			"less '+!touch x' a",
			"less +v a",
			"less -o b a",
			"more '+!touch x' a",
			"man -P 'touch x' ls",
			"man -Htouch ls",
			"man --html=touch ls",
			"less --lesskey-content=x a",
		],
	},
	"names and temporary files": {
		shows: ["uname -m", "mktemp -u", "compgen -A function", "tree -L 2", "file a", "history", "history 20"],
		sets: [
			"mktemp -p .",
			"mktemp -p src x.XXXX",
			"mktemp ./x.XXXX",
			"TMPDIR=$PWD mktemp",
			"TMPDIR=src mktemp -t x.XXX",
			"compgen -C 'touch b'",
			"compgen -W '$(touch b)'",
			"tree -R -H . -L 1",
			"tree -o b",
			"file -C -m a",
			"history -c",
		],
	},
	"counts and structured data": {
		shows: [
			"jq . a",
			"yq .a a",
			"xmllint --noout a",

			"cloc .",
			"scc",
		],
		sets: [
			"jaq -i .a a",
			"yq -i .a=1 a",
			"yq -s .name a",
			"xmllint --output b a",
			"xmllint --shell a",
			"cloc --out=b .",
			"scc -o b",
		],
	},
	searches: {
		shows: ["ctags -x a", "ctags -f - a", "ack x", "ag x src", "ug x src"],
		sets: [
			"ctags a",
			"ctags -R .",
			"etags a",
			"rg --pre 'touch b' x",
			"rg --hostname-bin ./x y",
			"ack --pager='touch b' x",
			"ag --pager 'touch b' x",
			"ug --filter='*:touch b' x",
			"sg -p x -r y -U",
		],
	},
	"data stores": {
		shows: [
			"redis-cli config get maxmemory",
			"redis-cli client list",
			"redis-cli --scan --pattern 'a:*'",
			"redis-cli memory usage x",
			"redis-cli slowlog get 5",
			"redis-cli zrange z 0 -1",
			"etcdctl get x",
			"etcdctl member list",
			"psql -c 'select count(*) from t'",
			"psql -c 'copy (select 1) to stdout'",
			"psql -c 'begin; select 1; rollback'",
			"mysql --execute 'show tables'",
			"duckdb a -c 'select 1'",
			"duckdb -c \"from 'a.csv'\"",
			"sqlite3 a 'pragma table_info(t)'",
			"sqlite3 a .schema",
			"clickhouse-client -q 'select 1'",
		],
		sets: [
			"redis-cli config set save ''",
			"redis-cli config rewrite",
			"redis-cli client kill id 3",
			"redis-cli --eval a",
			"redis-cli slowlog reset",
			"redis-cli acl setuser x on",
			"etcdctl put x y",
			"etcdctl snapshot save b",
			"psql -c 'select pg_cancel_backend(3)'",
			"psql -c 'select * into b from a'",
			"psql --com 'create table b(x int)'",
			"mysql --exec 'drop table a'",
			"psql -c \"copy t to '/x'\"",
			"duckdb -c \"copy t to 'b.csv'\"",
			"duckdb a -c \"export database 'b'\"",
			"sqlite3 a \"vacuum into 'b'\"",
			"sqlite3 a '.output b'",
			"sqlite3 a '.backup b'",
			"sqlite3 a '.import b t'",
			"sqlite3 a '.shell touch b'",
			"sqlite3 a 'pragma journal_mode=wal'",
			"sqlite3 a \"select writefile('b', 'x')\"",
			"clickhouse-client -q \"select 1 into outfile 'b'\"",
		],
	},
	clouds: {
		shows: [
			"vercel ls",
			"vercel logs x",
			"heroku logs -n 5",
			"heroku config",
			"heroku pg:info",
			"aws s3 ls",
			"aws logs tail g",
			"aws ec2 describe-instances",
			"aws sts get-caller-identity",
			"gcloud config list",
			"gcloud logging read x",
			"az account show",
			"vault kv get x",
			"vault status",
			"consul kv get x",
			"nomad status",
			"pulumi preview",
			"bq query 'select 1'",
			"gsutil ls gs://b",
			"flyctl status",
		],
		sets: [
			"vercel",
			"vercel --prod",
			"vercel ./dist",
			"surge",
			"heroku config:set A=b",
			"heroku pg:reset",
			"heroku ps:scale web=0",
			"aws logs put-retention-policy --log-group-name g",
			"aws s3api get-object --bucket b --key k out",
			"aws ec2 stop-instances",
			"gcloud config set project list",
			"gcloud container clusters get-credentials x",
			"az login",
			"vault kv put x a=b",
			"vault write x a=b",
			"consul kv delete x",
			"nomad job stop x",
			"pulumi up",
			"bq query 'delete from t where true'",
			"gsutil rsync -d a gs://b",
			"flyctl scale count 0",
		],
	},
	"containers and clusters": {
		shows: [
			"docker ps",
			"docker compose config",
			"docker buildx imagetools inspect x",
			"kubectl auth can-i get pods",
			"kubectl cluster-info",
			"kubectl kustomize src",
			"helm template src",
			"kubectl apply -f a --dry-run=client",
		],
		sets: [
			"docker compose config -o b",
			"podman pod rm x",
			"podman machine stop",
			"kubectl auth reconcile -f a",
			"kubectl cluster-info dump --output-directory=b",
			"kubectl kustomize src -o b",
			"helm template src --output-dir b",
			"helm template src --post-renderer ./x",
			"kubectl apply -f a --dry-run=none",
		],
	},
	git: {
		shows: ["git fsck", "git ls-remote origin", "git config core.hooksPath", "git stash list", "git fast-export HEAD"],
		sets: [
			"git fsck --lost-found",
			"git ls-remote --upload-pack='touch b' x",
			"git ls-remote 'ext::sh -c x'",
			"git config core.hooksPath .githooks",
			"git fast-export --export-marks=b HEAD",
			"git -c interactive.diffFilter='touch b' add -p",
			"git -c include.path=/tmp/x status",
			"git clone --template=/tmp/t x y",
		],
	},
	"variables that change what runs": {
		shows: [
			"LESS=-R less a",
			"NODE_OPTIONS=--max-old-space-size=1 ls",
			"PATH=/usr/bin:/opt/x/bin ls",
			"PAGER=cat man ls",
			"LC_ALL=C sort a",
		],
		sets: [
			"PATH=/tmp/x:$PATH ls",
			"PATH=src:$PATH; ls",
			"PATH=src; hash -r; ls",
			"export PATH=src; ls",
			"PATH= ls",
			"LD_PRELOAD=./x.so ls",
			"LD_LIBRARY_PATH=. ls",
			"DYLD_INSERT_LIBRARIES=x ls",
			"BASH_ENV=a bash -c ls",
			"PYTHONPATH=src python3 --version",
			"PERL5LIB=. ls",
			"RUBYLIB=. ls",
			"NODE_OPTIONS='-r ./x' ls",
			"NODE_PATH=. ls",
			"GIT_CONFIG_GLOBAL=a git status",
			"RIPGREP_CONFIG_PATH=a rg x src",
			"LESS='+!touch b' less a",
			"GH_PAGER='touch b' gh pr list",
			"SYSTEMD_PAGER='touch b' systemctl status",
			"JAVA_TOOL_OPTIONS=-javaagent:x ls",
			"env PYTHONSTARTUP=a ls",
			"export LUA_INIT=@a; ls",
		],
	},
	downloads: {
		shows: [
			"curl -s http://h",
			"curl -w '%{http_code}' http://h",
			"http GET :3000 q==x",
			"ssh-keygen -lf a",
			"ssh-keygen -F h",
			"openssl x509 -in a -noout",
			"dig h",
		],
		sets: [
			"curl -w '%output{b}x' http://h",
			"curl --alt-svc b http://h",
			"curl -Q 'DELE x' ftp://h",
			"curl -K a",
			"http -d http://h/x",
			"http --session=s http://h",
			"http POST :3000 q=x",
			"ssh-keygen",
			"ssh-keygen -t rsa -f b",
			"ssh-keygen -R h",
			"openssl x509 -in a -CA b -CAcreateserial",
			"ssh-agent touch b",
		],
	},
	"package managers": {
		shows: [
			"npm ls",
			"pip config list",
			"pip cache dir",
			"poetry version",
			"poetry env info",
			"uv version",
			"conda env list",
			"bundle config list",
			"rustup target list",
			"brew shellenv",
			"pacman -Qi x",
			"pacman -Ss x",
			"dpkg -l",
			"dpkg -S /bin/ls",
			"rpm -qa",

			"go env GOPATH",
			"apt list --installed",
		],
		sets: [
			"pip config set global.x y",
			"pip cache purge",
			"poetry version patch",
			"poetry env remove 3",
			"uv version 2.0",
			"uv version --bump minor",
			"conda env export -f b",
			"bundle config set x y",
			"rustup target add x",
			"pacman -Syu",
			"pacman -Rns x",
			"emerge --sync",
			"dpkg --configure -a",
			"dpkg -x a src",
			"rpm --import a",
			"rpm -e x",
			"go env -w A=b",
			"apt upgrade",
		],
	},
	media: {
		shows: ["ffprobe a", "shellcheck script.sh", "yamllint a"],
		sets: ["ldd a"],
	},
	"the shell's network": {
		shows: ["cat < /dev/null"],
		sets: ["echo x > /dev/tcp/h/1", "cat a >/dev/udp/h/53", "exec 3<>/dev/tcp/h/80"],
	},
};

describe.each(Object.entries(subjects))("%s", (_subject, { shows, sets }) => {
	it.each(shows)("shows: %s", (command) => {
		const footprint = shell(command);
		expect(knowledgeOf(footprint), JSON.stringify([footprint.unknowns, footprint.accesses, footprint.runs])).toBe(
			"reads",
		);
	});

	it.each(sets)("sets: %s", (command) => {
		expect(["writes", "unknown"]).toContain(knowledgeOf(shell(command)));
	});
});

describe("programs that start another one", () => {
	it.each([
		"linux64 touch b",
		"cpulimit -l 5 -- touch b",
		"doppler run -- touch b",
		"op run --env-file=a -- touch b",
		"aws-vault exec prod -- touch b",
		"gnome-terminal -- touch b",
		"nix-shell -p x --run 'touch b'",
		"busybox touch b",
		"gtouch b",
		"genv A=b gnice gtouch b",
		"caffeinate -i touch b",
	])("are judged by that program: %s", (command) => {
		expect(accesses(shell(command))).toContain("write b");
	});

	it("only show something without another program", () => {
		for (const command of ["gdate +%F", "gls -la", "gstat a"])
			expect(knowledgeOf(shell(command)), command).toBe("reads");
	});
});

describe("publishing", () => {
	it.each([
		"./gradlew publish",
		"gradle :core:publishToMavenCentral",
		"mix hex.publish",
		"pod trunk push x.podspec",
		"dart pub publish",
		"deno publish",
		"dotnet nuget push x.nupkg",
		"bundle exec rake release",
		"goreleaser release",
		"npm publ",
		"npm unpub x",
		"flit publish",
		"luarocks upload x",
	])("%s", (command) => {
		expect(harms(shell(command))).toContain("publish");
	});

	it.each([
		"./gradlew build",
		"gradle publishToMavenLocal",
		"mix test",
		"deno run a",
		"rake spec",
		"npm run x",
		"goreleaser release --snapshot",
	])("excludes %s", (command) => {
		expect(harms(shell(command))).not.toContain("publish");
	});
});

describe("a bind mount", () => {
	it("gives its source another name", () => {
		const { accesses: all } = shell("sudo mount --bind ~/.ssh dist && cat dist/id_rsa");
		expect(all.map(({ real }) => real)).toContain("/home/me/.ssh/id_rsa");
	});
});

describe("another agent", () => {
	it.each([
		"claude -p x",
		"codex exec x",
		"npx -y @openai/codex x",
		"pnpm dlx opencode-ai run x",
		"uv tool run aider-chat",
		"deno run npm:@anthropic-ai/claude-code",
		"nix run nixpkgs#claude-code -- -p x",
		"gh copilot suggest x",
		"docker run --rm img codex exec x",
		"env A=b timeout 5 gemini -p x",
		"goose run -t x",
		"q chat x",
	])("may change the project: %s", (command) => {
		const { runs } = shell(command);
		expect(runs.flatMap(({ effects }) => effects)).toContain("nested-agent");
		expect(runs.flatMap(({ changes }) => changes)).toContain("worktree");
	});

	it("is not started by asking for its version or settings", () => {
		for (const command of ["claude --version", "codex --help", "claude mcp list", "opencode models"])
			expect(knowledgeOf(shell(command)), command).toBe("reads");
	});
});
