// The table of files that hold a user's logins, keys and command histories: they are never files of a run. Pure.
// Invariants: letter case is ignored; what is below a named folder belongs to it; a project's own settings (`.docker/nginx.conf`, a translation
// `locales/auth.json`) are not in the table.

/** In any folder. `*` stays within a name; a slash at the end marks a folder. */
const anywhere: readonly string[] = [
	// Keys
	...[".ssh/", ".gnupg/", ".password-store/", ".local/share/keyrings/", "Library/Keychains/", ".pki/"],
	...[".vault-token", ".config/sops/age/", ".age/", ".op/", ".config/op/"],
	// Clouds and clusters
	...[
		".aws/credentials",
		".aws/sso/",
		".aws/cli/",
		".aws/login/",
		".kube/config",
		".kube/cache/",
		".oci/",
		".config/gcloud/",
	],
	...[".azure/accessTokens.json", ".azure/azureProfile.json", ".azure/msal_*", ".azure/service_principal_entries.*"],
	...[
		".config/doctl/",
		".config/scw/",
		".config/hcloud/",
		".config/linode-cli",
		".config/rclone/",
		".config/flyctl/",
		".fly/",
	],
	...[
		".boto",
		".s3cfg",
		".databrickscfg",
		".terraform.d/",
		".terraformrc",
		".pulumi/credentials.json",
		".config/heroku/",
	],
	// Forges, registries, package managers
	...[".config/gh/", ".config/hub", ".config/glab-cli/", ".config/tea/", ".git-credentials", ".config/git/credentials"],
	...[
		".docker/config.json",
		".config/containers/auth.json",
		".pypirc",
		".cargo/credentials",
		".cargo/credentials.toml",
	],
	...[".gem/credentials", ".config/composer/auth.json", ".composer/auth.json", ".m2/settings-security.xml"],
	// Hosts and databases
	...[".netrc", "_netrc", ".authinfo*", ".pgpass", ".my.cnf", ".mylogin.cnf", ".Xauthority", ".ICEauthority"],
	// Agents
	...[".pi/agent/auth.json", ".claude/.credentials.json", ".codex/auth.json", ".gemini/oauth_creds.json"],
	...[".local/share/opencode/auth.json", ".config/github-copilot/", ".aider*.history*"],
	// Histories
	...[
		".bash_history",
		".zsh_history",
		".zhistory",
		".zsh_sessions/",
		".history",
		".sh_history",
		".ksh_history",
		".mksh_history",
	],
	...[
		".*sh_history-*",
		".local/share/fish/fish_history",
		".config/fish/fish_history",
		"ConsoleHost_history.txt",
		".lesshst",
	],
	...[
		".python_history",
		".node_repl_history",
		".irb_history",
		".irb-history",
		".pry_history",
		".psql_history",
		".mysql_history",
	],
	...[".sqlite_history", ".rediscli_history", ".dbshell", ".mongosh/", ".viminfo", ".config/nushell/history.*"],
];

/** In the home folder: elsewhere the names are those of a project's own settings. */
const inHome: readonly string[] = [
	...["auth.json", ".aws/", ".kube/", ".docker/", ".azure/", ".config/containers/", ".terraform.d/", ".pulumi/"],
	...[
		".npmrc",
		".yarnrc",
		".yarnrc.yml",
		".config/pnpm/rc",
		".bunfig.toml",
		".gradle/gradle.properties",
		".m2/settings.xml",
	],
	...[".nuget/", ".config/NuGet/", ".pip/", ".config/pip/", ".config/pypoetry/", ".claude.json", ".codex/", ".gemini/"],
	...[
		".mozilla/",
		".thunderbird/",
		".config/google-chrome/",
		".config/chromium/",
		".config/BraveSoftware/",
		"AppData/",
	],
	...["Library/Application Support/", "Library/Cookies/"],
];

/** A test for paths with `/` below a folder. */
type IsCredentialFile = (path: string) => boolean;

/**
 * Compiles the table for the paths below one folder. `homes`: the home folders in it, relative, with `*` for any name; `""` is the folder itself.
 */
export function credentialFiles(homes: readonly string[]): IsCredentialFile {
	const below = anywhere.map(patternSource).join("|");
	const own = homes.flatMap((home) =>
		inHome.map((pattern) => patternSource(home === "" ? pattern : `${home}/${pattern}`)),
	);
	// One search for the beginning of a name: a snapshot asks for each file of the project.
	const table = new RegExp(
		`(?:^|/)(?:${below})(?:/|$)${own.length === 0 ? "" : `|^(?:${own.join("|")})(?:/|$)`}`,
		"is",
	);
	return (path) => table.test(path);
}

/** The same table as patterns of a `.gitignore` file in that folder, so that git does not search what is left out. */
export function credentialPatterns(homes: readonly string[]): string[] {
	return [
		...anywhere.map((pattern) => `**/${escapedBlanks(pattern)}`),
		...homes.flatMap((home) => inHome.map((pattern) => `${home === "" ? "" : `/${home}`}/${escapedBlanks(pattern)}`)),
	];
}

/** A blank stays part of the name. */
function escapedBlanks(pattern: string): string {
	return pattern.replaceAll(" ", "\\ ");
}

function patternSource(pattern: string): string {
	return pattern
		.replace(/\/$/, "")
		.replace(/[.+?^${}()|[\]\\]/g, "\\$&")
		.replaceAll("*", "[^/]*");
}
