// Containers and orchestrators: what they list, start and remove.
import { mountsOf, runInContainer } from "./container-mounts.ts";
import { describe } from "./notation.ts";
import { afterDashes, type Call } from "./program-spec.ts";

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

function readSecrets(call: Call): void {
	for (const secret of call.values("--secret")) {
		const source = /(?:^|,)(?:source|src)=([^,]+)/.exec(secret)?.[1];
		if (source !== undefined) call.applyRole("read", source);
	}
}

function readSources(call: Call): void {
	for (const source of call.values("--from-file --from-env-file"))
		call.applyRole("read", source.replace(/^[^/=]*=/, ""));
}

/** `minikube ssh -- command`, `vagrant ssh -c text`, `limactl shell name command`. */
function changeMachine(call: Call): void {
	for (const text of call.values("-c --command")) call.script(text, { where: "elsewhere" });
	const given = afterDashes(call) ?? call.operands.slice(call.name === "minikube" ? 0 : 1);
	const words = given.filter((word) => word !== "--");
	// What follows goes to ssh, which may have options before the command.
	if (words[0]?.startsWith("-"))
		call.script(words.filter((word) => !word.startsWith("-")).join(" "), { where: "elsewhere" });
	else if (words.length > 0) call.run(words, "", "elsewhere");
}

export const containers = describe(
	`
$runs | first | -v --volume --mount -e --env -p --publish --name -w --workdir -u --user --network --net --entrypoint -h --hostname \
		--platform -m --memory --cpus --gpus --device -l --label --restart --add-host --cap-add --cap-drop --security-opt --shm-size \
		--tmpfs --ulimit --pull --log-driver --log-opt --link --dns --ipc --pid --userns --volumes-from --stop-signal --stop-timeout \
		--expose --cgroup-parent --health-cmd: text | --env-file --label-file: read | --cidfile: replace
$cluster | ~remote | --from-file --from-env-file: text | -f --filename -k --kustomize: read \
		| -n --namespace -l --selector -p --patch --type -o --output --context --cluster: text | --dry-run > harmless
$compose | -f --file: read | --env-file: text | -p --project-name --profile --ansi --progress: text | --project-directory: directory
	ps ls logs images top port version events stats volumes
	config convert | -o --output: replace | --format --hash: text | --lock-image-digests > ~worktree
	down | ~containers | -v --volumes --rmi > +delete-containers
	rm | ~containers +delete-containers
	exec | first @execInContainer | -e --env -u --user -w --workdir --index: text
	run | =runs @execInContainer
	* | ~containers
$objects
	ls list ps inspect show df info events logs history top stats port diff
	prune rm rmi remove reset delete | ~containers +delete-containers
	export save | -o --output: replace
	cp | @copy
	run create | =runs @runContainer
	exec | first @execInContainer | -e --env --env-file -u --user -w --workdir: text
	* | ~containers
docker podman nerdctl | -H --host --context -c --log-level -l: text | --config: load | =objects
	images version search help
	build | read* recursive skips:ignored ~containers @readSecrets | -f --file: read | -t --tag --build-arg --target --platform \
			--progress --cache-from --cache-to --label --secret --ssh --network -o --output: text | --iidfile: replace
	buildx
		imagetools
			inspect
		* | ~containers
	load import | ~containers | -i --input: read
	push | ~remote +publish
	compose | =compose
	system volume image container network builder pod machine artifact farm context manifest plugin trust swarm node service stack secret \
			config | =objects
	sandbox | ~containers
		run | +nested-agent
docker-compose podman-compose | =compose
kubectl oc k | -n --namespace --context --cluster --user -s --server --request-timeout -v: text | --kubeconfig: load
	auth
		can-i whoami | text*
		* | =cluster
	kustomize | list* | -o --output: replace | -e --env --mount --network-name --helm-command --as-current-user: text \
			| --enable-exec --enable-alpha-plugins --enable-helm > ?script
	cluster-info | --output-directory: make | -n --namespaces --namespace -o --output: text
	get describe logs top explain api-resources api-versions version diff events wait options help completion | -o --output -l \
			--selector -n --namespace -c --container --tail --since --field-selector --sort-by -A --for --timeout --context: text \
			| -f --filename -k: read
	config
		view get-contexts current-context get-clusters get-users
		* | ~system
	delete drain | =cluster +delete-infrastructure
	exec | first @execInContainer | -n --namespace -c --container --context: text
	cp | @copy
	port-forward proxy attach | ~system
	rollout
		status history
		* | =cluster +deploy
	apply create replace patch set scale edit | =cluster +deploy @readSources
	* | =cluster
helm | -n --namespace --kube-context: text | --kubeconfig: load
	list ls status get history search show template lint version env help verify | -f --values: read \
			| --set -n --namespace -o --output --version --repo: text | --output-dir: make | --post-renderer: script
	uninstall delete un | ~remote +delete-infrastructure | --dry-run > harmless
	install upgrade rollback | ~remote +deploy | -f --values: read | --set -n --namespace --version: text | --dry-run > harmless
	repo plugin dependency dep
		list ls
		* | ~system
	push | ~remote +publish
minikube kind k3d lima vagrant
	ssh shell | ~containers first @onMachine | -c --command: text
	delete destroy | ~containers +delete-containers
	* | ~containers
buildah skopeo crane | =objects
`,
	{ copy, execInContainer, onMachine: changeMachine, readSecrets, readSources, runContainer },
);
