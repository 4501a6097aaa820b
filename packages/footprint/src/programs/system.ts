// The machine: processes, services, users, schedules, power.
import { isBlank, isKnown, PROCESS_IDS } from "../text.ts";
import { describe } from "./notation.ts";
import type { Call } from "./program-spec.ts";

/** `kill`: process 1 and all processes (-1). */
function kill(call: Call): void {
	const words = call.args.filter((arg) => arg !== "--");
	// Signal 0 only asks whether a process is there.
	if (words[0] === "-0" || words.some((word) => /^-[lLt]$/.test(word))) return;
	call.change("system");
	const signal = words.find((word) => /^-(?:\d+|[A-Z]+\d*)$/i.test(word) || /^-s$/.test(word));
	const targets = words.filter((word) => word !== signal);
	if (targets.some((word) => word.includes(PROCESS_IDS))) call.effect("end-programs");
	if (targets.some((word) => word === "-1" || word === "1") || (signal === "-1" && targets.length === 0))
		call.effect("kill-all");
}

/** `pkill`, `killall`: all processes of a name, of any owner; `-f` selects by command line, unless it names what runs any. */
function killByName(call: Call): void {
	if (call.has("-l --list")) return;
	call.change("system");
	const options = ` ${call.args.filter((word) => !call.operands.includes(word)).join(" ")} `;
	const hard = / -(?:s ?|-signal[= ])?(?:SIG)?(?:9|KILL) /i.test(options);
	const owned = / -(?!hup|usr|quit)(?:[a-z]*u|U(?!SR)|-user|-euid)/.test(options);
	if (hard || owned || call.operands.some((word) => /^(\.\*?|\*|)$/.test(word))) call.effect("kill-all");
	const named = ` ${call.operands.join(" ")} `;
	const byLine = call.has("-f --full") && !/ (node|deno|bun|python\d*|ruby|php|java|\w*sh|code) /.test(named);
	if (!byLine && !gentle.test(options)) call.effect("end-programs");
}

/** Signals that end no program: they ask whether it is there, stop it for a while, or make it read its settings again. */
const gentle = / -(?:s ?|-signal[= ])?(?:SIG)?(?:0|HUP|USR[12]|CONT|STOP|TSTP|WINCH|INFO) /i;

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
	call.effect("system-service", "change-what-runs");
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

/** `fuser -k`: the processes that use a file, or with `-m` a whole file system. */
function killUsers(call: Call): void {
	if (!call.has("-k --kill")) return;
	call.change("system");
	if (call.has("-m --mount -M --ismountpoint")) call.effect("kill-all");
	// What listens on a port is one program.
	if (!call.operands.every((word) => /^\d+(?:\/(?:tcp|udp))?$/.test(word))) call.effect("end-programs");
}

export const system = describe(
	`
kill | @kill
pkill killall skill | @killByName | -s --signal -u --user --euid -U -g -G -P --parent -t --terminal -o -y: text
systemctl | @systemctl | -t --type --state -p --property -H -M -n: text
crontab | @crontab | -u: text
shutdown reboot halt poweroff init telinit | ~system +power-off
userdel deluser | ~system +system-service | --backup-to -R --root -P --prefix: text \
		| -r --remove --remove-home --remove-all-files > +recursive-delete
useradd usermod groupadd groupdel adduser chpasswd chsh visudo gpasswd | ~system +system-service
passwd | ~system +system-service | -S --status > harmless
killall5 | ~system +kill-all
wall write logger | ~system | -f --file: read
say | -o --output-file: replace | -f --input-file: read | -v -r --voice --rate -n -a: text
del erase | delete* +force-delete
rd | delete* recursive +recursive-delete
fuser | @killUsers | -n --namespace: text
`,
	{ crontab, kill, killByName, killUsers, systemctl },
	"abbreviating",
);
