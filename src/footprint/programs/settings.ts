// Programs that show or set the machine's state: clocks, names, networks, displays, preferences.
// S1 a program only shows something with the words listed for it; any other words change the machine.
import { abbreviating, type Call, type ProgramSpec, type ProgramSpecs } from "./program-spec.ts";

const help = "-h --help --version";

/** A program that changes the machine unless `looks` holds. */
function shows(looks: (call: Call) => boolean, more: ProgramSpec = {}): ProgramSpec {
	return {
		...more,
		custom(call) {
			if (call.has(help) || looks(call)) return;
			call.change("system");
			call.effect("system-service");
		},
	};
}

/** Judged by the first operand, which is empty without operands. */
const byVerb = (verbs: RegExp, values = ""): ProgramSpec =>
	shows((call) => verbs.test(call.operands[0] ?? ""), values === "" ? {} : { options: { [values]: "text" } });

/** Judged by the first argument, options included. */
const byFirst = (words: RegExp, more: ProgramSpec = {}): ProgramSpec =>
	shows((call) => words.test(call.args[0] ?? ""), more);

/** Only shows something if every argument matches. */
const byAll = (words: RegExp, more: ProgramSpec = {}): ProgramSpec =>
	shows((call) => call.args.every((word) => words.test(word)), more);

/** Only shows something, except with these options. */
const but = (setting: string, more: ProgramSpec = {}): ProgramSpec => ({
	...more,
	when: { ...more.when, [setting]: { changes: ["system"], effects: ["system-service"] } },
});

const controlOptions = "-H --host -M --machine -p --property -n --lines -o --output -s --signal";

/** `journalctl` reads the journal or shortens it. */
const journal: ProgramSpec = {
	options: {
		"-n --lines -o --output -S --since -U --until -u --unit --user-unit -t --identifier -p --priority -g --grep -c --cursor --after-cursor -M --machine -F --field --facility --output-fields --interval --verify-key --namespace -T --exclude-identifier":
			"text",
		"-D --directory --file --root --image": "list",
		"--cursor-file": "write",
	},
	attached: "-b --boot --case-sensitive",
	when: {
		"--vacuum-size --vacuum-time --vacuum-files": { changes: ["system"], effects: ["clear-history"] },
		"--rotate --flush --sync --relinquish-var --smart-relinquish-var --setup-keys --update-catalog": {
			changes: ["system"],
		},
	},
};

/** `date` sets the clock if an operand is no format (GNU, BSD and busybox). */
function clock(call: Call): void {
	if (call.has("-s --set")) call.change("system");
	if (call.has("-j -d --date -r --reference")) return;
	if (call.operands.some((word) => !word.startsWith("+"))) call.change("system");
}

const ipLooks = /^(s|sh|sho|show|l|ls|lst|li|lis|list|g|ge|get|help|identify|pids|stats|save|dump)$/;

/** `ip l s eth0 mtu 9000`: `s` is `set` for links, `show` for others. */
function setsLink(rest: readonly string[]): boolean {
	return (
		rest.some((word) =>
			/^(up|down|mtu|address|name|master|nomaster|netns|alias|txqueuelen|arp|multicast|promisc|type|xdp|vf|group)$/.test(
				word,
			),
		) && rest.length > 1
	);
}

/** `ip object verb`: the default verb is `show`; verbs may be abbreviated. */
function network(call: Call): void {
	const [object = "", verb = "show", ...rest] = call.operands;
	if (/^(netns|vrf)$/.test(object) && /^ex/.test(verb)) {
		call.effect("privilege");
		const command = call.has("-a -all") ? rest : rest.slice(1);
		if (command.length > 0) call.run(command);
		return;
	}
	if (/^(|help|mo|mon|moni|monit|monito|monitor)$/.test(object)) {
		if (call.has("-b -batch -force")) call.unknown("script", call.text);
		return;
	}
	if (ipLooks.test(verb) && !setsLink(rest) && !call.has("-b -batch")) return;
	call.change("system");
	call.effect("system-service");
}

/** `ifconfig eth0` shows, `ifconfig eth0 down` sets. */
const interfaces = shows((call) => call.operands.length <= 1);

