// Version control other than git, and command lines of code hosts.
import type { Call, ProgramSpec, ProgramSpecs } from "./program-spec.ts";

const changesRemote: ProgramSpec = { changes: ["remote"], options: { "-F --body-file --notes-file": "read" } };
const changesBoth: ProgramSpec = { changes: ["repository", "worktree"] };
const fetchesFiles: ProgramSpec = { ...changesBoth, changesIn: "directory", fetches: true };

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

const looks = "list view status diff checks watch";

export const versioning: ProgramSpecs = {
	gh: {
		options: { "-R --repo --hostname": "text" },
		subcommands: {
			"auth extension alias config codespace cache label secret variable ssh-key gpg-key ruleset project org": {
				subcommands: {
					"list status get token view field-list item-list check search browse": {},
					"delete remove": { ...changesRemote, effects: ["delete-infrastructure"] },
					set: {
						...changesRemote,
						options: {
							"-b --body -e --env -o --org -v --visibility -r --repos -a --app": "text",
							"-f --env-file": "read",
						},
					},
					"*": changesRemote,
				},
			},
			"pr issue release run workflow gist repo attestation": {
				subcommands: {
					[looks]: {
						options: {
							"-L --limit -s --state -l --label -a --assignee -A --author -S --search --json -q --jq -t --template -b --base -H --head -R --repo -w --workflow -u --user -e --event":
								"text",
						},
					},
					"checkout fork sync set-default develop": { ...changesBoth, changesIn: "directory" },
					clone: {
						fetches: true,
						custom: (call) => {
							const [repository, folder] = call.operands;
							const name =
								folder ??
								repository
									?.split("/")
									.at(-1)
									?.replace(/\.git$/, "");
							if (name) call.access("write", name, { recursive: true });
						},
					},
					download: {
						fetches: true,
						changes: ["worktree"],
						changesIn: "directory",
						when: { "-D --dir -O --output": { unchanged: true } },
						options: { "-D --dir -O --output": "make", "-p --pattern -n --name -R --repo": "text" },
					},
					"delete delete-asset archive": { ...changesRemote, effects: ["delete-infrastructure"] },
					create: {
						...changesRemote,
						options: {
							"-t --title -b --body -B --base -H --head -l --label -a --assignee -r --reviewer -m --milestone -n --notes --target":
								"text",
							"-F --body-file --notes-file": "read",
						},
						// Files of a gist or a release.
						custom: (call) => {
							for (const word of call.operands) if (call.exists(word)) call.applyRole("read", word);
						},
					},
					"*": changesRemote,
				},
			},
			api: {
				options: {
					"-X --method -f --raw-field -F --field -H --header -q --jq -t --template --cache -p --preview": "text",
					"--input": "read",
				},
				custom: request,
			},
			"search browse status completion help version": {},
			copilot: { effects: ["nested-agent"], opaque: "program" },
			"*": { opaque: "program" },
		},
	},
	glab: { subcommands: { "*": { subcommands: { "list view status diff show get": {}, "*": changesRemote } } } },
	"hg svn jj bzr fossil darcs": {
		options: { "-R --repository --cwd": "directory" },
		optionsAnywhere: true,
		changesIn: "directory",
		subcommands: {
			"status st log diff annotate blame cat info ls list files show root summary identify id branches tags heads paths help version parents":
				{ operands: "text" },
			// With a name or an option, these set something.
			"bookmarks bookmark config": {
				custom: (call) => {
					if (call.has("-e --edit -l --local -g --global -d --delete -f --force") || call.operands.length > 1)
						call.change("repository");
				},
			},
			"clone checkout co export": fetchesFiles,
			push: { ...changesBoth, changes: ["remote"] },
			"revert strip purge restore abandon undo": { ...changesBoth, effects: ["git-discard-changes"] },
			"*": changesBoth,
		},
	},
};
