// Clouds and infrastructure. Their command lines are judged by their verbs: reading, changing, deploying, deleting.
import { quotedIn } from "../text.ts";
import { describe } from "./notation.ts";
import type { Call } from "./program-spec.ts";
import { judgeSql } from "./sql.ts";

const lookingVerb =
	/^(describe|list|get|show|head|lookup|search|view|validate|check|test|filter|estimate|preview|batch-get|scan|query|ls|wait|help|history|status|whoami|simulate|detect|presign|tail|read|diff|info|logs?|print|output|version|config-list|inspect|explain|dump|export|ping|doctor|cat|stat|du|hash|members|catalog|can-i|plan|outdated|compare|verify)(-|$)/;
/** Words that begin like reading verbs but change something, such as writing credentials to a file. */
const notLooking = /^(get-credentials|get-instance-access|test-invoke-\w+|export-\w+|env-pull|check-in|list-and-\w+)$/;
const deletingVerb =
	/^(delete|terminate|remove|destroy|purge|deregister|disable|rm|rmi|rb|drop|wipe|cancel|detach|revoke|uninstall|teardown|batch-delete|bulk-delete|nuke|prune|abandon|schedule-key-deletion|empty|erase|forget|leave-organization|close-account|obliterate|del)(-|$)|-(delete|remove|rm|destroy)$/;
const deployingVerb =
	/^(deploy|publish|promote|rollback|release|apply|up|update-function-code|create-deployment|start-deployment|ship|launch)(-|$)/;
/** Verbs that change something: no later word counts as the verb. */
const changingVerb =
	/^(create|add|set|unset|update|put|post|patch|edit|enable|start|stop|restart|reboot|reset|resize|move|attach|associate|disassociate|authorize|import|copy|cp|mv|sync|rename|invoke|run|exec|execute|ssh|send|upload|download|push|pull|login|logout|init|configure|link|unlink|switch|use|scale|change|modify|register|tag|untag|assign|grant|restore|rotate|replace|suspend|resume|pause|unpause|accept|reject|reserve|allocate|install|upgrade|write|seal|unseal|bind|lock|unlock|allow|deny|open|close|begin|cordon|drain|trigger|fork|clone|transfer|import-\w+|on|off|connect|proxy|tunnel|dev|build)(-|$)/;

/** Data of a store that is emptied or overwritten: `pg:reset`, `db reset`, `database:set /`. */
const losesData =
	/(^|[ :])(pg|db|database|databases|redis|data|mysql|postgres|postgresql|kv|storage|firestore|volumes?|branch|project|system|cache)[ :](?:[\w-]+[ :])?(reset|clear|wipe|flush|truncate|set|copy|restore|purge)( |:|$)|(^| )(remove-all|nuke-all|reset-db)( |$)/;

type VerbKind = "looks" | "deletes" | "deploys" | "changes";

function verbKind(word: string): VerbKind | undefined {
	if (deletingVerb.test(word)) return "deletes";
	if (deployingVerb.test(word)) return "deploys";
	if (notLooking.test(word)) return "changes";
	if (lookingVerb.test(word)) return "looks";
	return changingVerb.test(word) ? "changes" : undefined;
}

/** Programs whose first word names a service, possibly one that looks like a verb (`logs`, `config`, `events`). */
const servicesFirst =
	/^(aws|az|gcloud|oci|ibmcloud|aliyun|openstack|doctl|hcloud|linode-cli|vultr-cli|exo|scw|stripe|gh|glab|argocd|twilio|supabase|nomad|consul|vault)$/;
/** Programs that deploy the current folder when run without arguments. */
const deploysBare = /^(vercel|now|surge|amplify|up)$/;
/** Topics that list their content when no verb follows. */
const topics =
	/^(config|apps|addons|ps|releases|domains|certs|pg|redis|features|pipelines|drains|buildpacks|access|members|keys|labs|plugins|regions|spaces|teams|orgs|reviewapps|webhooks|auth|authorizations|sessions|notifications|maintenance|dyno|local|container|stack|inspect|projects|services|sites|platform)$/;

/** Verbs that run a script on machines of the account. */
const remoteCommands =
	/^(?:ssm send-command|ssm start-session|vm run-command|vmss run-command|ecs execute-command|lambda invoke)\b/;

