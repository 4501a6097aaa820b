// Programs that print shell text for the calling shell to evaluate: `eval "$(ssh-agent -s)"`.
// Such text is as well known as the program that prints it: evaluating it is like running that program.
// H1 only the listed spellings count; a program that prints its input or the contents of a file is not one of them.

/** Words after the program, as an expression over them joined by blanks. */
const setups: { readonly [programs: string]: RegExp } = {
	"ssh-agent gpg-agent": /^(?:-[sckD]+|--daemon|--sh)?(?: -[sc])?$/,
	keychain: /^(?:--(?:eval|quiet|agents|inherit)\b\S* ?|-q ?)+(?:[\w.@-]+ ?)*$/,
	"dbus-launch": /^--sh-syntax\b/,
	brew: /^shellenv(?: \w+)?$/,
	direnv: /^(?:hook|export) \w+$/,
	"pyenv rbenv nodenv goenv jenv plenv phpenv swiftenv tfenv luaenv anyenv ndenv exenv crenv":
		/^(?:virtualenv-)?init(?: -)?(?: --\S+)*(?: \w+)?$/,
	"starship zoxide atuin mcfly oh-my-posh vfox thefuck navi fzf broot carapace":
		/^(?:init|hook|widget|activate|--(?:alias|bash|zsh|fish))(?: [\w.-]+)*$/,
	"mise rtx": /^(?:activate|env|hook-env|completion)(?: -s)?(?: --?\w+)*(?: \w+)*$/,
	fnm: /^(?:env|completions)(?: --?[\w=-]+)*(?: \w+)?$/,
	opam: /^(?:config )?env(?: --?[\w=./-]+)*$/,
	"conda mamba micromamba": /^(?:shell\.\w+ hook|shell hook(?: (?:--shell|-s))?[ =]\w+)$/,
	poetry: /^env activate(?: \w+)?$/,
	pdm: /^venv activate(?: \w+)?$/,
	"hatch uv": /^(?:generate-shell-completion|--generate-shell-completion) \w+$/,
	"dircolors gdircolors": /^(?:-b|-c|--sh|--csh|--bourne-shell|--c-shell)?$/,
	"lesspipe lessfile lesspipe.sh resize": /^$/,
	tset: /^-s(?: \S+)?$/,
	luarocks: /^path(?: --\S+)*$/,
	getopt: /^(?!.*(?:^| )-\w*u)(?!.*--unquoted)/,
	"register-python-argcomplete register-python-argcomplete3 activate-global-python-argcomplete":
		/^[\w.@/-]+(?: [\w.@/-]+)*$/,
	"docker-machine": /^env(?: [\w.-]+)*$/,
	minikube: /^(?:-p \w+ )?(?:docker|podman)-env(?: --?[\w=-]+)*(?: \w+)?$/,
	"podman-machine": /^env(?: [\w.-]+)*$/,
	guix: /^package .*--search-paths\b/,
	perl: /^-I\S+ -Mlocal::lib(?:=\S+)?$/,
	"npm pip pip3 gh glab kubectl oc helm docker podman minikube kind k3d k9s flux argocd istioctl eksctl kustomize skaffold tilt stern crictl nerdctl cilium terraform-docs hugo golangci-lint goreleaser task just deno bun rustup cargo-nextest pnpm poetry pipx uv uvx ruff rye pixi doctl flyctl fly heroku vercel netlify supabase gcloud az aws velero kubebuilder operator-sdk buf cosign syft grype trivy chezmoi lefthook bosh cf jira-cli glow gum vhs yq step temporal nats talosctl tkn kn clusterctl cobra-cli dagger earthly devspace okteto telepresence linkerd consul nomad vault packer sops age bat rg fd delta procs watchexec dust eza tokei hyperfine zellij nu tmuxinator ng":
		/^(?:completions?|generate-shell-completion|gen-completions|--completions?|--generate(?:-shell-completion)?|completion-script|shell-completion)(?:[ =]--?[\w-]+)*(?:[ =](?:-s |--shell[ =])?(?:bash|zsh|sh|fish|script|complete-bash|--bash|--zsh))?(?: --[\w-]+)*$/,
};

const byName: ReadonlyMap<string, readonly RegExp[]> = Object.entries(setups).reduce((known, [names, words]) => {
	for (const name of names.split(" ")) known.set(name, [...(known.get(name) ?? []), words]);
	return known;
}, new Map<string, RegExp[]>());

/** Whether a command prints the shell text by which its program is set up. */
export function printsShellSetup(name: string, args: readonly string[]): boolean {
	const words = args.join(" ");
	if (words.length > 200) return false;
	return byName.get(name)?.some((spelling) => spelling.test(words)) ?? false;
}
