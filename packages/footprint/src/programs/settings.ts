// Programs that show or set the machine's state: clocks, names, networks, preferences, disks. Commands that lose a disk's contents are in
// `tasks.ts`.
// A program only shows something with the words listed for it; any other words change the machine.
import { byName } from "../by-name.ts";
import { describe } from "./notation.ts";
import type { Call } from "./program-spec.ts";

/** By program: the arguments, joined by blanks, with which it only shows something. */
const showing: { readonly [programs: string]: RegExp } = {
	"hostnamectl timedatectl localectl loginctl networkctl resolvectl":
		/^(|-\S+|(hostname|icon-name|chassis|location)|(\S*-)?(status|show|list)(-\S+)*( .*)?|(query|statistics|is-\S+)\b.*)$/,
	hostname: /^(-[^Fb]\w*|--(?!file|boot)\S+| )*$/,
	iptables: /^(?!.*-[FZDX]\b)(?!.*--(flush|zero|delete)).*(-L|-S|-C|-V|--list\S*|--check)\b/,
	"ifconfig route": /^(-\S+ ?)*\S*$/,
	ufw: /^(|status.*|show.*|version)$/,
	sysctl: /^(?!.*(-w|-p|-f|--write|--load|--system)\b)[^=]*$/,
	"nvidia-smi": /^(|(-L|-q|--(list|query)\S*)( .*)?|topo.*)$/,
	defaults: /^(|(-host \S+ )?(read|read-type|domains|find|help)\b.*)$/,
	service: /^(--(help|version|status-all)|.*\b(status|describe)|)$/,
	"launchctl sc supervisorctl pm2":
		/^(|(list|print|print-cache|print-disabled|blame|status|version|query|qc|queryex|logs|log|tail|show|describe|info|jlist|help|avail|pid)( .*)?)$/,
	"xcode-select": /^(-p|--print-path|-v|--version)$/,
	"zpool zfs btrfs diskutil": /^(|(\w+ )?(list|status|get|info|df|usage)\b.*)$/,
};

const showingOf = byName(Object.entries(showing));

function setMachine(call: Call): void {
	const words = call.args.join(" ");
	if (/^(-h|--help|--version)$/.test(words) || showingOf.get(call.name)?.test(words)) return;
	call.change("system");
	call.effect("system-service");
}

/** `date` sets the clock if an operand is no format (GNU, BSD and busybox). */
function clock(call: Call): void {
	if (call.has("-s --set")) call.change("system");
	if (call.has("-j -d --date -r --reference")) return;
	if (call.operands.some((word) => !word.startsWith("+"))) call.change("system");
}

const ipLooks = /^(s|sh|sho|show|l|ls|lst|li|lis|list|g|ge|get|help|identify|pids|stats|save|dump)$/;
/** `ip l s eth0 mtu 9000`: `s` is `set` for links, `show` for others. */
const linkSetting =
	/^(up|down|mtu|address|name|master|nomaster|netns|alias|txqueuelen|arp|multicast|promisc|type|xdp|vf|group)$/;

/** `ip object verb`: the default verb is `show`; verbs may be abbreviated. */
function network(call: Call): void {
	const [object = "", verb = "show", ...rest] = call.operands;
	if (/^(netns|vrf)$/.test(object) && /^ex/.test(verb)) {
		call.effect("privilege");
		const words = call.args.slice(call.args.indexOf(verb) + (call.has("-a -all") ? 1 : 2));
		if (words.length > 0) call.run(words);
		return;
	}
	const isBatch = call.has("-b -batch -force");
	if (isBatch) call.unknown("script", call.text);
	if (/^(|help|mo(n(i(t(or?)?)?)?)?)$/.test(object)) return;
	const sets = rest.length > 1 && rest.some((word) => linkSetting.test(word));
	if (ipLooks.test(verb) && !sets && !isBatch) return;
	call.change("system");
	call.effect("system-service");
}

function mount(call: Call): void {
	if (call.operands.length === 0 && !call.has("-a --all -B --bind -R --rbind -M --move -o --options")) return;
	if (call.has("-l --show-labels --version -V --help")) return;
	call.change("system");
	call.effect("privilege");
	bindMount(call);
	// What lies below a mount point is hidden.
	const to = call.operands.at(-1);
	if (to !== undefined) call.access("delete", to, { recursive: true });
}

/** A bind mount is another name for a directory. */
function bindMount(call: Call): void {
	const options = call.values("-o --options").flatMap((list) => list.split(","));
	const binds = call.has("-B --bind -R --rbind -M --move") || options.includes("bind") || options.includes("rbind");
	const [from, to] = call.operands.slice(-2);
	if ((!binds && call.name !== "bindfs") || from === undefined || to === undefined) return;
	call.applyRole("link", from, { recursive: true });
	call.access("write", to, { replaces: true });
	call.addLink(to, from);
}

export const settings = describe(
	`
ps top htop pgrep pidof pstree free vmstat iostat lscpu lsblk lsusb lspci lsmod findmnt last lastlog blkid getent sw_vers vm_stat \
		lsb_release netstat apt-cache dpkg-query
dmesg | -F --file: read | -l --level -f --facility -s --buffer-size --since --until --time-format: text | -L --color ? \
		| -C --clear -c --read-clear > ~system +system-service +clear-history \
		| -n --console-level -D --console-off -E --console-on > ~system +system-service
journalctl | -n --lines -o --output -S --since -U --until -u --unit --user-unit -t --identifier -p --priority -g --grep -c --cursor \
		--after-cursor -M --machine -F --field --facility --output-fields --interval --namespace: text \
		| -D --directory --file --root --image: list | --cursor-file: write | -b --boot --case-sensitive ? \
		| --vacuum-size --vacuum-time --vacuum-files > ~system +clear-history \
		| --rotate --flush --sync --relinquish-var --smart-relinquish-var --setup-keys --update-catalog > ~system
date | @clock | -d --date -s --set -v -z -D -r --reference: text | -f --file: read | -I --iso-8601 ?
uname | -S > ~system +system-service
ss | -f --family -A --query -F --filter -N --net: text | -D --diag: replace | -K --kill > ~system +system-service
ip | dash @network | -f -family -n -netns -rc -rcvbuf -l -loops -b -batch: text
${Object.keys(showing).join(" ")} | @setMachine
$disk | write* ~system +format-disk | -t --type -L --label -O -b -i -N: text
mkfs mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mkfs.exfat mke2fs mkswap newfs diskpart | =disk | -n --no-act -V --version > list* harmless
fdisk sfdisk gdisk sgdisk | =disk | -l --list -s -x -d --dump -J --json -p --print -i --info -v --verify -V --version -n --no-act > list* harmless
# Without an option it lists the signatures.
wipefs | list* | -o --offset -t --types -O --output -b: text | -a --all -o --offset > write* ~system +format-disk
blkdiscard | write* ~system +device-write
mount bindfs | @mount | -t --types -o --options -L --label -U --uuid -T --fstab -O: text
`,
	{ clock, mount, network, setMachine },
	"abbreviating",
);
