// Containers and orchestrators: what they list, start and remove.

import { afterDashes, changesUnless } from "./common-specs.ts";
import { mountsOf, runInContainer } from "./container-mounts.ts";
import type { Call, ProgramSpec, ProgramSpecs } from "./program-spec.ts";

const changes: ProgramSpec = { changes: ["containers"] };
const deletes: ProgramSpec = { changes: ["containers"], effects: ["delete-containers"] };

/** `docker run`: mounts folders and runs a command in the container. */
function runContainer(call: Call): void {
	call.change("containers");
	if (call.has("--privileged")) call.effect("privilege");
	if (isOpenToMachine(call)) call.effect("container-escape");
	const entry = call.values("--entrypoint")[0];
	const [, ...command] = call.operands;
	runInContainer(call, entry === undefined ? command : [entry, ...command]);
}

function execInContainer(call: Call): void {
	call.change("containers");
	const [, ...command] = call.operands;
	// `kubectl exec pod -c name -- command`: options may follow the pod.
	const dashes = call.operands.indexOf("--");
	const words = dashes > 0 && command[0]?.startsWith("-") ? call.operands.slice(dashes + 1) : command;
	const at = words[0] === "--" ? 1 : 0;
	if (words.length > at) call.run(words.slice(at), call.stdin, "elsewhere");
}

/** `docker cp`, `kubectl cp`. */
function copy(call: Call): void {
	const [from = "", to = ""] = call.operands;
	const inside = (word: string) => /^[^/.]+:/.test(word);
	if (!inside(from)) call.applyRole("read", from, { recursive: true });
	if (!inside(to)) call.access("write", to, { recursive: true, replaces: true });
	else call.change("containers");
}

const runOptions: ProgramSpec["options"] = {
	"-v --volume --mount -e --env -p --publish --name -w --workdir -u --user --network --net --entrypoint -h --hostname --platform -m --memory --cpus --gpus --device -l --label --restart --add-host --cap-add --cap-drop --security-opt --shm-size --tmpfs --ulimit --pull --log-driver --log-opt --link --dns --ipc --pid --userns --volumes-from --stop-signal --stop-timeout --expose --cgroup-parent --health-cmd":
		"text",
	"--env-file --label-file": "read",
	"--cidfile": "replace",
};

const composeSubcommands: { readonly [names: string]: ProgramSpec } = {
	"ps ls logs images top port version events stats volumes": {},
	"config convert": {
		options: { "-o --output": "replace", "--format --hash": "text" },
		when: { "--lock-image-digests": { changes: ["worktree"] } },
	},
	down: { ...changes, when: { "-v --volumes --rmi": { effects: ["delete-containers"] } } },
	rm: deletes,
	exec: { optionsFirst: true, options: { "-e --env -u --user -w --workdir --index": "text" }, custom: execInContainer },
	run: { optionsFirst: true, options: runOptions, custom: execInContainer },
	"*": changes,
};

const compose: ProgramSpec = {
	options: {
		"-f --file": "read",
		// Read into containers, not shown; `config` prints it.
		"--env-file": "text",
		"-p --project-name --profile --ansi --progress": "text",
		"--project-directory": "directory",
	},
	subcommands: composeSubcommands,
};

const dockerSubcommands: { readonly [names: string]: ProgramSpec } = {
	"ps images logs inspect info version top stats port diff history search events help": {},
	run: { optionsFirst: true, options: runOptions, custom: runContainer },
	create: { optionsFirst: true, options: runOptions, custom: runContainer },
	exec: {
		optionsFirst: true,
		options: { "-e --env -u --user -w --workdir --env-file": "text" },
		custom: execInContainer,
	},
	cp: { custom: copy },
	build: {
		custom: (call) => {
			for (const secret of call.values("--secret")) {
				const source = /(?:^|,)(?:source|src)=([^,]+)/.exec(secret)?.[1];
				if (source !== undefined) call.applyRole("read", source);
			}
		},
		changes: ["containers"],
		operands: "read",
		recursive: true,
		skips: ["ignored"],
		options: {
			"-f --file": "read",
			"-t --tag --build-arg --target --platform --progress --cache-from --cache-to --label --secret --ssh --network -o --output":
				"text",
			"--iidfile": "replace",
		},
	},
	buildx: {
		subcommands: {
			"ls du inspect version": {},
			imagetools: changesUnless("inspect", "containers"),
			"*": changes,
		},
	},
	"save export": { options: { "-o --output": "replace" } },
	"load import": { ...changes, options: { "-i --input": "read" } },
	"rm rmi": deletes,
	push: { changes: ["remote"], effects: ["publish"] },
	compose: compose,
	"system volume image container network builder pod machine artifact farm": {
		subcommands: {
			"ls list ps inspect df info events logs history top stats port diff": {},
			"prune rm rmi remove reset delete": deletes,
			"export save": { options: { "-o --output": "replace" } },
			cp: { custom: copy },
			run: { optionsFirst: true, options: runOptions, custom: runContainer },
			exec: { optionsFirst: true, options: { "-e --env -u --user -w --workdir": "text" }, custom: execInContainer },
			"*": changes,
		},
	},
	"context manifest plugin trust swarm node service stack secret config": {
		subcommands: { "ls list inspect show ps logs": {}, "rm remove prune": deletes, "*": changes },
	},
	"login logout": { changes: ["system"] },
	sandbox: { ...changes, subcommands: { run: { effects: ["nested-agent"] }, "ls inspect version": {}, "*": changes } },
	"*": changes,
};

