// Wrappers: programs that run another command. Their own options are removed, and the rest is judged as a command.
import { isKnown, isOpen, quoteWord, UNKNOWN_VALUE } from "../text.ts";
import { afterDashes, wraps, wrapsAfter } from "./common-specs.ts";
import { runEscapes } from "./escapes.ts";
import { launchers } from "./launchers.ts";
import { abbreviating, type Call, type ProgramSpecs } from "./program-spec.ts";

/** Leading `NAME=value` words are assignments for the command. */
function withAssignments(call: Call, words: readonly string[], fallback: () => void): void {
	const at = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
	const assignments = at < 0 ? words : words.slice(0, at);
	const command = at < 0 ? [] : words.slice(at);
	if (command.length === 0) {
		fallback();
		return;
	}
	if (assignments.length === 0) {
		call.run(command);
		return;
	}
	const quoted = [
		...assignments.map((word) =>
			word.replace(/^([^=]*=)(.*)$/s, (_all, name: string, value: string) => name + quoteWord(value)),
		),
		...command.map(quoteWord),
	];
	call.script(quoted.join(" "));
}

/** `env`: assignments, then a command; `-S` splits one word into several. */
function environment(call: Call): void {
	const split = call.values("-S --split-string");
	for (const folder of call.values("-C --chdir")) call.changeDirectory(folder);
	if (split.length > 0) {
		call.script([...split, ...call.operands.map(quoteWord)].join(" "));
		return;
	}
	withAssignments(call, call.operands[0] === "-" ? call.operands.slice(1) : call.operands, () => {});
}

/** `sudo` and `doas`: the command may follow assignments. */
function privileged(call: Call): void {
	if (call.has("-l --list -v --validate -k --reset-timestamp -K --remove-timestamp -V --version -h --help")) return;
	call.effect("privilege");
	if (call.has("-e --edit") || call.name === "sudoedit") {
		for (const file of call.operands) call.applyRole("write", file);
		return;
	}
	const shell = call.has("-s --shell -i --login");
	if (shell && call.operands.length === 0) {
		call.script(call.stdin, { from: "input" });
		return;
	}
	withAssignments(call, call.operands, () => {});
}

/** `su user -c text`. */
function substituteUser(call: Call): void {
	call.effect("privilege");
	const texts = call.values("-c --command --session-command");
	for (const text of texts) call.script(text);
	if (texts.length === 0) call.script(call.stdin, { from: "input" });
}

/** `xargs`: the command's last arguments come from standard input. */
function argumentsFromInput(call: Call): void {
	const [replaced] = call.values("-I --replace -i -J");
	const command = call.operands.length > 0 ? call.operands : ["echo"];
	const lists = call.values("-a --arg-file");
	for (const file of lists) call.applyRole("read", file);
	const input = lists[0] === undefined ? call.stdin : (call.writtenContent(lists[0]) ?? UNKNOWN_VALUE);
	const isList = isKnown(input) && input.length < 20_000;
	const items = isList ? itemsOf(input, separatorOf(call, replaced !== undefined)) : piecesOf(input);
	// Without `-r`, GNU xargs runs the command once even for empty input.
	if (isList && items.length === 0 && call.has("-r --no-run-if-empty")) return;
	const perCall = replaced !== undefined || call.has("-n --max-args -L --max-lines -l");
	for (const group of perCall && items.length > 0 ? oneByOne(items) : [items])
		call.run(replaced === undefined ? [...command, ...group] : inserted(command, replaced, group.join(" ")), "");
}

/** More items than these are not run one by one: the rest counts as unknown. */
const MAX_RUNS = 200;

function oneByOne(items: readonly string[]): readonly (readonly string[])[] {
	const rest = items.length > MAX_RUNS ? [[UNKNOWN_VALUE]] : [];
	return [...items.slice(0, MAX_RUNS).map((item) => [item]), ...rest];
}

function inserted(command: readonly string[], replaced: string, text: string): readonly string[] {
	return command.map((word) => word.replaceAll(replaced === "" ? "{}" : replaced, text));
}

/** What separates the items that `xargs` reads. */
function separatorOf(call: Call, byLine: boolean): string | RegExp {
	if (call.has("-0 --null")) return "\0";
	if (call.has("-d --delimiter")) return call.values("-d --delimiter")[0] ?? "\n";
	return byLine ? "\n" : /\s+/;
}

