// What a host serves: from a file, or the project that the worker is started in.
import { readFileSync } from "node:fs";
import { anyObject, errorMessage, isText, listOf, object, oneOf, optional } from "@pi-chronicle/core/definition";
import type { Result } from "@pi-chronicle/core/ports";
import type { Project } from "pi-chronicle/local";
import { type EngineOptions, projectNameOf, remoteOf } from "./engine-project.ts";
import type { ServedProject } from "./segment.ts";

const isProject = object<
	Pick<ServedProject, "remote" | "setup"> & Partial<Pick<ServedProject, "cleanup">> & { env?: readonly string[] }
>({
	remote: isText,
	setup: optional(isText),
	cleanup: optional(oneOf("submitted", "never")),
	env: optional(listOf(isText)),
});

const isFile = object<{ readonly projects: object }>({ projects: anyObject });

/** The projects of the file `path`: `{ "projects": { "<name>": { "remote": …, "setup": …, "cleanup": …, "env": […] } } }`. */
export function readServed(path: string, place: ServedProject["place"]): Result<readonly ServedProject[]> {
	const fail = (what: string): Result<never> => ({
		ok: false,
		failure: {
			reason: "usage",
			message: `${path}: ${what}.`,
			remedy: 'Write { "projects": { "<name>": { "remote": "<url>", "setup": "<command>" } } }.',
		},
	});
	let written: unknown;
	try {
		written = JSON.parse(readFileSync(path, "utf8"));
	} catch (error) {
		return fail(errorMessage(error));
	}
	if (!isFile(written)) return fail("it has no projects");
	const served: ServedProject[] = [];
	for (const [name, project] of Object.entries(written.projects)) {
		if (!isProject(project)) return fail(`the project "${name}" is invalid`);
		const { remote, setup, cleanup = "submitted", env: passes = [] } = project;
		served.push({ name, remote, cleanup, passes, place, setup });
	}
	return { ok: true, value: served };
}

/** The project that a worker is started in. */
export async function serveHere(
	{ place }: Project,
	{ project }: Pick<EngineOptions, "project">,
	{ setup, passes }: { readonly setup: string | undefined; readonly passes: readonly string[] },
): Promise<Result<readonly ServedProject[]>> {
	if (place.trust !== "trusted")
		return {
			ok: false,
			failure: {
				reason: "untrusted",
				message: "pi does not trust this project, and a worker runs its commands.",
				remedy: "Trust it (/trust in pi), or start the worker with --approve.",
			},
		};
	const remote = await remoteOf(place.cwd);
	if (!remote.ok) return remote;
	const name = project ?? projectNameOf(remote.value);
	const served = { name, remote: remote.value, cleanup: "submitted", passes, place } as const;
	return { ok: true, value: [setup === undefined ? served : { ...served, setup }] };
}
