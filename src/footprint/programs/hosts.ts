// Programs that run a command on other machines. It is judged as if it ran here, but touches no files of this machine.

import { wraps } from "./common-specs.ts";
import type { Call, ProgramSpec, ProgramSpecs } from "./program-spec.ts";
import { runProxies } from "./wrappers.ts";

/** The words after a program's own options and `own` operands are one shell text, as with ssh. */
const onHosts = (values: string, own = 0): ProgramSpec => ({
	optionsFirst: true,
	changes: ["remote"],
	options: { [values]: "text" },
	custom(call) {
		const words = call.operands.slice(own);
		const text = (words[0] === "--" ? words.slice(1) : words).join(" ");
		if (text !== "") call.script(text, { where: "elsewhere" });
		else if (call.stdin !== "") call.script(call.stdin, { where: "elsewhere", from: "input" });
	},
});

/** Modules of ansible whose arguments are shell text; without a module it is `command`. */
const shellModules = /^(?:|expect|(?:ansible\.\w+\.)?(?:command|shell|raw|script|win_shell|win_command))$/;

/** `ansible hosts -m module -a arguments`. */
function ansible(call: Call): void {
	if (call.has("-b --become")) call.effect("privilege");
	const [module = ""] = call.values("-m --module-name");
	const isLocal =
		/^(?:localhost|127\.0\.0\.1)$/.test(call.operands[0] ?? "") || call.values("-c --connection").includes("local");
	for (const text of call.values("-a --args")) runAnsibleModule(call, module, text, isLocal ? "here" : "elsewhere");
	if (/^(?:.*\.)?(?:ping|setup|debug|stat|gather_facts)$/.test(module)) return;
	if (!isLocal) call.change("remote");
	call.unknown("program", call.text);
}

function runAnsibleModule(call: Call, module: string, text: string, where: "here" | "elsewhere"): void {
	if (shellModules.test(module))
		call.script(text.replace(/\b(?:chdir|creates|removes|executable|warn)=\S+\s*/g, ""), { where });
	else if (/(?:^|\.)file$/.test(module) && /\bstate=absent\b/.test(text))
		call.run(["rm", "-rf", /\b(?:path|dest|name)=(\S+)/.exec(text)?.[1] ?? ""], "", where);
	else if (/(?:^|\.)reboot$/.test(module)) call.run(["reboot"], "", where);
}

/** `salt target function arguments`. */
function salt(call: Call): void {
	const at = call.name === "salt" ? 1 : 0;
	const [verb = "", ...rest] = call.operands.slice(at);
	if (/^(?:test\.|grains\.(?:get|items|ls)|pillar\.(?:get|items)|sys\.)/.test(verb)) return;
	call.change("remote");
	if (/^cmd\.|^ssh\./.test(verb)) for (const text of rest.slice(0, 1)) call.script(text, { where: "elsewhere" });
	if (/^file\.remove$/.test(verb)) call.run(["rm", "-rf", ...rest], "", "elsewhere");
	if (/^system\.(?:reboot|poweroff|halt|shutdown)$/.test(verb)) call.run(["reboot"], "", "elsewhere");
	call.unknown("program", call.text);
}

export const hosts: ProgramSpecs = {
	ansible: {
		options: {
			"-m --module-name -a --args -i --inventory -u --user -e --extra-vars -l --limit -f --forks -t --tree -c --connection -T --timeout -B --background -P --poll --become-user --become-method -M --module-path --playbook-dir":
				"text",
			"--private-key --key-file --vault-password-file": "read",
		},
		custom: ansible,
		when: { "--version --list-hosts": { harmless: true } },
	},
	"salt salt-call salt-ssh": {
		options: { "-t --timeout -c --config-dir --out -b --batch-size --log-level -l": "text" },
		custom: salt,
	},
	"pssh parallel-ssh prsync mpssh": onHosts(
		"-h --hosts -H --host -l --user -p --par -o --outdir -e --errdir -t --timeout -O --option -x --extra-args -X --extra-arg",
	),
	"pdsh dsh clush cssh csshx gsh onall rpdcp tentakel": onHosts(
		"-w -x -l -f -t -u -R -M -g -G -X -m -F -r -o -O --remoteshellopt --machine --group --file --nodes --exclude --user --options --fanout",
	),
	"rsh remsh rexec": onHosts("-l -p -k", 1),
	et: onHosts("-c --command -p --port", 1),
	mosh: {
		optionsFirst: true,
		changes: ["remote"],
		options: { "-p --port --ssh --predict --family --server --client": "text" },
		custom(call) {
			for (const command of call.values("--ssh")) call.script(command);
			const words = call.operands.slice(1);
			const command = words[0] === "--" ? words.slice(1) : words;
			if (command.length > 0) call.run(command, "", "elsewhere");
		},
	},
	autossh: {
		optionsFirst: true,
		options: { "-M": "text" },
		custom: (call) => call.run(["ssh", ...call.args.slice(call.args[0] === "-M" ? 2 : 0)]),
	},
	sshpass: wraps("-p -f -d -P"),
	"tsh teleport boundary": {
		changes: ["remote"],
		opaque: "program",
		when: { "--version": { harmless: true } },
		custom(call) {
			const [verb, , ...words] = call.operands;
			if (verb === "ssh" && words.length > 0) call.script(words.join(" "), { where: "elsewhere" });
			runProxies(call);
		},
	},
	sops: {
		subcommands: {
			"exec-env exec-file": { operands: { first: ["read", "script"] } },
			"-d --decrypt decrypt": { operands: "read" },
			"*": { operands: "write", opaque: "program" },
		},
	},
};
