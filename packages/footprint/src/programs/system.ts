// The machine: processes, services, users, schedules, power.
import { isBlank, isKnown } from "../text.ts";
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
	const any = call.operands.some((word) => /^(\.\*?|\*|)$/.test(word));
	if (hard || any || call.has("-u --user --euid -U")) call.effect("kill-all");
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
}

/** `service name verb` */
function manage(call: Call): void {
	if (call.has("--help --version --status-all") || /^(status|describe)$/.test(call.operands.at(-1) ?? "")) return;
	call.change("system");
	call.effect("system-service");
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
wall write logger | ~system
xclip pbcopy
say | -o --output-file: replace | -f --input-file: read | -v -r --voice --rate -n -a: text
del erase | delete* +force-delete
rd | delete* recursive +recursive-delete
fuser | @killUsers | -n --namespace: text
# Service managers change the machine, unless a verb only shows something.
service | @manage
launchctl sc supervisorctl pm2
	list print print-cache print-disabled blame status version query qc queryex logs log tail show describe info jlist help avail pid
	* | ~system +system-service
`,
	{ crontab, kill, killByName, killUsers, manage, systemctl },
	"abbreviating",
);
