// Commands that print a login: a token, a password, a private key. They count as reading the file that holds it.
import { byName } from "../by-name.ts";

/** By program: the words with which it prints a login, and what holds it below the home folder. */
const printing: { readonly [programs: string]: readonly [words: RegExp, holder?: string] } = {
	"gh glab hub": [/^auth (?:token|status .*(?:-\w*t|--show-token))\b|^config get .*token/, ".config/gh/hosts.yml"],
	aws: [/^(?:sts (?:get-s|get-f|assume-role)|iam create-access-key|configure (?:get|export))/, ".aws/credentials"],
	gcloud: [/^auth .*print-|^secrets versions access\b/, ".config/gcloud/credentials.db"],
	"az azd": [
		/^(?:account get-access-token|auth token|ad sp create-for-rbac|keyvault secret show)/,
		".azure/msal_token_cache.json",
	],
	"kubectl oc": [
		/^(?:config view .*--(?:raw|flatten)|get secrets?[ /].*(?:-o|--output)|create token|extract secret|whoami .*-t)/,
		".kube/config",
	],
	"npm pnpm yarn": [/^token |^(?:config )?(?:get|list) .*(?:auth|password|token)/i, ".npmrc"],
	"git git-credential": [/^(?:credential\S* )?(?:fill|get)$/, ".git-credentials"],
	"docker-credential": [/^(?:get|list)$/, ".docker/config.json"],
	"pass gopass": [/^(?!init|insert|add|edit|gen|rm|mv|cp|git|ls|list|find|search|help|version|-)./, ".password-store"],
	vault: [/^(?:kv get|read|unwrap|print|token (?:lookup|create))\b/, ".vault-token"],
	"terraform tofu": [/^state pull\b|^output .*(?:password|secret|token|key)/],
	rclone: [/^(?:config (?:show|dump)|reveal)\b/, ".config/rclone/rclone.conf"],
	"gpg gpg2": [/--export-secret/, ".gnupg"],
	heroku: [/^(?:auth:token|config(?::get)?|authorizations:info)\b/, ".netrc"],
	"op bw rbw lpass keyring chamber secret-tool security kwallet-query sops ansible-vault doppler infisical": [
		/(?:^|[ -])(?:get|read|show|lookup|view|decrypt|export|inject|secrets|find-\S+-password|dump-keychain|[dr])(?: |$)/,
	],
};
const printingOf = byName(Object.entries(printing));

/** A word that names a login. */
const login = /(?:^|[-_:./]|auth)(?:tokens?|secrets?|passw(?:or)?d|credentials?|(?:private|access|api)[-_]?keys?)$/i;
/** A verb that shows something, alone or before what it shows. */
const shows = /^(?:get|print|show|view|read|reveal|lookup|access|dump|export|output)(?:-|$)/;
/** Words and options that show a login, whatever the program. */
const showing =
	/\b169\.254\.(?:169\.254|170\.2)\b|metadata\.google\.internal|(?:^| )(?:auth[ :]token|print-\S*token|get-\S*(?:token|password|secret-value)|export-credentials|login:ci)(?: |$)|--(?:reveal|(?:show|with|display)-(?:tokens?|secrets?|passwords?|decryption|keys?))(?:[ =]|$)/;
/** Programs that take text or paths, of which any may look like such words. */
const textual =
	/^(?:echo|printf|[efz]?grep|rg|ag|ack|sed|g?awk|cat|ls|fd|find|jq|node|python3?|make|npx|cowsay|figlet|notify-send)$/;

/** What holds the login that a command prints, below the home folder: empty if that is no file; `undefined` if it prints none. */
export function printedLogin(program: string, args: readonly string[]): string | undefined {
	const line = args.slice(0, 20).join(" ");
	if (textual.test(program) || line.endsWith("--help")) return undefined;
	const [words, holder = ""] = printingOf.get(program.replace(/^((?:git|docker)-credential)-.*/, "$1")) ?? [];
	if (words?.test(line)) return holder;
	return showing.test(line) || (words === undefined && namesLogin(program, args)) ? "" : undefined;
}

/** Whether a command's first words are a verb that shows something, and the name of a login: `secret show`, `output db_password`. */
function namesLogin(program: string, args: readonly string[]): boolean {
	const words = args.filter((arg) => !arg.startsWith("-")).slice(0, 4);
	return (program === "printenv" || words.some((word) => shows.test(word))) && words.some((word) => login.test(word));
}
