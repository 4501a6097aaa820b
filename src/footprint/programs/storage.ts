// Disks, partitions, volumes and file systems: programs that show, format or remove them.

import { wraps } from "./common-specs.ts";
import { abbreviating, type Call, type ProgramSpec, type ProgramSpecs } from "./program-spec.ts";

/** A program that only shows something if `looks` holds, and loses the disk's contents if `loses` holds. */
function disk(looks: (call: Call) => boolean, loses: (call: Call) => boolean, more: ProgramSpec = {}): ProgramSpec {
	return {
		...more,
		custom(call) {
			if (call.has("--help --version") || looks(call)) return;
			call.change("system");
			if (loses(call)) call.effect("format-disk");
		},
	};
}

const never = () => false;
const always = () => true;

/** Judged by verbs among the first two operands (`apfs deleteVolume`, `subvolume delete`). */
const verbs = (looking: RegExp, losing: RegExp, values = ""): ProgramSpec =>
	disk(
		(call) =>
			call.operands.length === 0 ||
			(call.operands.slice(0, 2).some((verb) => looking.test(verb)) &&
				!call.operands.slice(0, 2).some((verb) => losing.test(verb))),
		(call) => call.operands.slice(0, 2).some((verb) => losing.test(verb)),
		values === "" ? {} : { options: { [values]: "text" } },
	);

const formats: ProgramSpec = {
	operands: "write",
	changes: ["system"],
	effects: ["format-disk"],
	options: { "-t --type -L --label -O -b -i -N": "text" },
	when: { "-n --no-act -V --version": { harmless: true, operands: "list" } },
};

/** Partition editors, which with these options only show the table. */
const partitions = (looks: string): ProgramSpec => ({
	...formats,
	when: { [looks]: { harmless: true, operands: "list" } },
});

const makers =
	"mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.msdos mkfs.ntfs mkfs.exfat mkfs.f2fs mkfs.jfs mkfs.reiserfs mkfs.minix mkfs.nilfs2 mkfs.udf mkfs.gfs2 mkfs.ocfs2 mkfs.bcachefs mke2fs mkswap mkdosfs mkntfs newfs newfs_apfs newfs_hfs newfs_msdos newfs_exfat newfs_udf";

/** `parted device command…`: prints, or edits. */
function editPartitions(call: Call): void {
	const [device, ...commands] = call.operands;
	if (call.has("-l --list -v --version -h --help") || device === undefined) return;
	if (
		commands.every((word) =>
			/^(print|free|unit|align-check|help|version|quit|all|devices|list|[a-zA-Z%]{1,3}|\d+)$/.test(word),
		) &&
		commands.includes("print")
	)
		return;
	call.change("system");
	call.effect("format-disk");
	call.applyRole("write", device);
}

