// Version control other than git, and command lines of code hosts.
import { describe } from "./notation.ts";
import type { Call } from "./program-spec.ts";

/** `gh api`: a request with fields or a method other than GET changes something. */
function request(call: Call): void {
	const method = (
		call.values("-X --method")[0] ?? (call.has("-f --raw-field -F --field --input") ? "POST" : "GET")
	).toUpperCase();
	if (call.operands[0] === "graphql") {
		const query = call.values("-f --raw-field -F --field").join(" ");
		if (/\bmutation\b/.test(query)) call.change("remote");
	} else if (method !== "GET") call.change("remote");
	if (method === "DELETE") call.effect("delete-infrastructure");
}

/** `gh repo clone`: into a folder of the repository's name. */
function cloneRepository(call: Call): void {
	const [repository, folder] = call.operands;
	const name = folder ?? repository?.replace(/^.*\//, "").replace(/\.git$/, "");
	if (name) call.access("write", name, { recursive: true });
}

/** Files of a gist or a release. */
function readFiles(call: Call): void {
	for (const word of call.operands) if (call.exists(word)) call.applyRole("read", word);
}

export const versioning = describe(
	`
$remote | ~remote | -F --body-file --notes-file: read
gh | -R --repo --hostname: text
	auth extension alias config codespace cache label secret variable ssh-key gpg-key ruleset project org
		list status get token view field-list item-list check search browse
		delete remove | =remote +delete-infrastructure
		set | ~remote | -b --body -e --env -o --org -v --visibility -r --repos -a --app: text | -f --env-file: read
		* | =remote
	pr issue release run workflow gist repo attestation
		list view status diff checks watch | -L --limit -s --state -l --label -a --assignee -A --author -S --search --json -q --jq -t \
				--template -b --base -H --head -R --repo -w --workflow -u --user -e --event: text
		checkout fork sync set-default develop | ~repository ~worktree in:directory
		clone | fetches @cloneRepository
		download | ~worktree in:directory fetches | -D --dir -O --output: make | -p --pattern -n --name -R --repo: text \
				| -D --dir -O --output > unchanged
		delete delete-asset archive | =remote +delete-infrastructure
		create | =remote @readFiles \
				| -t --title -b --body -B --base -H --head -l --label -a --assignee -r --reviewer -m --milestone -n --notes --target: text
		* | =remote
	api | @request | -X --method -f --raw-field -F --field -H --header -q --jq -t --template --cache -p --preview: text | --input: read
	search browse status completion help version
	copilot | +nested-agent ?program
hg svn jj | in:directory anywhere | -R --repository --cwd: directory
	status st log diff annotate blame cat info ls list files show root summary identify id branches tags heads paths help version \
			parents | text*
	clone checkout co export | ~repository ~worktree in:directory fetches
	revert strip purge restore abandon undo | ~repository ~worktree +git-discard-changes
	* | ~repository ~worktree | -C --clean --remove-unversioned --remove-ignored > +git-discard-changes
`,
	{ cloneRepository, readFiles, request },
);
