// Programs that run a command on other machines. It is judged as if it ran here, but touches no files of this machine.
import { describe } from "./notation.ts";
import type { Call } from "./program-spec.ts";

/** Modules of ansible whose arguments are shell text; without a module it is `command`. */
const shellModules = /^(?:|expect|(?:ansible\.\w+\.)?(?:command|shell|raw|script|win_shell|win_command))$/;

/** `ansible hosts -m module -a arguments`. */
function ansible(call: Call): void {
	if (call.has("-b --become")) call.effect("privilege");
	const [module = ""] = call.values("-m --module-name");
	const isLocal =
		/^(?:localhost|127\.0\.0\.1)$/.test(call.operands[0] ?? "") || call.values("-c --connection").includes("local");
	if (shellModules.test(module))
		for (const text of call.values("-a --args"))
			call.script(text.replace(/\b(?:chdir|creates|removes|executable|warn)=\S+\s*/g, ""), {
				where: isLocal ? "here" : "elsewhere",
			});
	if (/^(?:.*\.)?(?:ping|setup|debug|stat|gather_facts)$/.test(module)) return;
	if (!isLocal) call.change("remote");
	call.unknown("program", call.text);
}

/** The words after a program's own options are one shell text, as with ssh. */
function onHosts(call: Call): void {
	const words = call.operands[0] === "--" ? call.operands.slice(1) : call.operands;
	if (words.length > 0) call.script(words.join(" "), { where: "elsewhere" });
	else if (call.stdin !== "") call.script(call.stdin, { where: "elsewhere", from: "input" });
}

export const hosts = describe(
	`
ansible | @ansible | -m --module-name -a --args -i --inventory -u --user -e --extra-vars -l --limit -f --forks -t --tree -c \
		--connection -T --timeout -B --background -P --poll --become-user --become-method -M --module-path --playbook-dir: text \
		| --private-key --key-file --vault-password-file: read | --version --list-hosts > harmless
pssh parallel-ssh pdsh dsh clush | ~remote first @onHosts | -h --hosts -H --host -l --user -p --par -o --outdir -e --errdir -t --timeout \
		-O --option -x --extra-args -X --extra-arg -w -f -u -R -M -g -G -m -F -r --machine --group --file --nodes --exclude: text
sshpass | command first | -p -f -d -P: text
sops
	exec-env exec-file | read script
	-d --decrypt decrypt | read*
	* | write* ?program
`,
	{ ansible, onHosts },
);
