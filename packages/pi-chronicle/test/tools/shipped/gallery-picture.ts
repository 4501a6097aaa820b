// What the gallery's pictures have in common, and those of a rehearsal's report.
import xterm from "@xterm/headless";
import { expectPicture, type PictureOptions, type Snapshot, snapshotOf } from "../../harness/index.ts";

/** Columns of every picture. */
export const width = 100;

/** What differs from run to run. */
export const mask: NonNullable<PictureOptions["mask"]> = [
	[/\b[0-9a-f]{8}\b/g, "5f2c81d0"],
	[/\b(?:\d+m)?\d+s\b/g, "9s"],
	[/\b\d+\.\d+s\b/g, "0.1s"],
	[/\(\d+\.\ds\)/g, "(0.1s)"],
	[/(?<=duration_ms:? )\d+(?:\.\d+)?/g, "60.125"],
	[/\(\d+(?:\.\d+)?ms\)/g, "(1.25ms)"],
	[/[▰▱]+/g, "▱▱▱▱▱▱▱▱"],
	// pi's sign that the model works.
	[/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, "⠋"],
];

/** Compares the printed report of a rehearsal, as a terminal shows it. */
export async function expectReportPicture(name: string, report: string): Promise<void> {
	// Wide, so that no line is broken: its path is as long as the machine's temporary folder.
	const terminal = new xterm.Terminal({ cols: 400, rows: 60, allowProposedApi: true });
	await new Promise<void>((resolve) => terminal.write(report.replaceAll("\n", "\r\n"), resolve));
	const title = `The report of a rehearsal of ${name}`;
	const shown = leftPart(snapshotOf(terminal));
	expectPicture(shown, `gallery/${name}-report`, { title, mask, loose: true, rows: [1, shown.rows] });
}

/** The first columns of a screen, down to its last text. */
function leftPart(screen: Snapshot): Snapshot {
	const rows = screen.lines.findLastIndex((line) => line !== "") + 1;
	const runs = screen.runs.slice(0, rows).map((line) =>
		line
			.filter(({ column }) => column < width)
			.map((run) => {
				const text = run.text.trimEnd();
				const cells = run.cells - (run.text.length - text.length);
				const most = width - run.column;
				return cells <= most ? { ...run, text, cells } : { ...run, text: `${text.slice(0, most - 1)}…`, cells: most };
			}),
	);
	const lines = runs.map((line) => line.map(({ text }) => text).join(""));
	return { cols: width, rows, runs, lines };
}
