// Harms that show in the words of a command: tasks that drop a project's database or publish a package, installs from an address, changes
// of accounts and firewalls. The table of programs describes the programs themselves.

import { byName } from "../by-name.ts";
import type { Effect } from "../effects.ts";

/** The harms of a task that is run by `program` with these words. */
export function taskEffects(program: string, args: readonly string[]): readonly Effect[] {
	return [
		...(dropsData(program, args) ? ["sql-drop" as const] : []),
		...(publishes(program, args) ? ["publish" as const] : []),
		...harmsOf(program, args),
		...(fetchesCode(program, args) ? ["run-download" as const] : []),
		...(addsDependency(program, args) ? ["new-dependency" as const] : []),
	];
}

/** By effect: a command line, its program first. */
const harms: { readonly [effect in Effect]?: RegExp } = {
	"sql-drop":
		/^(?:mysqladmin .*\bdrop |mongorestore (?:.* )?--drop(?: |$)|kafka-topics(?:\.sh)? .*--delete(?: |$)|gradlew? .*flywayClean)/,
	"end-programs": /^(?:slay \S|xkill(?: |$)|loginctl (?:terminate|kill)-|systemctl .*\bkill |taskkill .*\/im )/i,
	"change-what-runs": /^(?:insmod|modprobe) (?!.*(?:-n|--dry-run|--show\S*|-c)(?: |$))/,
	publish:
		/^(?:cargo release .*--execute|\S+ (?:buildx )?(?:build|bake|publish) .*--push|crane (?:push|copy|append)|(?:hf|huggingface-cli|anaconda) upload|skopeo (?:copy|sync)|regctl image copy|conan upload|cpan-upload|buildah (?:manifest )?push|gh release create(?!.* --draft)|helm (?:cm-)?push|charmcraft upload|snapcraft (?:upload|release))(?: |$)/,
	"container-escape":
		/^(?:kubectl|oc) (?:run|debug) .*(?:--privileged|--profile[= ]sysadmin|hostPath|hostPID|"privileged": ?true)/,
	"store-flush":
		/^(?:influx (?:bucket|delete)\b.*(?:delete|--)|(?:redis|valkey)-cli (?:-\S+ (?:[\w.]+ )?)*(?:del|unlink|flushall|flushdb)(?: |$)|curl .*(?:_delete_by_query|:9200\/_shutdown)|curl (?=.*(?:-X ?|--request[= ])DELETE\b).*(?:\/_all|\/\*|:9200\/[^/ ]*|:5984\/[^/ ]*)(?:[ ?]|$)|http(?:ie)? DELETE .*(?:\/_all|:9200|:5984))/,
	"delete-infrastructure":
		/^(?:helmfile (?:.* )?(?:destroy|delete)|velero (?:\w+ )?delete|(?:gh api|curl) (?=.*\bmutation\b).*\b(?:delete|remove|destroy|purge)\w*\(.*|docker swarm leave .*--force|(?:lxc|incus|virsh|multipass|VBoxManage|nomad) .*(?:delete|destroy|undefine|-purge)|mc (?:rb|rm) .*--(?:force|recursive)|s3cmd (?:rb|del) .*(?:-r|--recursive|--force)|s5cmd rm|gsutil (?:-m )?r[bm] -r)(?: |$)/,
	"format-disk":
		/^(?:parted (?!.*(?:-l|print)(?: |$)).* |zpool (?:destroy|create|labelclear|remove|detach|split)|zfs (?:destroy|rollback|recv|receive)|btrfs \w+ (?:del|rm|replace|restore|rescue|format)|dmsetup (?:remove|wipe_table|clear|load)|cryptsetup .*(?:luksFormat|[eE]rase|luksKillSlot|luksRemoveKey|reencrypt|luksHeaderRestore)|mdadm .*--(?:zero-superblock|create|stop|fail|remove)|sg_format .*(?:--format|-F)|xfs_repair .*-L|tune2fs .*-\w*[OE]|nvme (?:format|sanitize|delete-ns|write)|(?:lv|vg|pv)(?:remove|reduce|move|create|convert)|hdparm .*--(?:security-erase|trim-sector|make-bad|write-sector|repair-sector|dco-restore|fwdownload|sanitize)|diskutil (?:\w+ )?(?:erase|partition|reformat|zero|random|secureErase|delete|split|merge|resize|destroy|remove)|asr restore|tmutil (?:delete|thin|restore)|badblocks .*-\w*[wn])/,
	"security-settings":
		/^(?:passwd (?!-S|--status)\S|(?:visudo|vipw|vigr)(?: |$)|net (?:user|localgroup) .*\/|dseditgroup .*-o (?:create|delete|edit)|ip (?:-\S+ )*(?:a|addr|address|l|link|r|ro|route|rule|neigh?|tunnel|xfrm) (?:add|del|delete|change|replace|set|append|flush)(?: |$)|route (?:-\S+ )*(?:add|del|delete|change|flush)(?: |$)|resolvectl (?!status|query|statistics|show\S*|-)\w[\w-]* \S+ \S|nmcli (?:-\S+ )*(?:n|networking|r|radio|c|con|connection|d|dev|device) (?:\S+ )?(?:off|on|add|modify|mod|delete|del|up|down|edit|connect|disconnect|set)(?: |$)|ufw (?:--\S+ )*(?:disable|enable|reset|delete|allow|deny|default)|setenforce 0|(?:user|group)(?:add|mod|del)|(?:add|del)(?:user|group)|(?:ch|g)passwd|chage (?!-l)|iptables .*-[FPXDI](?: |$)|nft (?:flush|delete)|pfctl .*-[dF]|firewall-cmd .*--(?:add|remove|panic-on)|csrutil disable|spctl .*--(?:master|global)-disable|auditctl -e ?0|aa-(?:teardown|disable|complain)|chsh(?: |$)|dscl .*-(?:create|delete|passwd))/,
};

function harmsOf(program: string, args: readonly string[]): readonly Effect[] {
	const line = `${program} ${args.slice(0, 40).join(" ")}`;
	return (Object.entries(harms) as [Effect, RegExp][]).flatMap(([effect, words]) => (words.test(line) ? [effect] : []));
}

const installers =
	/^(?:pip[23]?|pipx|uvx?|poetry|pdm|pipenv|hatch|bundler?|npm|pnpm|pnpx|yarn|bunx?|npx|deno|cargo|go|gem|brew|composer|conda|mamba|luarocks|nimble|opam|dotnet|mix|raco|cpanm?|ext|easy_install|jbang)$/;
/** Hosts of code that is public and named: registries and forges. */
const codeHosts =
	/(?:^|\.)(?:github\.com|githubusercontent\.com|gitlab\.com|bitbucket\.org|codeberg\.org|sr\.ht|googlesource\.com|dev\.azure\.com|pypi\.org|pythonhosted\.org|pytorch\.org|npmjs\.(?:org|com)|deno\.land|jsr\.io|esm\.sh|unpkg\.com|crates\.io|golang\.org|goproxy\.(?:cn|io)|go\.dev|k8s\.io|uber\.org|mvdan\.cc|honnef\.co|gotest\.tools|google\.com|rubygems\.org|npmmirror\.com|nvidia\.com|tsinghua\.edu\.cn|aliyun(?:cs)?\.com|ustc\.edu\.cn|anaconda\.org|localhost)$/;

/** An option with the address of code, or of an index of it. */
const namesSource =
	/^--(?:git|from|spec|[\w-]*(?:sources?|registry|index(?:-url)?|find-links|mirror|server|repository))=/;

/** Whether an installer gets code from an address that is no registry or forge. */
function fetchesCode(program: string, args: readonly string[]): boolean {
	if (
		!installers.test(program) ||
		args.some((arg) => /^(?:publish|view|show|search|info|list|whoami|ping|log(?:in|out))$/.test(arg))
	)
		return false;
	return args.some((arg, at) => {
		if (arg.startsWith("-") && !namesSource.test(arg)) return false;
		// The address of a proxy is no code.
		if (/^--?(?:\w+-)*(?:proxy|host|cert)$/.test(args[at - 1] ?? "")) return false;
		const address = /^(?:--[\w-]+=)?(?:\S+@ ?)?(?:git\+|sparse\+)?(?:https?|ssh|git):\/\/(?:[^@/]*@)?([\w.-]+)/.exec(
			arg,
		)?.[1];
		const module = program === "go" ? /^([\w-]+(?:\.[\w-]+)+)\/\S*@/.exec(arg)?.[1] : undefined;
		const host = address ?? module;
		return host !== undefined && !codeHosts.test(host);
	});
}

const adds: { readonly [programs: string]: RegExp } = {
	"npm pnpm yarn bun": /^(?:-\S+ )*(?:i|in|install|add)(?: -\S+)* [^-./\s]/,
	"pip pip3": /^install(?: -[^re]\S*)* (?!-)(?!\.)[\w-]/,
	"uv poetry pdm cargo rye hatch bundle": /^add [^-]/,
	go: /^get (?:-\S+ )*[^-]/,
	gem: /^install [^-]/,
	composer: /^require [^-]/,
	dotnet: /^add (?:\S+ )?package /,
	mix: /^(?:igniter\.install|hex\.install) /,
	deno: /^(?:add|install) (?!-g)/,
};
const addsOf = byName(Object.entries(adds));

/** Whether a package manager adds a package that a command names. */
function addsDependency(program: string, args: readonly string[]): boolean {
	return addsOf.get(program)?.test(args.slice(0, 20).join(" ")) ?? false;
}

/** Tasks named by one word. */
const taskNames =
	/^(?:db:(?:drop|reset|purge|wipe|truncate_all|seed:replant|schema:load|structure:load|migrate:reset)(?::\w+)*|migrate:(?:fresh|reset|refresh)|(?:db:)?migrate:undo:all|schema:drop|ecto\.(?:drop|reset)|doctrine:(?:database|schema):drop|sql[:-]drop|reset_db|drop-all|dropAll|flush)$/;

/** Tasks named by several words. */
const phrases =
	/\b(?:migrate reset|db reset|database reset|db drop|db wipe|db push (?:\S+ )*--(?:force-reset|accept-data-loss)|migrate[ :]rollback (?:\S+ )*--all|migrate down (?:\S+ )*--all|migrate apply (?:\S+ )*--down all|downgrade base|migrate (?:\w+ )?zero|migrate (?:fresh|refresh)|flyway clean|schema drop|(?:dbmate|drizzle-kit|goose|diesel database|sqlx database) (?:drop|reset))(?: |$)/;

/** Whether a task of a project, given by program and words, drops or empties the database. */
function dropsData(program: string, args: readonly string[]): boolean {
	if (!frameworks.test(program)) return false;
	return (
		args.slice(0, 20).some((arg) => taskNames.test(arg)) || phrases.test(`${program} ${args.slice(0, 20).join(" ")} `)
	);
}

const frameworks =
	/^(?:npm|pnpm|yarn|bun|rails|rake|artisan|prisma|supabase|mix|symfony|console|sequelize|sequelize-cli|typeorm|knex|mikro-orm|drush|wp|manage\.py|django-admin|flask|alembic|flyway|liquibase|hasura|adonis|ace|goose|dbmate|sqlx|diesel|atlas|drizzle-kit|wrangler|turso|neonctl|medusa|strapi|craft|sea-orm-cli|bin)$/;

/** By program: words of the command line that publish. */
const publishing: { readonly [programs: string]: RegExp } = {
	"gradle gradlew": /(?:^|[ :])(?:publish(?!ToMavenLocal)\w*|bintrayUpload|uploadArchives|closeAndRelease\w*)(?: |$)/,
	"sbt mill lein": /(?:^|[ /:+])(?:publish(?!Local)\w*|deploy)(?: |$)/,
	mix: /(?:^| )hex\.publish(?: |$)/,
	pod: /(?:^| )(?:trunk|repo) push(?: |$)/,
	"dart flutter": /(?:^| )pub publish(?: |$)/,
	"mvn maven": /(?:^| )deploy(?: |$)/,
	"semantic-release np release-it auto": /^/,
	"flit lerna nimble jsr deno oras changeset opam": /^(?:-\S+ )*(?:publish|push)(?: |$)/,
	"luarocks cabal stack": /^(?:-\S+ )*upload(?: |$)/,
	goreleaser: /^(?:release|publish|announce)(?: |$)/,
	"dotnet nuget": /^(?:nuget )?(?:push|delete)(?: |$)/,
	"rake bundle": /(?:^| )(?:rake )?release(?: |$)/,
	"fastlane eas expo": /(?:^| )(?:deliver|submit|publish|upload_to_\w+|pilot|supply)(?: |$)/,
	npm: /^(?:-\S+ )*(?:pub(?:l(?:i(?:sh?)?)?)?|unp\w*|depre\w*)(?: |$)/,
};

const publishingOf = byName(Object.entries(publishing));

/** Whether a command of a build tool publishes a package or a release. */
function publishes(program: string, args: readonly string[]): boolean {
	const words = publishingOf.get(program);
	if (!words || args.some((arg) => /^(--dry-run|--snapshot|--help)$/.test(arg))) return false;
	return words.test(args.slice(0, 30).join(" "));
}

/** Options and programs in the text of a script that rewrite files of the project. */
const rewriting =
	/(?:^|\s)(?:--write|--fix(?:-\w+)?|--update(?:-?[sS]napshots?)?|--in-place|--autocorrect(?:-all)?|--apply)(?=\s|$|["'])|\b(?:vitest|jest|ava)\b[^\n;&|]*\s-u\b|\b(?:gofmt|goimports|shfmt)\b[^\n;&|]*\s-w\b|\b(?:biome|dprint|cargo|ruff|deno|buf|terraform) (?:format|fmt)\b(?![^\n;&|]*--check)|\bsed -i\b|\bblack\b(?![^\n;&|]*--(?:check|diff))|\brimraf\b/;

/** Whether the text of a script rewrites files of the project. */
export function rewritesText(text: string): boolean {
	return rewriting.test(text);
}

const runners = /^(?:npm|pnpm|yarn|bun|make|gmake|just|task|rake|nx|turbo|mage|invoke|inv|composer|poe|hatch|tox|nox)$/;
const testers = /^(?:vitest|jest|ava|playwright|pytest|cargo)$/;
const testTask = /^(?:t|tests?(?:[:_-]\S*)?)$/;
const updating = /^(?:-u|--update(?:-?[sS]napshots?)?|--snapshot-update|--fix)$/;
const rewritingTasks =
	/^(?:--fix|--write|fmt|format|fix|autofix|prettify|reformat|(?:lint|style|format|code|test|snapshots?)[:_-](?:fix|write|update|format)|(?:update|fix)[:_-](?:lint|style|snapshots?|format))$/;

/** Whether a task's name, or an option of a test runner, says that it rewrites files of the project. */
export function rewritesFiles(program: string, args: readonly string[]): boolean {
	const tests = testers.test(program) || (runners.test(program) && args.some((arg) => testTask.test(arg)));
	if (tests && args.some((arg) => updating.test(arg))) return true;
	if (!runners.test(program) || args.some((arg) => /^(?:--check|--dry-run|-n)$/.test(arg))) return false;
	return args.slice(0, 40).some((arg) => rewritingTasks.test(arg));
}
