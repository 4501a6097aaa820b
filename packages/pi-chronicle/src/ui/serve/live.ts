// Live updates: a stream of events per page, each with an id, so that a page whose connection broke learns at once whether it has missed something.
import { watchFolder } from "../../disk/index.ts";
import { type Project, watchRun } from "../../local/index.ts";
import type { ShownProject } from "./runs-page.ts";

/** Calls `changed` with a mark of what is shown now, at once and after each change. Returns the function that ends it. */
export type RunWatch = (changed: (mark: string) => void) => () => void;

/** Milliseconds between two looks at the runs of an engine, and those that several changes of files wait for. */
const engineMs = 1000;
const restMs = 200;
/** Runs that changed last, by which a change is seen. */
const recentRuns = 30;

export function watchOneRun(project: Project, id: string): RunWatch {
	return (changed) => {
		const look = async (): Promise<void> => {
			const read = await project.store.read(id);
			if (read.ok) changed(`${read.value.run.seq}.${read.value.holder?.alive ?? "none"}`);
		};
		void look().catch(() => {});
		return watchRun(project, id, ({ run, holder }) => changed(`${run.seq}.${holder?.alive ?? "none"}`));
	};
}

export function watchAllRuns(projects: readonly ShownProject[]): RunWatch {
	return (changed) => {
		let ended = false;
		let timer: NodeJS.Timeout | undefined;
		const look = async (): Promise<void> => {
			timer = undefined;
			const recent = await Promise.all(projects.map(({ project }) => project.store.recent(recentRuns)));
			const marks = recent
				.flat()
				.map((entry) =>
					entry.kind === "run" ? `${entry.id.slice(0, 8)}${entry.summary.updatedAt}${entry.summary.status}` : entry.id,
				);
			if (!ended) changed(hashText(marks.join(" ")));
		};
		const soon = (): void => {
			timer ??= setTimeout(() => void look().catch(() => {}), restMs);
		};
		const stops = projects.map(({ project }) => {
			if (!project.engine) return watchFolder(project.sessions, soon);
			const every = setInterval(soon, engineMs);
			return () => clearInterval(every);
		});
		soon();
		return () => {
			ended = true;
			clearTimeout(timer);
			for (const stop of stops) stop();
		};
	};
}

/** A short mark; it only has to differ where the text does. */
function hashText(text: string): string {
	let hash = 0;
	for (let at = 0; at < text.length; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
	return (hash >>> 0).toString(36);
}
