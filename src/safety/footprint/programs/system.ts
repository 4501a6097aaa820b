// The machine: processes, devices, services, users, schedules, power.
import type { Call, Program, Programs } from "./program.ts";

const service: Program = { changes: ["system"], effects: ["system-service"] };

/** `kill`: process 1, group -1, and KILL to many at once. */
function kill(call: Call): void {
	const words = call.args.filter((arg) => arg !== "--");
	if (words.some((word) => /^-(l|L|t)$/.test(word))) return;
	call.change("system");
	const signal = words.find((word) => /^-(?:\d+|[A-Z]+\d*)$/i.test(word) || /^-s$/.test(word));
	const targets = words.filter((word) => word !== signal);
	if (targets.some((word) => word === "-1" || word === "1") || (signal === "-1" && targets.length === 0))
		call.effect("kill-all");
}

/** `pkill`, `killall`: by name, whoever they belong to. */
function killByName(call: Call): void {
	if (call.has("-l --list")) return;
	call.change("system");
	const hard =
		call.args.some((arg) => /^-(9|KILL|SIGKILL)$/i.test(arg)) ||
		call.values("-s --signal").some((value) => /^(9|KILL|SIGKILL)$/i.test(value));
	if (hard || call.has("-u --user --euid -U")) call.effect("kill-all");
	if (call.operands.some((word) => /^(\.\*?|\*|)$/.test(word))) call.effect("kill-all");
}

function systemctl(call: Call): void {
	const [verb = "status"] = call.operands;
	if (/^(status|show|list-.*|is-.*|cat|help|get-default|show-environment)$/.test(verb)) return;
	call.change("system");
	call.effect(
		/^(poweroff|reboot|halt|suspend|hibernate|kexec|emergency|rescue|exit)$/.test(verb)
			? "power-off"
			: "system-service",
	);
}

function crontab(call: Call): void {
	if (call.has("-l")) return;
	call.change("system");
	call.effect("system-service");
	if (call.has("-r")) call.effect("clear-history");
	for (const file of call.operands) call.play("read", file);
}

const formats: Program = {
	operands: "write",
	changes: ["system"],
	effects: ["format-disk"],
	options: { "-t --type -L --label -O -b -i -N": "text" },
};

export const system: Programs = {
	"ps top htop btop pgrep pidof pstree free vmstat iostat mpstat sar dmesg lscpu lsblk lsusb lspci lsmod blkid findmnt journalctl last lastlog getent finger sw_vers system_profiler vm_stat nvidia-smi sensors hostid lsb_release hostnamectl timedatectl localectl loginctl ip ipconfig ioreg powermetrics xinput xrandr acpi dmidecode inxi neofetch fastfetch screenfetch":
		{},
	kill: { also: kill },
	"pkill killall skill": {
		options: { "-s --signal -u --user --euid -U -g -G -P --parent -t --terminal -o -y": "text" },
		also: killByName,
	},
	fuser: {
		options: { "-n --namespace": "text" },
		when: { "-k --kill": { changes: ["system"] }, "-m --mount -M --ismountpoint": {} },
		also: (call) => {
			if (call.has("-k --kill") && call.has("-m --mount -M --ismountpoint")) call.effect("kill-all");
		},
	},
	xkill: { changes: ["system"] },
	systemctl: { options: { "-t --type --state -p --property -H -M -n": "text" }, also: systemctl },
	"service rc-service initctl launchctl sc": {
		also: (call) => {
			if (!call.operands.some((word) => /^(status|list|print|query)$/.test(word))) {
				call.change("system");
				call.effect("system-service");
			}
		},
	},
	crontab: { options: { "-u": "text" }, also: crontab },
	"shutdown reboot halt poweroff init telinit": { changes: ["system"], effects: ["power-off"] },
	"mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mkfs.exfat mkfs.f2fs mke2fs mkswap mkdosfs newfs wipefs fdisk sfdisk gdisk sgdisk cfdisk parted diskpart cryptsetup pvcreate vgremove lvremove pvremove zpool mdadm":
		{
			...formats,
			when: { "-l --list -n --no-act --version -V": { harmless: true, operands: "list" } },
		},
	diskutil: {
		also: (call) => {
			if (/^(erase|partition|reformat|zero|secureErase|delete)/i.test(call.operands[0] ?? ""))
				call.effect("format-disk");
			if (!/^(list|info|activity)$/.test(call.operands[0] ?? "list")) call.change("system");
		},
	},
	"mount umount losetup swapon swapoff fsck e2fsck resize2fs tune2fs hdparm blkdiscard eject": {
		also: (call) => {
			if (call.operands.length === 0 && !call.has("-a --all") && call.name !== "eject") return;
			if (call.has("--show -l --list --version -V -N -I")) return;
			call.change("system");
			call.effect("privilege");
			if (call.name === "blkdiscard") call.effect("device-write");
		},
	},
	"useradd userdel usermod groupadd groupdel groupmod adduser deluser passwd chpasswd chsh visudo vipw dscl": service,
	"iptables ip6tables nft ufw firewall-cmd sysctl modprobe insmod rmmod setenforce update-rc.d chkconfig update-alternatives ldconfig hwclock nmcli networksetup defaults scutil csrutil spctl setxkbmap swapctl":
		service,
	"logger wall write mesg notify-send say osd_cat": {},
	"xclip xsel pbcopy pbpaste wl-copy wl-paste": {},
	"del erase": { operands: "delete", effects: ["force-delete"] },
	rd: { operands: "delete", recursive: true, effects: ["recursive-delete"] },
	reg: { changes: ["system"] },
};
