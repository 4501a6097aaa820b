// A row of the transcript whose drawing is loaded later than pi asks for it: pi draws a session that it goes to or reloads before it tells
// anybody of it.
import type { Component } from "@earendil-works/pi-tui";

/** Shows nothing until `draw` answers; then what it answers, `undefined` in it for no row at all. */
export function lateRow(draw: () => { readonly row: Component | undefined } | undefined): Component {
	let drawn: { readonly row: Component | undefined } | undefined;
	return {
		render(width) {
			drawn ??= draw();
			return drawn?.row?.render(width) ?? [];
		},
		invalidate() {
			drawn = undefined;
		},
	};
}
