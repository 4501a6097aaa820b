// Programs that show or set the machine's state: clocks, names, networks, preferences, disks.
// A program only shows something with the words listed for it; any other words change the machine.
import { byName } from "../by-name.ts";
import { describe } from "./notation.ts";
import type { Call } from "./program-spec.ts";

/** By program: the arguments, joined by blanks, with which it only shows something. */
const showing: { readonly [programs: string]: RegExp } = {
	"hostnamectl timedatectl localectl loginctl networkctl resolvectl bootctl coredumpctl machinectl busctl":
		/^(|-\S+|(hostname|icon-name|chassis|location)|(\S*-)?(status|show|list)(-\S+)*( .*)?|(query|info|dns|domain|statistics|is-\S+)\b.*)$/,
	hostname: /^(-[^Fb]\w*|--(?!file|boot)\S+| )*$/,
	hwclock: /^(|(-r|--show|--get|--verbose|-D)\b(?!.*(-w|-s|--\w+tosys|--systohc|--set)).*)$/,
	ldconfig: /^(-p|--print-cache)$/,
	"modprobe insmod rmmod": /^(-n|--dry-run|--show-depends|-c|--showconfig|-D|-R|--resolve-alias)\b/,
	"setenforce chkconfig update-rc.d": /^--list/,
	"update-alternatives alternatives": /^--(list|display|query|get-selections)\b/,
	"iptables ip6tables ebtables arptables":
		/^(?!.*-[FZDX]\b)(?!.*--(flush|zero|delete)).*(-L|-S|-C|-V|--list\S*|--check)\b/,
	"firewall-cmd": /^--(state|list-|get-|query-|info-)/,
	"ifconfig route": /^(-\S+ ?)*\S*$/,
	arp: /^(?!.*(-d|-s|-f|--delete|--set|--file)\b)/,
	ipconfig: /^(|\/all|\/displaydns|get\w+.*|ifcount|waitall)$/,
	nft: /^(|(-\S+ )*(list|describe|monitor)\b.*)$/,
	ufw: /^(|status.*|show.*|version)$/,
	nmcli:
		/^(?!.*\b(radio|networking) \S+ (on|off))(-\S+ )*(\w+ (s|sh|show|st|status|l|list|g|get|w|wifi|permissions|hostname|help)( \S+)?|\w*)$/,
	sysctl: /^(?!.*(-w|-p|-f|--write|--load|--system)\b)[^=]*$/,
	"nvidia-smi":
		/^(?!.*-(pm|e|p|c|r|vm|pl|lgc|rgc|lmc|rmc|mig|cgi|dgi)\b)(?!.*(drain|--gpu-reset))(-L|-q|-x|-i|-l|-d|--(list|query|help|format|id|loop|display)\S*|dmon|pmon|topo|nvlink|[\w.,:-]+| )*$/,
	xrandr: /^(-q|--query|--current|--prop|--verbose|--list\w+| )*$/,
	xset: /^-?q$/,
	defaults: /^(|(-host \S+ )?(read|read-type|domains|find|help)\b.*)$/,
	"networksetup systemsetup": /^-(get|list|print|show|is|help|version)/,
	scutil: /^(--dns|--proxy|--nwi|--get\b.*)$/,
	pmset: /^-g\b/,
	nvram: /^(?!.*(-[dcf]\b|=))/,
	csrutil: /^(|status|report)$/,
	spctl: /^(--status|-a|--assess)\b/,
	"xcode-select": /^(-p|--print-path|-v|--version)$/,
	softwareupdate: /^(-l|--list|--history)/,
	reg: /^(query|compare|export)\b/i,
};

/** By program: the arguments with which it only shows something, and those with which a disk's contents are lost. */
const disks: { readonly [programs: string]: { readonly shows: RegExp; readonly loses: RegExp } } = {
	parted: { shows: /^((-l|--list|-v|--version|\S+)|(-\S+ )*\S+ (unit \S+ )?print( \w+)*)$/, loses: /./ },
	zpool: {
		shows: /^(|(list|status|get|iostat|history|events|version|wait)\b.*)$/,
		loses: /^(destroy|create|labelclear|remove|detach|split|import|replace|reguid)\b/,
	},
	zfs: {
		shows: /^(|(list|get|diff|holds|userspace|version|send|allow)\b.*)$/,
		loses: /^(destroy|rollback|receive|recv)\b/,
	},
	"btrfs bcachefs": {
		shows: /^(|(\w+ )?(list|show|df|du|usage|get|get-default|stats|status|dump-\S+|show-super|version)\b.*)$/,
		loses: /^(\w+ )?(delete|del|replace|restore|rescue|remove|rm|repair|format)\b/,
	},
	dmsetup: {
		shows: /^(|(ls|info|status|table|deps|targets|version|stats)\b.*)$/,
		loses: /^(remove|remove_all|wipe_table|clear|load|reload|create)\b/,
	},
	cryptsetup: {
		shows: /^(|(-\S+ )*(status|isLuks|luksDump|luksUUID|benchmark)\b.*)$/,
		loses: /(luksFormat|format|erase|luksErase|luksKillSlot|luksRemoveKey|luksChangeKey|reencrypt|luksHeaderRestore)\b/,
	},
	mdadm: { shows: /^(?!.*--zero-superblock).*(-D|-E|-Q|--detail|--examine|--query)\b/, loses: /./ },
	nvme: {
		shows: /^(|(list|id-|show-|get-|smart-log|error-log|fw-log|ns-descs|version)\S*.*)$/,
		loses: /^(format|sanitize|delete-ns|write|write-zeroes|write-uncor|dsm|create-ns|security-send|reset)\b/,
	},
	"lvremove vgremove pvremove pvcreate vgreduce lvreduce lvresize pvmove lvconvert sg_format": {
		shows: /-t\b|--test/,
		loses: /./,
	},
	hdparm: {
		shows: /^(-[IigtTC] ?)+[^-]*$/,
		loses:
			/--(security-erase|trim-sector-ranges|make-bad-sector|write-sector|repair-sector|dco-restore|fwdownload|sanitize)/,
	},
	smartctl: { shows: /^(?!.*(-[stoSX]\b|--(smart|test|offlineauto|saveauto|abort)))/, loses: /^$/ },
	diskutil: {
		shows:
			/^(|((cs|apfs|ap|appleRAID) )?(list|info|activity|listFilesystems|listUsers|verifyDisk|verifyVolume|information)\b.*)$/i,
		loses: /^(\w+ )?(erase|partition|reformat|zero|random|secureErase|delete|split|merge|resize|destroy|remove)/i,
	},
	"hdiutil asr": {
		shows: /^(|(info|imageinfo|verify|plugins|checksum|imagescan)\b.*)$/,
		loses: /^(erasekeys|restore)\b/,
	},
	tmutil: { shows: /^(|(list|status|destinationinfo|latestbackup|isexcluded|compare|version)\S*.*)$/, loses: /^$/ },
	badblocks: { shows: /^-V$/, loses: /(^| )-\w*[wn]/ },
	"losetup swapon swapoff fsck e2fsck fsck.ext4 xfs_repair resize2fs e2label tune2fs fstrim umount eject": {
		shows: /^(|(-l|--list|--show|-s|--summary|-j|-n|-N|-P|-V|--version|--dry-run)\b.*)$/,
		loses: /^$/,
	},
};

