// A user who follows documents: an empty home with nothing but pi, a local model that pi's models.json names, and a registry that offers the packed
// packages. No setting, variable or folder is there that the documents do not name.
import { mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import {
	copyCheckout,
	type Files,
	linkDependencies,
	openFolder,
	openModelServer,
	openProject,
	openRegistry,
	type Project,
	pack,
	run,
	type Script,
} from "../harness/index.ts";
import { commandFolder, copyExample, type DocumentProject, inProject } from "./document-project.ts";

export interface User {
	/** The home, and a first project in it. */
	readonly first: Project;
	readonly env: Record<string, string | undefined>;
}

/** Opens the home. The documents' own lines install the package there. */
export async function openUser(): Promise<User> {
	const settings = { defaultProvider: "scripted", defaultModel: "one" };
	const first = openProject({ settings, git: true, name: "first" });
	const { home } = first;
	return {
		first,
		env: {
			PATH: [commandFolder(first, ["pi"]), join(home, ".npm-global", "bin"), process.env.PATH].join(delimiter),
			PI_CODING_AGENT_DIR: undefined,
			npm_config_registry: await openRegistry(packed()),
			npm_config_prefix: join(home, ".npm-global"),
			npm_config_cache: join(home, ".npm"),
			npm_config_update_notifier: "false",
		},
	};
}

export interface UserProjectOptions {
	readonly name: string;
	/** A folder of `examples` that it is a copy of. */
	readonly example?: string | undefined;
	readonly files?: Files;
	/** What the user's model answers from now on. */
	readonly script: Script;
}

/** Opens another project of the user, a git repository with a remote that trusts nothing yet. */
export async function openUserProject(user: User, options: UserProjectOptions): Promise<DocumentProject> {
	const { name, example, files = {}, script } = options;
	const server = await openModelServer(script);
	const project = openProject({ beside: user.first, name, server, files });
	if (example !== undefined) copyExample(example, project.folder);
	project.git("init", "-q");
	project.git("add", "-A");
	project.git("commit", "-q", "--allow-empty", "-m", "Start");
	const remote = join(project.home, "remotes", `${name}.git`);
	mkdirSync(remote, { recursive: true });
	project.git("init", "-q", "--bare", remote);
	project.git("remote", "add", "origin", remote);
	project.git("push", "-q", "origin", "HEAD");
	return inProject(project, user.env);
}

/** The folders of the packages as `npm pack` makes them, by name. */
function packed(): Record<string, string> {
	const tree = openFolder();
	copyCheckout(tree);
	linkDependencies(tree);
	const unpacked = (name: string) => {
		const folder = openFolder();
		run(folder, ["tar", "-xzf", pack(tree, name), "-C", folder, "--strip-components=1"]);
		return folder;
	};
	return { "pi-chronicle": unpacked("pi-chronicle"), "@pi-chronicle/postgres": unpacked("postgres") };
}
