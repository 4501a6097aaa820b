// The environment of everything that a host runs for its projects: workers, set-up and cleanup commands. A variable passes only if it is named here,
// in pi's models, or by the host's owner. Those of the database never pass.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isListed } from "@pi-chronicle/core/definition";
import { isSecretName } from "pi-chronicle/local";
import type { HostLog } from "./log.ts";
import type { ServedProject } from "./segment.ts";

const words = (list: string): readonly string[] => list.trim().split(/\s+/);

/** What programs need to find themselves and the network; case does not count, `*` stands for any text. */
const system = words(`
	PATH HOME USER LOGNAME SHELL PWD HOSTNAME LANG LANGUAGE LC_* TZ TERM COLORTERM TMPDIR TMP TEMP XDG_* DISPLAY WAYLAND_DISPLAY
	CI NO_COLOR FORCE_COLOR EDITOR DEBUG HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE
	REQUESTS_CA_BUNDLE GIT_* SSH_AUTH_SOCK LD_LIBRARY_PATH SystemRoot SystemDrive windir ComSpec PATHEXT APPDATA LOCALAPPDATA
	ProgramFiles* ProgramData USERPROFILE USERNAME HOMEDRIVE HOMEPATH OS PROCESSOR_* NUMBER_OF_PROCESSORS`);
/** Where toolchains and their caches are; those that hold a secret, such as `CARGO_REGISTRY_TOKEN`, do not pass. */
const toolchains = words(`
	NODE_* NVM_* FNM_* VOLTA_* PNPM_HOME BUN_INSTALL DENO_DIR npm_config_cache npm_config_registry COREPACK_* VIRTUAL_ENV PYTHON*
	PYENV_* UV_* PIP_* CONDA_* POETRY_HOME JAVA_HOME GRADLE_* MAVEN_* ANDROID_* GOPATH GOROOT GOCACHE GOMODCACHE GOPROXY GOPRIVATE
	GOFLAGS CARGO_* RUSTUP_* RBENV_* GEM_* BUNDLE_* COMPOSER_HOME DOTNET_* NUGET_* ASDF_* MISE_* SDKMAN_* NIX_* CC CXX CFLAGS
	CXXFLAGS LDFLAGS PKG_CONFIG_PATH CMAKE_* RUST_BACKTRACE DEBIAN_FRONTEND CCACHE_* DOCKER_HOST CUDA_* NVIDIA_*`);
/** Settings of pi and this package, and the keys of providers that pi knows. */
const models = words(`
	PI_* CHRONICLE_* *_API_KEY ANTHROPIC_* OPENAI_* AZURE_* AWS_* GOOGLE_* GCLOUD_* CLOUDSDK_* CLOUDFLARE_* COPILOT_GITHUB_TOKEN
	HF_TOKEN LLAMA_BASE_URL OLLAMA_*`);
/** What npm and the shell that started the host have set: nobody misses it. */
const incidental = words(
	"npm_config_* npm_package_* npm_lifecycle_* npm_*execpath npm_command INIT_CWD OLDPWD SHLVL _",
);
/** They lead to the engine's database, or name it. */
const withheldAlways = words("PG* PI_CHRONICLE_ENGINE PI_CHRONICLE_PROJECT");

export interface WorkEnvironment {
	readonly env: NodeJS.ProcessEnv;
	/** Names of the variables that do not pass and that somebody may miss, sorted. */
	readonly withheld: readonly string[];
}

/**
 * What passes of the environment of a host. `also`: names that its owner adds, in the same form; `written`: text in which names of
 * variables with keys may occur, as in pi's `models.json`.
 */
export function workEnvironment(env: NodeJS.ProcessEnv, also: readonly string[], written = ""): WorkEnvironment {
	const mentioned = new Set(written.match(/\b[A-Za-z_]\w*\b/g));
	const names = Object.keys(env).filter((name) => !isListed(withheldAlways, name));
	const isPassed = (name: string): boolean =>
		isListed([...models, ...also], name) ||
		mentioned.has(name) ||
		(isListed([...system, ...toolchains], name) && !isSecretName(name));
	return {
		env: Object.fromEntries(names.filter(isPassed).map((name) => [name, env[name]])),
		withheld: names.filter((name) => !isPassed(name) && !isListed(incidental, name)).sort(),
	};
}

/** The text of pi's models, whose keys may be names of variables. */
export function modelsText(agentFolder: string): string {
	try {
		return readFileSync(join(agentFolder, "models.json"), "utf8");
	} catch {
		return "";
	}
}

/** The project with the environment that its commands and workers get; names what they do not get. */
export function withWorkEnvironment(project: ServedProject, report: HostLog): ServedProject {
	const { name, place, passes = [] } = project;
	const { env, withheld } = workEnvironment(place.env ?? process.env, passes, modelsText(place.agentFolder));
	if (withheld.length > 0)
		report(
			`Workers and commands of ${name} do not get these variables: ${withheld.join(", ")}. To pass some of them, name them with --env, or in "env" of the file of --config.`,
		);
	return { ...project, place: { ...place, env } };
}