const showingOf = byName(Object.entries(showing));
const diskOf = byName(Object.entries(disks));

function setMachine(call: Call): void {
	const words = call.args.join(" ");
	if (/^(-h|--help|--version)$/.test(words) || showingOf.get(call.name)?.test(words)) return;
	call.change("system");
	call.effect("system-service");
}

function changeDisk(call: Call): void {
	const words = call.args.join(" ");
	const disk = diskOf.get(call.name);
	if (/--(help|version)\b/.test(words) || !disk || disk.shows.test(words)) return;
	call.change("system");
	// A disk, a swap space, a file system that others use.
	if (/^(losetup|swap|umount)/.test(call.name)) call.effect("privilege");
	if (disk.loses.test(words)) call.effect("format-disk");
	if (/^tmutil$/.test(call.name) && /^(delete|thinlocalsnapshots|restore)/.test(words)) call.effect("recursive-delete");
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
		const command = call.has("-a -all") ? rest : rest.slice(1);
		if (command.length > 0) call.run(command);
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

/** `machinectl shell host command` */
function onMachine(call: Call): void {
	const [verb = "", , ...words] = call.operands;
	if (/^(shell|login)$/.test(verb) && words.length > 0) call.run(words);
	setMachine(call);
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

const makers =
	"mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mkfs.exfat mkfs.f2fs mke2fs mkswap newfs diskpart";

export const settings = describe(
	`
ps top htop btop pgrep pidof pstree free vmstat mpstat iostat lscpu lsblk lsusb lspci lsmod findmnt last lastb lastlog blkid getent \
		finger sw_vers system_profiler vm_stat hostid lsb_release ioreg neofetch netstat pvs vgs lvs pvdisplay vgdisplay lvdisplay
dmesg | -F --file: read | -l --level -f --facility -s --buffer-size --since --until --time-format: text | -L --color ? \
		| -C --clear -c --read-clear > ~system +system-service +clear-history \
		| -n --console-level -D --console-off -E --console-on > ~system +system-service
journalctl | -n --lines -o --output -S --since -U --until -u --unit --user-unit -t --identifier -p --priority -g --grep -c --cursor \
		--after-cursor -M --machine -F --field --facility --output-fields --interval --namespace: text \
		| -D --directory --file --root --image: list | --cursor-file: write | -b --boot --case-sensitive ? \
		| --vacuum-size --vacuum-time --vacuum-files > ~system +clear-history \
		| --rotate --flush --sync --relinquish-var --smart-relinquish-var --setup-keys --update-catalog > ~system
date | @clock | -d --date -s --set -v -z -D -f --file -r --reference: text | -I --iso-8601 ?
uname | -S > ~system +system-service
ss | -f --family -A --query -F --filter -N --net: text | -D --diag: replace | -K --kill > ~system +system-service
ip | dash @network | -f -family -n -netns -rc -rcvbuf -l -loops -b -batch: text
${Object.keys(showing).join(" ").replace(" machinectl", "")} | @setMachine
machinectl | first @onMachine | -H --host -M --machine -p --property -n --lines -o --output -s --signal -E --setenv --uid: text
$disk | write* ~system +format-disk | -t --type -L --label -O -b -i -N: text
${makers} | =disk | -n --no-act -V --version > list* harmless
fdisk cfdisk sfdisk gdisk sgdisk | =disk | -l --list -s -x -d --dump -J --json -p --print -i --info -v --verify -V --version -n --no-act > list* harmless
# Without an option it lists the signatures.
wipefs | list* | -o --offset -t --types -O --output -b: text | -a --all -o --offset > write* ~system +format-disk
blkdiscard | write* ~system +device-write
${Object.keys(disks).join(" ")} | @changeDisk
mount bindfs | @mount | -t --types -o --options -L --label -U --uuid -T --fstab -O: text
`,
	{ changeDisk, clock, mount, network, onMachine, setMachine },
	"abbreviating",
);
