// Live updates: a stream of events per page, each with an id, so that a page whose connection broke learns at once whether it has missed something.
import { watchFolder } from "../../disk/index.ts";
import { type Project, watchRun } from "../../local/index.ts";
import { hashText } from "./access.ts";
import type { ShownProject } from "./runs-page.ts";

/** Calls `changed` with a mark of what is shown now, at once and after each change. Returns the function that ends it. */
export type RunWatch = (changed: (mark: string) => void) => () => void;

/** Milliseconds between two looks at the runs of an engine, and those that several changes of files wait for. */
const engineMs = 1000;
const restMs = 200;
/** Runs that changed last, by which a change is seen. */
const recentRuns = 30;

export function watchOneRun(project: Project, id: string): RunWatch {
	const look = async (): Promise<string> => {
		const read = await project.store.read(id);
		return read.ok ? `${read.value.run.seq}.${read.value.holder?.alive ?? "none"}` : "unread";
	};
	return watchBy(look, (soon) => [watchRun(project, id, soon), ...(project.engine ? [often(soon)] : [])]);
}

export function watchAllRuns(projects: readonly ShownProject[]): RunWatch {
	const look = async (): Promise<string> => {
		const recent = await Promise.all(projects.map(({ project }) => project.store.recent(recentRuns)));
		const marks = recent
			.flat()
			.map((entry) =>
				entry.kind === "run" ? `${entry.id.slice(0, 8)}${entry.summary.updatedAt}${entry.summary.status}` : entry.id,
			);
		return hashText(marks.join(" "));
	};
	return watchBy(look, (soon) =>
		projects.map(({ project }) => (project.engine ? often(soon) : watchFolder(project.sessions, soon))),
	);
}

function often(soon: () => void): () => void {
	const every = setInterval(soon, engineMs);
	return () => clearInterval(every);
}

/** `look` gives the mark of what is there now; `watch` begins to call `soon` when it may have changed, and gives the functions that end that. */
function watchBy(look: () => Promise<string>, watch: (soon: () => void) => readonly (() => void)[]): RunWatch {
	return (changed) => {
		let ended = false;
		let timer: NodeJS.Timeout | undefined;
		const lookNow = async (): Promise<void> => {
			timer = undefined;
			const mark = await look();
			if (!ended) changed(mark);
		};
		const soon = (): void => {
			timer ??= setTimeout(() => void lookNow().catch(() => {}), restMs);
		};
		const stops = watch(soon);
		soon();
		return () => {
			ended = true;
			clearTimeout(timer);
			for (const stop of stops) stop();
		};
	};
}