/** `aws ssm send-command --parameters commands=[…]`, `az vm run-command invoke --scripts …`: runs each of their texts. */
function runRemotely(call: Call): void {
	call.change("remote");
	for (const [index, word] of call.args.entries()) {
		const option = /^--(?:scripts?|parameters|command|cli-input-json)(?:=|$)/.exec(word);
		if (!option) continue;
		const values = word.includes("=") ? [word.slice(word.indexOf("=") + 1)] : wordsUntilOption(call.args, index + 1);
		for (const value of values)
			for (const text of [value.replace(/^\w+=(?![[{])/, ""), ...quotedIn(value)])
				call.script(text, { where: "elsewhere" });
	}
}

function wordsUntilOption(args: readonly string[], from: number): readonly string[] {
	const end = args.findIndex((word, index) => index >= from && word.startsWith("--"));
	return args.slice(from, end < 0 ? undefined : end);
}

/** Judges `service … verb operands` by its verb: the first word that is one. */
function judgeVerb(call: Call): void {
	runTexts(call);
	if (runQueries(call) || call.has("--dryrun --dry-run --help -h --version")) return;
	const words = call.operands.slice(0, 5);
	const line = words.join(" ");
	const kinds = kindsOf(words, servicesFirst.test(call.name));
	const deploys = kinds.includes("deploys") || (kinds.length === 0 && deploysBare.test(call.name));
	const loses = losesData.test(line) || (words.some((word) => /^r?sync$/.test(word)) && deletesExtra(call));
	const isTopic = kinds.length === 0 && words.length === 1 && call.name !== "vercel" && topics.test(line);
	if ((kinds[0] === "looks" && !loses) || isTopic || (words.length === 0 && !deploys)) return;
	call.change("remote");
	if (loses || kinds.includes("deletes")) call.effect("delete-infrastructure");
	else if (deploys) call.effect("deploy");
}

/** The kinds of the words that are verbs, in order. */
function kindsOf(words: readonly string[], serviceFirst: boolean): readonly VerbKind[] {
	const own = words.length > 1 && serviceFirst ? words.slice(1) : words;
	return own.flatMap((word) => word.split(":")).flatMap((part) => verbKind(part) ?? []);
}

/** Runs the commands among the words. */
function runTexts(call: Call): void {
	for (const text of call.values("--command -C")) {
		if (/^(wrangler|turso|neonctl|pscale|planetscale|supabase)$/.test(call.name)) judgeSql(call, text);
		else call.script(text, { where: "elsewhere" });
	}
	if (call.name === "heroku" && /^run(:|$)/.test(call.operands[0] ?? ""))
		call.script(call.operands.slice(1).join(" "), { where: "elsewhere" });
	if (remoteCommands.test(call.operands.slice(0, 5).join(" "))) runRemotely(call);
}

/** Judges the statements of `bq query` and `turso db shell`. Returns whether they are all that the command does. */
function runQueries(call: Call): boolean {
	const [service, verb, , ...statements] = call.operands;
	const isQuery = call.name === "bq" && service === "query";
	const isShell = call.name === "turso" && service === "db" && verb === "shell" && statements.length > 0;
	for (const text of isQuery ? call.operands.slice(1) : isShell ? statements : []) judgeSql(call, text);
	return isQuery || isShell;
}

/** Whether a synchronization removes what is not in the source. */
function deletesExtra(call: Call): boolean {
	if (call.name === "gsutil" && call.args.includes("-n")) return false;
	return call.args.some((arg) => /^(?:-d|--del(?:ete(?:-\S+)?)?|--remove)(?:=true)?$/.test(arg));
}

/** Copies from its storage to this machine, or back. */
function copyWithS3(call: Call): void {
	const [, verb, from = "", to = ""] = call.operands;
	const recursive = verb === "sync" || call.has("--recursive") ? { recursive: true } : {};
	const isLocal = (word: string) => !word.startsWith("s3://");
	if (isLocal(to)) call.access("write", to, { ...recursive, replaces: true });
	if (isLocal(to) && call.has("--delete")) call.access("delete", to, { recursive: true });
	if (verb === "mv" && isLocal(from)) call.access("delete", from, recursive);
	// What it sends is found by name.
	if (!isLocal(to) || verb === "mv") judgeVerb(call);
}

function aws(call: Call): void {
	const [service, verb = ""] = call.operands;
	if (service === "s3" && /^(cp|mv|sync)$/.test(verb) && !call.has("--dryrun")) {
		copyWithS3(call);
		return;
	}
	// The last word of others may be the file that they write their result into.
	if (service !== "s3" && call.operands.length > 2 && /^(get|select|invoke|synthesize|download|retrieve)-/.test(verb))
		call.applyRole("replace", call.operands.at(-1) ?? "");
	judgeVerb(call);
}

/** `terraform show` prints a state file, in which secrets are readable. */
function showState(call: Call): void {
	for (const file of call.operands)
		if (/\.tfstate|\.tfplan|\//.test(file) || call.exists(file)) call.applyRole("read", file);
}

function runTerraform(call: Call): void {
	call.run(["terraform", ...call.operands.filter((word) => word !== "--")]);
}

export const cloud = describe(
	`
$byVerb | @judgeVerb | --profile --region --output --query --project --account --format --filter --zone -g --resource-group -n --name \
		--subscription --location -o -t --token --scope --team --site --app -a --org --env -e --config -c --command -C: text
aws | =byVerb @aws | --cli-input-json --body --template-file --zip-file: text
gcloud az doctl oci linode-cli eksctl gsutil bq sam serverless sls firebase vercel netlify wrangler flyctl fly railway render \
		heroku supabase amplify now surge dokku cf pulumi cdk eb pscale convex stripe cloudflared ngrok tailscale vault consul nomad s3cmd \
		azcopy b2 act circleci glab helmfile velero skaffold tilt argocd flux istioctl | =byVerb
terraform tofu terragrunt | in:directory dash | -chdir: directory
	plan validate show output version graph get-help help console metadata | dash @showState | -out -generate-config-out: replace \
			| -var-file: read | -var -target -replace: text
	run-all run | dash @runTerraform
	fmt | ~worktree in:operands dash | -check --check > harmless
	init get | ~worktree
	apply | ~remote +deploy dash | -destroy --destroy > +delete-infrastructure
	destroy | ~remote +delete-infrastructure dash | -help --help > harmless
	state workspace
		list show pull
		rm delete | ~remote +delete-infrastructure
		* | ~remote
	* | ~remote
ansible-playbook ansible-galaxy | ~remote ?script \
		| --check --syntax-check --list-hosts --list-tasks --list-tags > harmless
packer
	validate inspect version
	fmt | ~worktree in:operands | -check > harmless
	* | ~remote +deploy
rclone
	delete purge deletefile rmdir rmdirs cleanup | ~remote +delete-infrastructure
	sync move moveto | ~remote ~worktree +recursive-delete | -n --dry-run > harmless
	* | ~remote ~worktree
`,
	{ aws, judgeVerb, runTerraform, showState },
);
