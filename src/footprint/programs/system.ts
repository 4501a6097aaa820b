// The machine: processes, devices, services, users, schedules, power.
import { isBlank, isKnown } from "../text.ts";
import { abbreviating, type Call, type ProgramSpec, type ProgramSpecs } from "./program-spec.ts";

const service: ProgramSpec = { changes: ["system"], effects: ["system-service"] };

/** `kill`: process 1 and all processes (-1). */
function kill(call: Call): void {
	const words = call.args.filter((arg) => arg !== "--");
	// Signal 0 only asks whether a process is there.
	if (words[0] === "-0" || words.some((word) => /^-[lLt]$/.test(word))) return;
	call.change("system");
	const signal = words.find((word) => /^-(?:\d+|[A-Z]+\d*)$/i.test(word) || /^-s$/.test(word));
	const targets = words.filter((word) => word !== signal);
	if (targets.some((word) => word === "-1" || word === "1") || (signal === "-1" && targets.length === 0))
		call.effect("kill-all");
}

/** `pkill`, `killall`: all processes of a name, of any owner. */
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
	const [verb = "status", ...units] = call.operands;
	if (/^(status|show|list-.*|is-.*|cat|help|get-default|show-environment)$/.test(verb)) return;
	call.change("system");
	call.effect(
		/^(poweroff|reboot|soft-reboot|halt|suspend|hibernate|hybrid-sleep|suspend-then-hibernate|sleep|kexec|emergency|rescue|default|exit)$/.test(
			verb,
		) ||
			units.some((unit) =>
				/^(poweroff|reboot|halt|kexec|rescue|emergency|shutdown|suspend|hibernate)\.target$/.test(unit),
			)
			? "power-off"
			: "system-service",
	);
}

function crontab(call: Call): void {
	if (call.has("-l -T")) return;
	call.change("system");
	call.effect("system-service");
	if (call.has("-r")) call.effect("clear-history");
	for (const file of call.operands) if (file !== "-") call.applyRole("read", file);
	const text = call.operands.length === 0 ? call.stdin : call.content(call.operands[0] ?? "");
	for (const line of text?.split("\n").slice(0, 200) ?? []) {
		const command = /^\s*(?:@\w+|(?:[\d*,/A-Za-z-]+\s+){4}[\d*,/A-Za-z-]+)\s+(.+)/.exec(line)?.[1];
		if (command !== undefined) call.script(command);
	}
	if (text !== undefined && !isKnown(text)) call.unknown("script", call.text);
	if (text !== undefined && text !== "" && isBlank(text)) call.script(text);
}

/** `wl-paste --watch command…` */
function watchClipboard(call: Call): void {
	const [first] = call.values("-w --watch");
	if (first !== undefined) call.run([first, ...call.operands]);
}

/** Service managers, by their verb: whether it only shows something. */
const manages = (verb: (call: Call) => string, looks: RegExp): ProgramSpec => ({
	custom(call) {
		if (call.has("--help --version --status-all") || looks.test(verb(call))) return;
		call.change("system");
		call.effect("system-service");
	},
});
const firstVerb = (call: Call) => call.operands[0] ?? "";
const lastVerb = (call: Call) => call.operands.at(-1) ?? "";

export const system: ProgramSpecs = abbreviating({
	kill: { custom: kill },
	"pkill killall skill": {
		options: { "-s --signal -u --user --euid -U -g -G -P --parent -t --terminal -o -y": "text" },
		custom: killByName,
	},
	fuser: {
		options: { "-n --namespace": "text" },
		when: { "-k --kill": { changes: ["system"] }, "-m --mount -M --ismountpoint": {} },
		custom: (call) => {
			if (call.has("-k --kill") && call.has("-m --mount -M --ismountpoint")) call.effect("kill-all");
		},
	},
	xkill: { changes: ["system"] },
	systemctl: { options: { "-t --type --state -p --property -H -M -n": "text" }, custom: systemctl },
	"service rc-service": manages(lastVerb, /^(status|describe)$/),
	"initctl rc-status": manages(firstVerb, /^(status|list|version|)$/),
	rc: manages(firstVerb, /^(|status)$/),
	launchctl: manages(
		firstVerb,
		/^(list|print|print-cache|print-disabled|blame|dumpstate|getenv|managerpid|manageruid|managername|hostinfo|resolveport|procinfo|error|help|version|)$/,
	),
	sc: manages(firstVerb, /^(query|queryex|qc|qdescription|enumdepend|getdisplayname|sdshow)$/i),
	"supervisorctl pm2 monit": manages(
		firstVerb,
		/^(status|avail|pid|tail|version|help|list|ls|l|logs|log|show|describe|info|prettylist|jlist|monit|summary|report|)$/,
	),
	crontab: { options: { "-u": "text" }, custom: crontab },
	"shutdown reboot halt poweroff init telinit kexec pm-suspend pm-hibernate": {
		changes: ["system"],
		effects: ["power-off"],
	},
	"userdel deluser": {
		...service,
		options: { "--backup-to -R --root -P --prefix": "text" },
		// Deletes the user's home directory too.
		when: { "-r --remove --remove-home --remove-all-files": { effects: ["recursive-delete"] } },
	},
	"useradd usermod groupadd groupdel groupmod adduser addgroup delgroup chpasswd chsh chfn vipw vigr visudo gpasswd":
		service,
	passwd: { ...service, when: { "-S --status": { harmless: true } } },
	"wall write mesg": { changes: ["system"] },
	"logger notify-send osd_cat": {},
	say: { options: { "-o --output-file": "replace", "-f --input-file": "read", "-v -r --voice --rate -n -a": "text" } },
	"xclip xsel pbcopy pbpaste wl-copy": {},
	"wl-paste": {
		optionsFirst: true,
		options: { "-w --watch": "text", "-t --type -s --seat": "text" },
		custom: watchClipboard,
	},
	"del erase": { operands: "delete", effects: ["force-delete"] },
	rd: { operands: "delete", recursive: true, effects: ["recursive-delete"] },
});