const clusterChange: ProgramSpec = {
	changes: ["remote"],
	options: {
		"--from-file --from-env-file": "text",
		"-f --filename -k --kustomize": "read",
		"-n --namespace -l --selector -p --patch --type -o --output --context --cluster": "text",
	},
	when: { "--dry-run": { harmless: true } },
};

/** Mounts that give a container the machine: its root, its system folders, the socket that commands its containers. */
const openFolders = /^\/(?:etc|root|boot|dev|proc|sys|usr|bin|sbin|lib|var|home|run)?$/;
const openSockets = /(?:docker|podman|containerd)\.sock/;
/** The same of rights. */
const openRights = /^(?:host|all|sys_\w+|\/dev\/(?:sd|nvme|mem|kmem)\S*|(?:seccomp|apparmor)[=:]unconfined)$/i;

function isOpenToMachine(call: Call): boolean {
	return (
		call.has("--privileged") ||
		mountsOf(call).some(({ host }) => openFolders.test(host)) ||
		call.values("-v --volume --mount").some((mount) => openSockets.test(mount)) ||
		call.values("--cap-add --security-opt --pid --ipc --userns --device").some((right) => openRights.test(right))
	);
}

export const containers: ProgramSpecs = {
	"docker podman nerdctl": {
		options: { "-H --host --context -c --log-level -l": "text", "--config": "list" },
		subcommands: dockerSubcommands,
	},
	"docker-compose podman-compose": compose,
	"kubectl oc k": {
		options: {
			"-n --namespace --context --cluster --user -s --server --request-timeout -v": "text",
			"--kubeconfig": "read",
		},
		subcommands: {
			auth: { subcommands: { "can-i whoami": { operands: "text" }, "*": clusterChange } },
			kustomize: {
				operands: "list",
				options: {
					"-o --output": "replace",
					"-e --env --mount --network-name --helm-command --as-current-user": "text",
				},
				when: { "--enable-exec --enable-alpha-plugins --enable-helm": { opaque: "script" } },
			},
			"cluster-info": { options: { "--output-directory": "make", "-n --namespaces --namespace -o --output": "text" } },
			"get describe logs top explain api-resources api-versions version diff events wait options help completion": {
				options: {
					"-o --output -l --selector -n --namespace -c --container --tail --since --field-selector --sort-by -A --for --timeout --context":
						"text",
					"-f --filename -k": "read",
				},
			},
			config: changesUnless("view get-contexts current-context get-clusters get-users", "system"),
			delete: { ...clusterChange, effects: ["delete-infrastructure"] },
			drain: { ...clusterChange, effects: ["delete-infrastructure"] },
			exec: {
				optionsFirst: true,
				options: { "-n --namespace -c --container --context": "text" },
				custom: execInContainer,
			},
			cp: { custom: copy },
			"port-forward proxy attach": { changes: ["system"] },
			rollout: { subcommands: { "status history": {}, "*": { ...clusterChange, effects: ["deploy"] } } },
			"apply create replace patch set scale edit": {
				...clusterChange,
				effects: ["deploy"],
				custom: (call) => {
					for (const source of call.values("--from-file --from-env-file"))
						call.applyRole("read", source.replace(/^[^/=]*=/, ""));
				},
			},
			"*": clusterChange,
		},
	},
	helm: {
		options: { "-n --namespace --kube-context": "text", "--kubeconfig": "read" },
		subcommands: {
			"list ls status get history search show template lint version env help verify": {
				options: {
					"-f --values": "read",
					"--set -n --namespace -o --output --version --repo": "text",
					"--output-dir": "make",
					"--post-renderer": "script",
				},
			},
			"uninstall delete un": { changes: ["remote"], effects: ["delete-infrastructure"] },
			"install upgrade rollback": {
				changes: ["remote"],
				effects: ["deploy"],
				options: { "-f --values": "read", "--set -n --namespace --version": "text" },
				when: { "--dry-run": { harmless: true } },
			},
			"repo plugin dependency dep": changesUnless("list ls", "system"),
			push: { changes: ["remote"], effects: ["publish"] },
			"*": { changes: ["worktree"], changesIn: "operands" },
		},
	},
	"minikube kind k3d colima lima limactl vagrant": {
		subcommands: {
			"status list ls ip logs version get profile-list global-status ssh-config": {},
			"ssh shell": {
				...changes,
				optionsFirst: true,
				options: { "-c --command": "text" },
				custom: (call) => {
					for (const text of call.values("-c --command")) call.script(text, { where: "elsewhere" });
					const words = afterDashes(call) ?? call.operands.slice(call.name === "minikube" ? 0 : 1);
					// What follows goes to ssh, which may have options before the command.
					if (words[0]?.startsWith("-"))
						call.script(words.filter((word) => !word.startsWith("-")).join(" "), { where: "elsewhere" });
					else if (words.length > 0)
						call.run(
							words.filter((word) => word !== "--"),
							"",
							"elsewhere",
						);
				},
			},
			"delete destroy": deletes,
			"*": changes,
		},
	},
	"skaffold tilt okteto argocd flux istioctl": {
		subcommands: {
			"version get list diff status logs": {},
			"delete uninstall": { changes: ["remote"], effects: ["delete-infrastructure"] },
			"*": { changes: ["remote"], effects: ["deploy"] },
		},
	},
	"buildah skopeo crane": {
		subcommands: {
			"inspect images ls list-tags digest manifest config version": {},
			"rm rmi delete": deletes,
			"*": changes,
		},
	},
};