/** A bind mount is another name for a directory. */
function bindMount(call: Call): void {
	const options = call.values("-o --options").flatMap((list) => list.split(","));
	const binds =
		call.has("-B --bind -R --rbind -M --move") ||
		options.includes("bind") ||
		options.includes("rbind") ||
		call.name === "bindfs";
	const [from, to] = call.operands.slice(-2);
	if (!binds || from === undefined || to === undefined || call.operands.length < 2) return;
	call.applyRole("link", from, { recursive: true });
	call.access("write", to, { replaces: true });
	call.addLink(to, from);
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

/** Programs for one device or swap space, which only show something with some options. */
const device = (looks: string, loses = "", more: ProgramSpec = {}): ProgramSpec => ({
	...more,
	custom(call) {
		if ((call.operands.length === 0 && !call.has("-a --all")) || call.has(looks)) return;
		call.change("system");
		call.effect("privilege");
		if (loses !== "" && call.has(loses)) call.effect("device-write");
	},
});

export const storage: ProgramSpecs = {
	...abbreviating({
		[makers]: formats,
		"fdisk cfdisk": partitions("-l --list -s -x --list-details -V --version"),
		sfdisk: partitions(
			"-l --list -d --dump -J --json -s --show-size -F --list-free -T --list-types -V --verify -n --no-act -g",
		),
		"gdisk sgdisk": partitions("-l --list -p --print -i --info -v --verify -F --first-in-largest -E --end-of-largest"),
		// Without an option it lists the signatures.
		wipefs: {
			operands: "list",
			options: { "-o --offset -t --types -O --output -b": "text" },
			when: { "-a --all -o --offset": { operands: "write", changes: ["system"], effects: ["format-disk"] } },
		},
		diskpart: formats,
		parted: { options: { "-a --align -u": "text" }, custom: editPartitions },
		blkdiscard: { operands: "write", changes: ["system"], effects: ["device-write"] },
		"losetup swapon swapoff": device("-l --list --show -s --summary -j --associated -f --find"),
		"fsck e2fsck fsck.ext4 xfs_repair": device("-n -N -V -p"),
		"resize2fs e2label xfs_growfs fstrim": device("-P -n --dry-run"),
		tune2fs: device("-l"),
		hdparm: device(
			"-I -i -g -t -T -C",
			"--security-erase --security-erase-enhanced --trim-sector-ranges --trim-sector-ranges-stdin --make-bad-sector --write-sector --repair-sector --dco-restore --fwdownload --sanitize-block-erase --sanitize-crypto-scramble --sanitize-overwrite",
		),
		badblocks: device("-V", "-w -n"),
		smartctl: disk((call) => !call.has("-s --smart -t --test -o --offlineauto -S --saveauto -X --abort"), never),
		mount: { options: { "-t --types -o --options -L --label -U --uuid -T --fstab -O": "text" }, custom: mount },
		bindfs: { options: { "-o -u -g -m -p -M": "text" }, custom: mount },
		umount: device("-V --version", "", { options: { "-t --types -O": "text" } }),
		eject: { changes: ["system"] },
	}),
	zpool: verbs(
		/^(list|status|get|iostat|history|events|version|wait)$/,
		/^(destroy|create|labelclear|remove|detach|split|import|replace|reguid)$/,
	),
	zfs: verbs(
		/^(list|get|diff|holds|userspace|groupspace|projectspace|version|send|allow)$/,
		/^(destroy|rollback|receive|recv)$/,
	),
	btrfs: verbs(
		/^(list|show|df|du|usage|get|get-default|stats|status|dump-.*|help|version|tree-stats|find-new)$/,
		/^(delete|del|de|replace|restore|rescue|remove|rm|repair)$/,
	),
	bcachefs: verbs(/^(show-super|list|usage|version)$/, /^(format|remove|reset-counters)$/),
	dmsetup: verbs(
		/^(ls|info|status|table|deps|targets|version|splitname|help|stats)$/,
		/^(remove|remove_all|wipe_table|clear|load|reload|create)$/,
	),
	cryptsetup: verbs(
		/^(status|isLuks|luksDump|luksUUID|benchmark|tcryptDump|bitlkDump)$/,
		/^(luksFormat|format|erase|luksErase|luksKillSlot|luksRemoveKey|luksChangeKey|reencrypt|luksHeaderRestore|luksConvertKey)$/,
		"-c --cipher -s --key-size -h --hash -d --key-file -S --key-slot --type",
	),
	mdadm: disk(
		(call) =>
			call.has("-D --detail -E --examine -Q --query --detail-platform -Y --export") && !call.has("--zero-superblock"),
		always,
		{ options: { "-l --level -n --raid-devices -c --config -e --metadata": "text" } },
	),
	"pvs vgs lvs pvdisplay vgdisplay lvdisplay pvscan vgscan lvscan lvmdiskscan": {},
	"pvcreate vgremove lvremove pvremove vgreduce lvreduce lvresize pvmove vgmerge lvconvert": {
		changes: ["system"],
		effects: ["format-disk"],
		when: { "-t --test": { harmless: true } },
	},
	"vgcreate lvcreate vgextend lvextend vgchange lvchange vgrename lvrename vgexport vgimport": { changes: ["system"] },
	lvm: wraps(),
	nvme: verbs(
		/^(list|list-.*|id-.*|show-.*|smart-log|error-log|get-.*|fw-log|ns-descs|version|help)$/,
		/^(format|sanitize|delete-ns|write|write-zeroes|write-uncor|dsm|create-ns|security-send|reset)$/,
	),
	"sg_format sg_sanitize sg_write_same sg_unmap": { changes: ["system"], effects: ["format-disk"] },
	debugfs: {
		operands: "list",
		options: { "-R -f -b -s": "text" },
		when: { "-w": { operands: "write", changes: ["system"] } },
	},
	// macOS
	diskutil: verbs(
		/^(list|info|activity|listFilesystems|listUsers|verifyDisk|verifyVolume|information|cs|apfs|ap|appleRAID)$/i,
		/^(erase|partition|reformat|zero|random|secureErase|delete|split|merge|resize|destroy|remove)/i,
	),
	asr: verbs(/^(info|imagescan)$/, /^(restore|server)$/),
	hdiutil: verbs(/^(info|imageinfo|verify|isencrypted|plugins|pmap|checksum)$/, /^(erasekeys)$/),
	tmutil: {
		custom(call) {
			const [verb = ""] = call.operands;
			if (
				/^(|list.*|status|destinationinfo|latestbackup|machinedirectory|isexcluded|uniquesize|calculatedrift|compare|version|currentphase)$/.test(
					verb,
				)
			)
				return;
			call.change("system");
			if (/^(delete|thinlocalsnapshots|restore)/.test(verb)) call.effect("recursive-delete");
		},
	},
};
