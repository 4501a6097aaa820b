// A transcript row whose drawing is loaded after pi requests it: pi draws a session that it switches to or reloads before it notifies
// extensions.
import type { Component } from "@earendil-works/pi-tui";

/** Shows nothing until `draw` returns a result, then the result's `row`; `undefined` in it means no row. */
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
