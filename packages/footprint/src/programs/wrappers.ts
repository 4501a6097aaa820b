// Wrappers: programs that run another command. Their own options are removed, and the rest is judged as a command. One that is not listed here
// is searched for a command among its words (`../shell/unlisted.ts`).
import { isKnown, isOpen, quoteWord, UNKNOWN_VALUE } from "../text.ts";
import { runEscapes } from "./escapes.ts";
import { describe } from "./notation.ts";
import type { Call } from "./program-spec.ts";

/** Leading `NAME=value` words are assignments for the command. */
function withAssignments(call: Call, words: readonly string[]): void {
	const at = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
	const assignments = at < 0 ? words : words.slice(0, at);
	const command = at < 0 ? [] : words.slice(at);
	if (command.length === 0) return;
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
	withAssignments(call, call.operands[0] === "-" ? call.operands.slice(1) : call.operands);
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
		runLogin(call);
		return;
	}
	withAssignments(call, call.operands);
}

/** `su user -c text`. */
function substituteUser(call: Call): void {
	call.effect("privilege");
	const texts = call.values("-c --command --session-command");
	for (const text of texts) call.script(text);
	if (texts.length === 0) runLogin(call);
}

/** A shell of another user, which reads its commands from standard input; without any it runs what that user has set. */
function runLogin(call: Call): void {
	if (call.stdin === "") call.unknown("program", call.text);
	else call.script(call.stdin, { from: "input" });
}

/** `xargs`: the command's last arguments come from standard input. */
function argumentsFromInput(call: Call): void {
	const [replaced] = call.values("-I --replace -i -J");
	const command = call.operands.length > 0 ? call.operands : ["echo"];
	const lists = call.values("-a --arg-file");
	for (const file of lists) call.applyRole("read", file);
	const input = lists[0] === undefined ? call.stdin : (call.content(lists[0]) ?? UNKNOWN_VALUE);
	const isList = isKnown(input) && input.length < 20_000;
	const items = isList ? splitInput(input, separatorOf(call, replaced !== undefined)) : inputPieces(input);
	// Without `-r`, GNU xargs runs the command once even for empty input.
	if (isList && items.length === 0 && call.has("-r --no-run-if-empty")) return;
	const perCall = replaced !== undefined || call.has("-n --max-args -L --max-lines -l");
	for (const group of perCall && items.length > 0 ? oneByOne(items) : [items])
		call.run(replaced === undefined ? [...command, ...group] : insertedWords(command, replaced, group.join(" ")), "");
}

/** More items than these are not run one by one: the rest counts as unknown. */
const MAX_RUNS = 200;

function oneByOne(items: readonly string[]): readonly (readonly string[])[] {
	const rest = items.length > MAX_RUNS ? [[UNKNOWN_VALUE]] : [];
	return [...items.slice(0, MAX_RUNS).map((item) => [item]), ...rest];
}

function insertedWords(command: readonly string[], replaced: string, text: string): readonly string[] {
	return command.map((word) => word.replaceAll(replaced === "" ? "{}" : replaced, text));
}

/** What separates the items that `xargs` reads. */
function separatorOf(call: Call, byLine: boolean): string | RegExp {
	if (call.has("-0 --null")) return "\0";
	if (call.has("-d --delimiter")) return call.values("-d --delimiter")[0] ?? "\n";
	return byLine ? "\n" : /\s+/;
}