function itemsOf(input: string, separator: string | RegExp): readonly string[] {
	return input
		.split(separator)
		.map((item) => item.replace(/^(['"])(.*)\1$/, "$2").trim())
		.filter((item) => item !== "");
}

/** Items of an input that is not fully known: search results, or one unknown item. */
function piecesOf(input: string): readonly string[] {
	const pieces = input.split(/\s+/).filter((piece) => piece !== "");
	return pieces.length > 0 && pieces.length <= 50 && !isOpen(input) ? pieces : [UNKNOWN_VALUE];
}

/** Commands that ssh and scp run on this machine because of a setting. */
export function runProxies(call: Call): void {
	for (const proxy of call.values("-o")) {
		const command = /^\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand)\s*[= ]\s*(.*)$/is.exec(proxy)?.[1];
		if (command !== undefined && command !== "none") call.script(command);
	}
}

const hostOptions = /^-[a-zA-Z]*[piloFEJLRDWbcemOQSwBI]$/;

/** The command after a host, without the options that may precede it. */
function afterHost(words: readonly string[]): readonly string[] {
	let at = 0;
	for (; /^-./.test(words[at] ?? ""); at++) {
		if (words[at] === "--") return words.slice(at + 1);
		if (hostOptions.test(words[at] ?? "")) at++;
	}
	return words.slice(at);
}

/** `ssh host command…`: the command is judged as run on another machine. */
function remoteShell(call: Call): void {
	if (call.has("-V -G -Q")) return;
	call.change("remote");
	const words = afterHost(call.operands.slice(1));
	runProxies(call);
	if (words.length > 0) call.script(words.join(" "), { where: "elsewhere" });
	else if (call.stdin !== "" && !call.has("-N -n")) call.script(call.stdin, { where: "elsewhere", from: "input" });
}

/** GNU `parallel`: a command line in words, with `{}` for items given after `:::` or on standard input. */
function parallel(call: Call): void {
	const at = call.operands.findIndex((word) => /^:::[:+]*$/.test(word));
	const command = at < 0 ? call.operands : call.operands.slice(0, at);
	const items =
		at < 0
			? [isOpen(call.stdin) ? UNKNOWN_VALUE : call.stdin.trim()]
			: call.operands.slice(at + 1).filter((word) => !/^:::/.test(word));
	const template = command.join(" ");
	if (call.has("--pipe --pipepart")) {
		call.script(template);
		return;
	}
	for (const item of items.slice(0, 100)) {
		// Items are quoted, whether they replace braces or are appended.
		const text = /\{[^{}\s]*\}/.test(template)
			? template.replace(/\{[./#%\d-]*\}/g, () => item)
			: `${template} ${/\s-\w*c$/.test(template) ? quoteWord(item) : item}`;
		call.script(text.trim());
	}
	if (items.length > 100) call.script(`${template} ${UNKNOWN_VALUE}`);
}

/** `flock` and `script`: a file, then a command as words or, after `-c`, as text. */
function commandOrText(call: Call): void {
	const [file, first, text] = call.operands;
	if (file !== undefined && !/^\d+$/.test(file)) call.applyRole(call.name === "script" ? "replace" : "make", file);
	for (const given of call.values("-c --command")) call.script(given);
	if (first === "-c" || first === "--command") call.script(text ?? "");
	else if (first !== undefined) call.run(call.operands.slice(1));
}

/** Commands and code given to a debugger; `--args` names the program it runs. */
function debug(call: Call): void {
	const texts = call.values("-ex -iex -eval-command --eval-command -o -O --one-line");
	for (const text of [...texts, ...(call.stdin === "" ? [] : [call.stdin])]) {
		runEscapes(call, "debugger", text);
		const code = /^\s*(?:py|python|script|pi|python-interactive|guile)\s+(.+)/s.exec(text)?.[1];
		if (code !== undefined) call.applyRole("code", code);
	}
	const at = call.args.findIndex((word) => /^--?args$|^--$/.test(word));
	if (at >= 0) call.run(call.args.slice(at + 1));
}

const looksAtTerminal = /^(ls|list-\w+|-ls|-V|display-message|show-options|has-session|info|capture-pane)$/;

/** Options of terminal multiplexers' subcommands that take a value. */
const paneOptions = /^-[a-zA-Z]*[scntexyFplr]$/;

/** `tmux new-session -d command`, `screen -dm command`, `tmux send-keys text`: commands run or typed in another terminal. */
function inTerminal(call: Call, words: readonly string[]): void {
	if (looksAtTerminal.test(call.args[0] ?? "")) return;
	call.unknown("program", call.text);
	const [verb = ""] = call.operands;
	const types = /^(send-keys|send|write|write-chars|stuff)$/.test(verb) || call.has("-X");
	let at = 0;
	while (call.name !== "screen" && /^-/.test(words[at] ?? "") && words[at] !== "--")
		at += paneOptions.test(words[at] ?? "") ? 2 : 1;
	if (words[at] === "--") at++;
	const [first, ...rest] = words.slice(at);
	if (first === undefined) return;
	if (types)
		call.script(
			words
				.slice(at)
				.filter((word) => !/^(Enter|C-m|KPEnter|stuff)$/.test(word))
				.join(" "),
		);
	else if (rest.length === 0) call.script(first);
	else call.run([first, ...rest]);
}

export const wrappers: ProgramSpecs = abbreviating({
	"nohup setsid unbuffer chronic catchsegv eatmydata fakeroot dbus-run-session dumb-init tini torsocks proxychains proxychains4 firejail valgrind heaptrack pidproxy systemd-inhibit fakechroot nocache noglob nocorrect coreutils linux32 linux64 i386 i486 i586 i686 x86_64 uname26 tsocks trickle nq tsp":
		wraps(),
	...launchers,
	nice: wraps("-n --adjustment"),
	ionice: wraps("-c --class -n --classdata -p --pid -P -u"),
	chrt: wrapsAfter(1, "-T -P -D -p"),
	"stdbuf gstdbuf": wraps("-i --input -o --output -e --error"),
	"time gtime": wraps("-f --format", { options: { "-o --output": "replace" } }),
	caffeinate: wraps("-t -w"),
	proot: wraps("-r -b -w -k -q -S -R"),
	"xvfb-run": wraps("-s --server-args -n --server-num -e --error-file -f --auth-file -w --wait -p --xauth-protocol"),
	rlwrap: wraps("-b -C -D -e -f -g -H -l -O -P -q -s -S -t -w"),
	ltrace: wraps("-e -p -s -a -A -D -F -l -n -u -x", { options: { "-o --output": "replace" } }),
	numactl: wraps("-m --membind -N --cpunodebind -C --physcpubind -i --interleave -p --preferred"),
	prlimit: wraps("-p --pid -o --output"),
	"systemd-run": wraps(
		"-p --property -u --unit -E --setenv -M --machine -H --host --slice --description --uid --gid --nice --on-calendar --on-active",
	),
	"timeout gtimeout": wrapsAfter(1, "-s --signal -k --kill-after"),
	taskset: wrapsAfter(1),
	chroot: wrapsAfter(1, "--userspec --groups"),
	env: {
		optionsFirst: true,
		options: { "-u --unset -C --chdir -S --split-string": "text" },
		custom: environment,
	},
	"sudo doas sudoedit": {
		optionsFirst: true,
		options: {
			"-u --user -g --group -p --prompt -C --close-from -h --host -r --role -t --type -T --command-timeout -U --other-user -R --chroot":
				"text",
			"-D --chdir": "directory",
		},
		custom: privileged,
	},
	"pkexec runuser gosu su-exec setpriv": {
		optionsFirst: true,
		options: { "-u --user -g --group -c --command --reuid --regid": "text" },
		effects: ["privilege"],
		custom: (call) => {
			for (const text of call.values("-c --command")) call.script(text);
			const own = /^(gosu|su-exec)$/.test(call.name) ? 1 : 0;
			if (call.operands.length > own) call.run(call.operands.slice(own));
		},
	},
	su: { options: { "-c --command --session-command -s --shell -g --group -G -w": "text" }, custom: substituteUser },
	xargs: {
		optionsFirst: true,
		options: {
			"-I -J -n --max-args -L --max-lines -P --max-procs -s --max-chars -d --delimiter -a --arg-file -E --process-slot-var":
				"text",
		},
		attached: "-i --replace -l -e --eof",
		custom: argumentsFromInput,
	},
	hub: { optionsFirst: true, custom: (call) => call.run(["git", ...call.args]) },
	parallel: {
		optionsFirst: true,
		options: {
			"-j --jobs --joblog --results --tmpdir --delay --timeout --retries -N -n -L --colsep -S --sshlogin --memfree --load --halt --tagstring":
				"text",
			"-a --arg-file": "read",
		},
		custom: parallel,
	},
	ssh: {
		optionsFirst: true,
		options: { "-i -F -E": "read", "-p -l -o -J -L -R -D -W -b -c -e -m -O -Q -S -w -B -I": "text" },
		custom: remoteShell,
	},
	watch: {
		optionsFirst: true,
		options: { "-n --interval -q --equexit": "text" },
		custom: (call) => call.script(call.operands.join(" ")),
	},
	entr: {
		optionsFirst: true,
		options: { "-E": "text" },
		custom: (call) => (call.has("-s") ? call.script(call.operands.join(" ")) : call.run(call.operands)),
	},
	hyperfine: {
		options: {
			"-w --warmup -r --runs -n --command-name -P -L --min-runs --max-runs -i --style": "text",
			"-p --prepare -c --cleanup -s --setup": "script",
			"--export-json --export-markdown --export-csv": "replace",
		},
		operands: "script",
	},
	"strace dtruss": wraps("-e --trace -p --attach -s --string-limit -a -S -u -E -P -I -b", {
		options: { "-o --output": "replace" },
	}),
	"gdb lldb": {
		dashes: "one",
		operands: { first: ["read"] },
		options: {
			"-ex -iex -eval-command --eval-command -o -O --one-line -p --pid -pid -arch": "text",
			"-x -ix -command --command -s --source": "run",
		},
		opaque: "script",
		custom: debug,
	},
	flock: {
		optionsFirst: true,
		options: { "-w --wait --timeout -E --conflict-exit-code -c --command": "text" },
		custom: commandOrText,
	},
	script: {
		optionsFirst: true,
		options: {
			"-c --command -E --echo -o --output-limit -m --logging-format": "text",
			"-T --log-timing -I --log-in -O --log-out -B --log-io": "replace",
		},
		custom: commandOrText,
	},
	"unshare nsenter": wraps("-t --target -S --setuid -G --setgid -R --root -w --wd --map-user --map-group", {
		effects: ["privilege"],
	}),
	bwrap: { opaque: "program" },
	"busybox toybox shx": wraps(),
	"at batch": {
		changes: ["system"],
		effects: ["system-service"],
		opaque: "script",
		options: { "-f": "run", "-q -t": "text" },
		custom: (call) => {
			if (call.stdin !== "" && !call.has("-f -l -r -d -c")) call.script(call.stdin, { from: "input" });
		},
	},
	direnv: {
		subcommands: {
			exec: wrapsAfter(1),
			"status version export hook stdlib help dump": {},
			"*": { changes: ["system"] },
		},
	},
	"dotenv dotenvx": {
		options: { "-e -f --env-file": "read" },
		optionsFirst: true,
		custom: (call) => {
			const own = call.operands[0] === "run" ? 1 : 0;
			call.run(afterDashes(call) ?? call.operands.slice(own));
		},
	},
	"concurrently npm-run-all run-p run-s": {
		opaque: "project",
		custom: (call) => {
			if (call.name === "concurrently") for (const text of call.operands) if (text.includes(" ")) call.script(text);
		},
	},
	"cross-env cross-env-shell": { optionsFirst: true, custom: (call) => withAssignments(call, call.operands, () => {}) },
	nodemon: { opaque: "project", options: { "-x --exec": "script", "-w --watch -e --ext -i --ignore": "text" } },
	tmux: {
		optionsFirst: true,
		options: { "-L -S -f -T": "text", "-c": "script" },
		custom: (call) => inTerminal(call, call.operands.slice(1)),
	},
	zellij: { optionsFirst: true, custom: (call) => inTerminal(call, call.operands.slice(1)) },
	screen: {
		optionsFirst: true,
		options: { "-S -t -c -e -h -p -s -T -X": "text" },
		custom: (call) => inTerminal(call, call.operands),
	},
});
