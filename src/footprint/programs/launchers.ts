// Launchers: programs that run another one on another architecture, with limits, in a terminal, or with secrets in its environment.

import { afterDashes, wraps, wrapsAfter } from "./common-specs.ts";
import type { Call, ProgramSpecs } from "./program-spec.ts";

/** `xcrun tool args` runs a developer tool, unless an option only prints its path. */
function developerTool(call: Call): void {
	if (
		call.has("-f --find --show-sdk-path --show-sdk-version --show-sdk-build-version --show-sdk-platform-path --version")
	)
		return;
	if (call.operands[0] === "simctl") {
		if (!/^(list|get_app_container|getenv|listapps|spawn|help)$/.test(call.operands[1] ?? "list"))
			call.change("system");
		return;
	}
	if (call.operands.length > 0) call.run(call.operands);
}

/** `perf stat command`, `perf record command` run the command. */
function measured(call: Call): void {
	const [verb = "", ...command] = call.operands;
	if (/^(record|stat|trace|mem|c2c|lock|kmem|sched|ftrace)$/.test(verb)) {
		if (/^(record|mem|c2c|lock|kmem|sched)$/.test(verb))
			call.applyRole("replace", call.values("-o --output")[0] ?? "perf.data");
		if (command.length > 0) call.run(command);
	} else if (!/^(|list|report|annotate|script|top|diff|evlist|version|help|buildid-list)$/.test(verb))
		call.unknown("program", call.text);
}

/** `setarch x86_64 -R command`: options follow the architecture. */
function onArchitecture(call: Call): void {
	const words = call.operands.slice(1);
	const at = words.findIndex((word) => !word.startsWith("-"));
	if (at >= 0) call.run(words.slice(at));
}

/** Runs the words after `--`, or else those after the program's own operands. */
const behindDashes =
	(own: number) =>
	(call: Call): void => {
		const words = afterDashes(call) ?? call.operands.slice(own);
		if (words.length > 0) call.run(words);
	};

/** A terminal emulator: the command follows `-e` or `--`. */
function terminal(call: Call): void {
	const at = call.args.findIndex((word) => /^(-e|-x|--|--execute|start)$/.test(word));
	const words = at < 0 ? [] : call.args.slice(at + 1);
	const [only] = words;
	call.unknown("program", call.text);
	if (words.length === 1 && only !== undefined) call.script(only);
	else if (words.length > 1) call.run(words);
}

export const launchers: ProgramSpecs = {
	setarch: { optionsFirst: true, custom: onArchitecture },
	xcrun: {
		optionsFirst: true,
		options: { "--sdk -sdk --toolchain": "text" },
		flags: "-r --run -f --find",
		custom: developerTool,
	},
	cpulimit: {
		optionsFirst: true,
		options: { "-l --limit -p --pid -e --exe -P --path": "text" },
		custom: behindDashes(0),
	},
	faketime: {
		optionsFirst: true,
		options: { "-f": "text" },
		custom: (call) => void (call.operands.length > 1 && call.run(call.operands.slice(1))),
	},
	datefudge: wrapsAfter(1),
	"systemd-cat": wraps("-t --identifier -p --priority --stderr-priority"),
	run0: {
		...wraps("-u --user -g --group -D --chdir --nice --setenv --slice --unit --description --property"),
		effects: ["privilege"],
	},
	"chpst softlimit": wraps("-u -U -e -d -o -m -f -c -p -a -r -t -n -b"),
	"envdir setuidgid s6-setuidgid s6-envdir": wrapsAfter(1),
	cgexec: wraps("-g"),
	perf: { optionsFirst: true, options: { "-o --output -e --event -p --pid": "text" }, custom: measured },
	rr: { subcommands: { record: wraps("-o"), "ls dump ps traceinfo": {}, "*": { opaque: "program" } } },
	newgrp: { effects: ["privilege"], opaque: "program" },
	"start-stop-daemon": {
		optionsFirst: true,
		changes: ["system"],
		options: {
			"-x --exec -a --startas -p --pidfile -n --name -u --user -c --chuid -g --group -r --chroot -d --chdir -k --umask -s --signal -R --retry -N --nicelevel":
				"text",
		},
		custom(call) {
			const program = call.values("-a --startas -x --exec").at(-1);
			if (program !== undefined && !call.has("-K --stop -T --status")) call.run([program, ...call.operands]);
		},
	},
	"daemonize daemon fghack": wraps("-c -e -o -p -l -u -a -n --name --output --stdout --stderr --pidfile", {
		changes: ["system"],
	}),
	"gnome-terminal xterm uxterm konsole alacritty kitty wezterm foot xfce4-terminal terminator tilix urxvt st ghostty": {
		custom: terminal,
	},
	// These put secrets into the environment of a command.
	"doppler op infisical chamber aws-vault teller": {
		optionsFirst: true,
		custom: (call) => {
			if (!/^(run|exec)$/.test(call.operands[0] ?? "")) call.unknown("program", call.text);
			else behindDashes(2)(call);
		},
	},
	"nix-shell": { options: { "--run --command": "script", "-p --packages -I -A": "text" }, opaque: "project" },
};
