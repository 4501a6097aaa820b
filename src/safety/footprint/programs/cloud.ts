// Clouds and infrastructure: looking, changing, deleting. The verbs of their command lines are regular enough to judge by.
import type { Call, Program, Programs } from "./program.ts";

const lookingVerb =
	/^(describe|list|get|show|head|lookup|search|view|validate|check|test|filter|estimate|preview|batch-get|scan|query|ls|wait|help|history|status|whoami|simulate|detect|presign|tail|read|diff|info|logs|print|output|version|config-list|inspect|explain|dump|export|ping|doctor)(-|:|$)/;
const deletingVerb =
	/^(delete|terminate|remove|destroy|purge|deregister|disable|rm|rb|drop|wipe|cancel|detach|revoke|uninstall|teardown|batch-delete|nuke|prune|abandon|schedule-key-deletion|empty)(-|:|$)|(:|-)(delete|remove|rm|disable|destroy)$/;
const deployingVerb =
	/^(deploy|publish|promote|rollback|release|apply|up|update-function-code|create-deployment|start-deployment|ship|launch)(-|:|$)|:deploy$/;

/** Judges `service … verb operands` by the verb: the last word before options that is one. */
function judgeVerb(call: Call): void {
	const verbs = call.operands.slice(0, 4);
	for (const text of call.values("--command -C")) call.script(text, { where: "elsewhere" });
	if (call.name === "heroku" && /^run(:|$)/.test(verbs[0] ?? "")) call.run(call.operands.slice(1), "", "elsewhere");
	if (call.has("--dryrun --dry-run --help")) return;
	if (verbs.some((verb) => deletingVerb.test(verb))) {
		call.effect("delete-infrastructure");
		call.change("remote");
	} else if (verbs.some((verb) => deployingVerb.test(verb))) {
		call.effect("deploy");
		call.change("remote");
	} else if (verbs.length > 0 && !verbs.some((verb) => lookingVerb.test(verb))) call.change("remote");
}

/** `aws s3 cp a b` and its kin name local paths. */
function aws(call: Call): void {
	const [service, verb, from, to] = call.operands;
	if (service !== "s3") {
		judgeVerb(call);
		return;
	}
	const remote = (word: string | undefined) => word?.startsWith("s3://") === true;
	const dry = call.has("--dryrun");
	if (verb === "ls" || verb === "presign") return;
	if (dry) return;
	const recursive = verb === "sync" || call.has("--recursive") ? { recursive: true } : {};
	if (verb === "cp" || verb === "mv" || verb === "sync") {
		if (from !== undefined && !remote(from)) call.play("read", from, recursive);
		if (from !== undefined && !remote(from) && verb === "mv") call.touch("delete", from, recursive);
		if (to !== undefined && !remote(to)) call.touch("write", to, { ...recursive, replaces: true });
		if (remote(to) || (verb === "mv" && remote(from))) call.change("remote");
		if (verb === "sync" && call.has("--delete")) {
			call.effect("delete-infrastructure");
			if (to !== undefined && !remote(to)) call.touch("delete", to, { recursive: true });
		}
		return;
	}
	call.change("remote");
	if (verb === "rm" || verb === "rb") call.effect("delete-infrastructure");
}

const byVerb: Program = {
	options: {
		"--profile --region --output --query --project --account --format --filter --zone -g --resource-group -n --name --subscription --location -o -t --token --scope --team --site --app -a --org --env -e --config -c --command -C":
			"text",
	},
	also: judgeVerb,
};

/** Terraform and its kin: plans only look, unless they are saved. */
const infrastructure: Program = {
	dashes: "one",
	options: { "-chdir": "directory" },
	subcommands: {
		"plan validate show output version graph providers get-help help console metadata": {
			dashes: "one",
			options: { "-out": "replace", "-var-file": "read", "-var -target": "text" },
		},
		fmt: { changes: ["worktree"], dashes: "one", when: { "-check --check": { harmless: true } } },
		"init get": { changes: ["worktree"] },
		apply: {
			changes: ["remote"],
			effects: ["deploy"],
			dashes: "one",
			when: { "-destroy --destroy": { effects: ["delete-infrastructure"] } },
		},
		destroy: { changes: ["remote"], effects: ["delete-infrastructure"] },
		state: {
			subcommands: {
				"list show pull": {},
				rm: { changes: ["remote"], effects: ["delete-infrastructure"] },
				"*": { changes: ["remote"] },
			},
		},
		workspace: {
			subcommands: {
				"list show": {},
				delete: { changes: ["remote"], effects: ["delete-infrastructure"] },
				"*": { changes: ["worktree"] },
			},
		},
		"*": { changes: ["remote"] },
	},
};

export const cloud: Programs = {
	aws: {
		...byVerb,
		options: { ...byVerb.options, "--cli-input-json --body --template-file --zip-file": "text" },
		also: aws,
	},
	"gcloud az doctl oci ibmcloud aliyun linode-cli hcloud scw vultr-cli exo openstack eksctl gsutil bq cdktf sam serverless sls firebase vercel netlify wrangler flyctl fly railway render heroku supabase amplify now surge dokku cf pulumi cdk eb ecs-cli hasura planetscale pscale turso neonctl convex sst fauna contentful sanity shopify stripe twilio auth0 cloudflared ngrok tailscale":
		byVerb,
	"terraform tofu terragrunt": infrastructure,
	"ansible ansible-playbook ansible-galaxy chef knife puppet salt salt-call": {
		changes: ["remote"],
		opaque: "script",
		when: { "--check --syntax-check --list-hosts --list-tasks --list-tags": { harmless: true } },
	},
	packer: { subcommands: { "validate inspect fmt version": {}, "*": { changes: ["remote"], effects: ["deploy"] } } },
	"vault consul nomad": {
		subcommands: {
			"status read list get version members info kv": { opaque: "program" },
			"delete destroy stop": { changes: ["remote"], effects: ["delete-infrastructure"] },
			"*": { changes: ["remote"] },
		},
	},
	rclone: {
		subcommands: {
			"ls lsd lsl lsf lsjson size check cat about version listremotes tree md5sum sha1sum": {},
			"delete purge deletefile rmdir rmdirs cleanup": { changes: ["remote"], effects: ["delete-infrastructure"] },
			"sync move moveto": {
				changes: ["remote", "worktree"],
				effects: ["recursive-delete"],
				when: { "-n --dry-run": { harmless: true } },
			},
			"*": { changes: ["remote", "worktree"] },
		},
	},
	"sentry-cli codecov datadog-ci newrelic honeycomb snyk-cli act circleci buildkite-agent": byVerb,
};