const nvidiaLooks =
	/^(-L|-q|-x|-u|-i|-l|-lms|-d|-f|-B|--(list-gpus|list-blocked-gpus|query|query-.*|help-query.*|format|xml-format|unit|id|loop|loop-ms|display|dtd|filename|list-excluded-gpus)(=.*)?|dmon|pmon|topo|nvlink|[\w.,:-]+)$/;
const nvidiaSets = /^(-(pm|e|p|c|r|vm|gom|ac|rac|pl|lgc|rgc|lmc|rmc|am|caa|acp|cc|mig|cgi|dgi)|drain|--gpu-reset.*)$/;

/** Settings of the kernel: `sysctl name` shows, `name=value` sets. */
const kernel = shows(
	(call) => !call.has("-w --write -p --load --system -f") && !call.args.some((word) => word.includes("=")),
);

/** `update-alternatives`: options that only show something. */
const alternatives = shows((call) => call.has("--list --display --query --get-selections"));

const firewall = shows(
	(call) => call.has("-L --list -S --list-rules -C --check -V") && !call.has("-F --flush -Z --zero -D --delete -X"),
);

export const settings: ProgramSpecs = {
	...abbreviating({
		"ps top htop btop pgrep pidof pstree free vmstat mpstat iostat lscpu lsblk lsusb lspci lsmod findmnt last lastb getent finger sw_vers system_profiler vm_stat hostid lsb_release ioreg powermetrics acpi neofetch screenfetch inxi":
			{},
		sar: { options: { "-o": "replace", "-f": "read" } },
		dmesg: but("-C --clear -c --read-clear -n --console-level -D --console-off -E --console-on", {
			options: {
				"-F --file": "read",
				"-l --level -f --facility -s --buffer-size --since --until --time-format": "text",
			},
			attached: "-L --color",
			when: { "-C --clear -c --read-clear": { effects: ["clear-history"] } },
		}),
		lastlog: but("-C --clear -S --set", { options: { "-b --before -t --time -u --user -R --root": "text" } }),
		blkid: but("-g --garbage-collect", { options: { "-s -o -t -L -U -c -n -u -p -S -O": "text" } }),
		sensors: but("-s --set", { options: { "-c --config-file": "read" } }),
		dmidecode: {
			options: { "--dump-bin": "replace", "--from-dump -d --dev-mem": "read", "-s -t --string --type": "text" },
		},
		fastfetch: { when: { "--gen-config --gen-config-force": { changes: ["worktree"] } } },
		journalctl: journal,
		hostnamectl: shows(
			(call) =>
				call.operands.length < 2 &&
				/^(|status|hostname|icon-name|chassis|deployment|location)$/.test(call.operands[0] ?? ""),
		),
		timedatectl: byVerb(/^(|status|show|show-timesync|timesync-status|list-timezones)$/, controlOptions),
		localectl: byVerb(/^(|status|list-.*)$/, controlOptions),
		loginctl: byVerb(
			/^(|list-sessions|session-status|show-session|list-users|user-status|show-user|list-seats|seat-status|show-seat)$/,
			controlOptions,
		),
		machinectl: shows(
			(call) => {
				const [verb = "", ...words] = call.operands;
				if (/^(shell|login)$/.test(verb) && words.length > 1) call.run(words.slice(1));
				return /^(|list|list-.*|status|show|show-.*|image-status|show-image)$/.test(verb);
			},
			{ optionsFirst: true, options: { [controlOptions]: "text", "-E --setenv --uid": "text" } },
		),
		"networkctl resolvectl bootctl coredumpctl busctl userdbctl": byVerb(
			/^(|list|list-.*|status|query|service|statistics|dns|domain|is-.*|info|tree|introspect|show|show-.*|user|group)$/,
			controlOptions,
		),
		"systemd-analyze": { operands: "text" },
		date: {
			options: {
				"-d --date -s --set -v -z -D": "text",
				"-f --file": "text",
				"-r --reference": "text",
			},
			attached: "-I --iso-8601",
			custom: clock,
		},
		hostname: shows((call) => call.operands.length === 0 && !call.has("-F --file -b --boot")),
		uname: but("-S"),
		hwclock: shows(
			(call) =>
				call.args.length === 0 ||
				(call.has("-r --show --get --verbose -D") && !call.has("-w -s --systohc --hctosys --set")),
		),
		ldconfig: shows((call) => call.has("-p --print-cache")),
		"modprobe insmod rmmod": shows((call) =>
			call.has("-n --dry-run --show-depends -c --showconfig -D -R --resolve-alias"),
		),
		"setenforce chkconfig update-rc.d": shows((call) => call.has("--list")),
		"update-alternatives alternatives": alternatives,
		"iptables ip6tables ebtables arptables": firewall,
		"firewall-cmd": shows((call) => call.args.some((word) => /^--(state|list-|get-|query-|info-)/.test(word))),
	}),
	ip: {
		dashes: "one",
		options: { "-f -family -n -netns -rc -rcvbuf -l -loops -b -batch": "text" },
		custom: network,
	},
	"ifconfig route": interfaces,
	arp: shows((call) => !call.has("-d --delete -s --set -f --file"), { options: { "-i --device": "text" } }),
	ss: but("-K --kill", { options: { "-f --family -A --query -F --filter -N --net": "text", "-D --diag": "replace" } }),
	netstat: {},
	ipconfig: byFirst(
		/^(|\/all|\/displaydns|\/\?|getifaddr|getoption|getpacket|getv6packet|getra|getsummary|getiflist|ifcount|waitall)$/,
	),
	nft: byVerb(/^(|list|describe|monitor)$/),
	ufw: byVerb(/^(|status|show|version)$/),
	nmcli: shows(
		(call) => {
			const [object = "", verb = ""] = call.operands;
			return /^m/.test(object) ||
				(/^(|s|sh|show|st|status|l|list|g|get|w|wifi|permissions|logging|hostname|help)$/.test(verb) &&
					call.operands.length < 5)
				? !/^(networking|n|radio|r)$/.test(object) || call.operands.length < 3
				: false;
		},
		{ options: { "-t -f --fields -m --mode -c --colors -g --get-values -w --wait": "text" } },
	),
	sysctl: kernel,
	"nvidia-smi": shows((call) => call.args.every((word) => nvidiaLooks.test(word) && !nvidiaSets.test(word)), {
		dashes: "one",
		options: { "-f --filename": "replace" },
	}),
	xrandr: byAll(
		/^(-q|--query|--current|--prop|--properties|--verbose|--listmonitors|--listactivemonitors|--listproviders|-v)$/,
	),
	xinput: byFirst(/^(|list|--list|query-state|list-props|--list-props|--version|test|test-xi2)$/),
	setxkbmap: shows((call) => call.has("-print -query"), { dashes: "one" }),
	xset: byFirst(/^(q|-q)$/),
	// macOS
	defaults: byVerb(/^(|read|read-type|domains|find|help)$/, "-host"),
	scutil: byFirst(/^(--dns|--proxy|--nwi|--get|-r|-w)$/),
	networksetup: byFirst(/^-(get|list|print|show|is|help|version)/),
	systemsetup: byFirst(/^-(get|list|print|help|version)/),
	pmset: byFirst(/^-g$/),
	nvram: shows((call) => !call.args.some((word) => /^-[dcf]$|=/.test(word))),
	csrutil: byVerb(/^(|status|report)$/),
	spctl: shows((call) => call.has("--status -a --assess")),
	dscl: shows((call) => call.args.some((word) => /^-?(read|list|search|readall|readpl)$/.test(word))),
	dscacheutil: shows((call) => call.has("-q -cachedump -configuration -statistics"), { dashes: "one" }),
	"xcode-select": byFirst(/^(-p|--print-path|-v|--version)$/),
	softwareupdate: shows((call) => call.has("-l --list --history --list-full-installers")),
	mas: byVerb(/^(|list|search|outdated|info|version|account)$/),
	profiles: byVerb(/^(list|show|status|help)$/),
	// Windows
	reg: byVerb(/^(query|compare|export)$/i),
};
