// A story that is played in real pi, and the screens that it visits.
import {
	type BenchOptions,
	fixtureExtension,
	type ModelServer,
	openBench,
	type Project,
	type Tui,
} from "../harness/index.ts";
import { type Book, openBook, type Size } from "./screen-book.ts";

/** Every size of the plan. */
export const sizes: readonly Size[] = [
	[40, 20],
	[80, 24],
	[120, 40],
	[200, 50],
];
/** The size at which keys are pressed. */
const home: Size = [80, 24];

interface Scene {
	readonly pi: Tui;
	readonly project: Project;
	readonly server: ModelServer;
	readonly page: Book["page"];
	readonly examine: Book["examine"];
	/** Enters a command that opens a page, compares it, and closes it. */
	look(command: string, name: string, sign: string): Promise<void>;
	/** Presses Escape and waits until no overlay covers the screen. */
	leave(): Promise<void>;
}

export interface Story {
	readonly bench: BenchOptions;
	readonly session?: (project: Project) => string;
	play(scene: Scene): Promise<void>;
}

/** Plays the story `title` in pi's dark theme, and takes its pages at the given sizes, in both themes. */
export async function play(title: string, { bench, session, play }: Story, at: readonly Size[]): Promise<void> {
	const { project, server, tui } = await openBench({ ...bench, settings: { ...bench.settings, theme: "dark" } });
	server.lenient();
	const [cols, rows] = home;
	const file = session?.(project);
	const extensions = [fixtureExtension("theme-switch")];
	const pi = await tui({ cols, rows, extensions, ...(file === undefined ? {} : { session: file }) });
	const book = openBook(pi, home, { title, sizes: at });
	const leave = async () => {
		await pi.press("escape");
		await pi.waitForScreen((screen) => !/^── /m.test(screen));
	};
	await play({
		pi,
		project,
		server,
		page: book.page,
		examine: book.examine,
		leave,
		async look(command, page, sign) {
			await pi.submit(command);
			await pi.waitForScreen(sign);
			await book.page(page, sign);
			await leave();
		},
	});
}