function splitInput(input: string, separator: string | RegExp): readonly string[] {
	return input
		.split(separator)
		.map((item) => item.replace(/^(['"])(.*)\1$/, "$2").trim())
		.filter((item) => item !== "");
}

/** Items of an input that is not fully known: search results, or one unknown item. */
function inputPieces(input: string): readonly string[] {
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
	const [list] = call.values("-a --arg-file");
	const input = list === undefined ? call.stdin : (call.content(list) ?? UNKNOWN_VALUE);
	const items =
		at < 0
			? [isOpen(input) ? UNKNOWN_VALUE : input.trim()]
			: call.operands.slice(at + 1).filter((word) => !/^:::/.test(word));
	const template = command.join(" ");
	if (call.has("--pipe --pipepart --pipe-part")) {
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

/** Commands given to a debugger; `--args` names the program it runs. */
function debug(call: Call): void {
	const texts = call.values("-ex -iex -eval-command --eval-command -o -O --one-line");
	for (const text of [...texts, ...(call.stdin === "" ? [] : [call.stdin])]) runEscapes(call, "debugger", text);
	const at = call.args.findIndex((word) => /^--?args$|^--$/.test(word));
	if (at >= 0) call.run(call.args.slice(at + 1));
}

/** `pkexec command`, `gosu user command`, `runuser -c text`. */
function asUser(call: Call): void {
	for (const text of call.values("-c --command")) call.script(text);
	const own = /^(gosu|su-exec)$/.test(call.name) ? 1 : 0;
	if (call.operands.length > own) call.run(call.operands.slice(own));
	const [first] = call.operands.slice(own);
	const isShell = first === undefined || /^(?:.*\/)?(?:[bdzk]|tc|c|fi)?(?:a?sh)$/.test(first);
	if (isShell && call.operands.length <= own + 1 && !call.has("-c --command")) runLogin(call);
}

function hub(call: Call): void {
	call.run(["git", ...call.args]);
}

/** All words are one shell text. */
function words(call: Call): void {
	call.script(call.operands.join(" "));
}

/** `tmux new -d 'command'`, `screen -dm command`, `xterm -e command`: commands run or typed in another terminal. */
function inTerminal(call: Call): void {
	for (const text of call.args) if (/\s/.test(text.trim())) call.script(text);
	// A further command, or one in a format.
	if (call.args.some((text) => /;$|#\(/.test(text))) call.unknown("program", call.text);
	const at = call.args.findIndex((word, index) => index > 0 && call.isKnownProgram(word));
	if (at >= 0) call.run(call.args.slice(at));
}

function scheduled(call: Call): void {
	if (call.stdin !== "" && !call.has("-f -l -r -d -c")) call.script(call.stdin, { from: "input" });
}

export const wrappers = describe(
	`
nohup setsid fakeroot firejail valgrind linux64 busybox toybox shx | command first
nice | command first | -n --adjustment: text
ionice | command first | -c --class -n --classdata -p --pid -P -u: text | -p --pid > ~system
chrt | text command first | -T -P -D -p: text | -p --pid > ~system
taskset | text command first
cross-env | first @environment
stdbuf gstdbuf | command first | -i --input -o --output -e --error: text
time gtime | command first | -f --format: text | -o --output: replace
caffeinate | command first | -t -w: text
systemd-run | command first | -p --property -u --unit -E --setenv -M --machine -H --host --slice --description --uid --gid --nice \
		--on-calendar --on-active: text
timeout gtimeout | text command first | -s --signal -k --kill-after: text
chroot | ?program text command first | --userspec --groups: text
env | first @environment | -u --unset -C --chdir -S --split-string: text
sudo doas sudoedit | first @privileged | -u --user -g --group -p --prompt -C --close-from -h --host -r --role -t --type -T \
		--command-timeout -U --other-user: text | -R --chroot: load | -D --chdir: directory
pkexec runuser gosu su-exec setpriv | +privilege first @asUser | -u --user -g --group -c --command --reuid --regid: text
su | @substituteUser | -c --command --session-command -s --shell -g --group -G -w: text
xargs | first @argumentsFromInput \
		| -I -J -n --max-args -L --max-lines -P --max-procs -s --max-chars -d --delimiter -a --arg-file -E --process-slot-var: text \
		| -i --replace -l -e --eof ?
hub | first @hub
parallel | first @parallel | -j --jobs --joblog --results --tmpdir --delay --timeout --retries -N -n -L --colsep -S --sshlogin \
		--memfree --load --halt --tagstring: text | -a --arg-file: read
ssh | first @remoteShell | -i -F -E: read | -p -l -o -J -L -R -D -W -b -c -e -m -O -Q -S -w -B -I: text
mosh | first @remoteShell | --ssh: script | -p --port --predict --family --server --client: text
watch | first @words | -n --interval -q --equexit: text
strace dtruss ltrace | command first | -e --trace -p --attach -s --string-limit -a -S -u -E -P -I -b: text | -o --output: replace
gdb lldb | read ?script dash @debug | -ex -iex -eval-command --eval-command -o -O --one-line -p --pid -pid -arch: text \
		| -x -ix -command --command -s --source: run
flock | first @commandOrText | -w --wait --timeout -E --conflict-exit-code -c --command: text
script | first @commandOrText | -c --command -E --echo -o --output-limit -m --logging-format: text \
		| -T --log-timing -I --log-in -O --log-out -B --log-io: replace
unshare nsenter | command +privilege first | -t --target -S --setuid -G --setgid -w --wd --map-user --map-group: text | -R --root: load
at batch | ~system +system-service ?script @scheduled | -f: run | -q -t: text
nix-shell | ?project | --run --command: script | -p --packages -I -A: text
tmux screen xterm | @inTerminal
	ls list-sessions list-windows -ls display-message has-session info capture-pane
	* | ?program
`,
	{
		argumentsFromInput,
		asUser,
		commandOrText,
		debug,
		environment,
		hub,
		inTerminal,
		parallel,
		privileged,
		remoteShell,
		scheduled,
		substituteUser,
		words,
	},
	"abbreviating",
);
