// Counts the screen rows that a widget leaves to others, because they depend on pi, its version and other packages.
import type { Component } from "@earendil-works/pi-tui";

interface Parent {
	readonly children: readonly Component[];
}

/** Rows, at this width, of the other widgets around `widget` and of everything below them: the editor, more widgets, the footer. */
export function rowsAround(screen: Parent, widget: Component, width: number): number {
	const at = screen.children.findIndex((child) => containsWidget(child, widget));
	return screen.children.slice(Math.max(0, at)).reduce((rows, child) => rows + rowsOf(child, widget, width), 0);
}

function rowsOf(component: Component, widget: Component, width: number): number {
	if (component === widget) return 0;
	if (!containsWidget(component, widget)) return component.render(width).length;
	return childrenOf(component).reduce((rows, child) => rows + rowsOf(child, widget, width), 0);
}

function containsWidget(component: Component, widget: Component): boolean {
	return component === widget || childrenOf(component).some((child) => containsWidget(child, widget));
}

function childrenOf(component: Component): readonly Component[] {
	const { children } = component as Partial<Parent>;
	return Array.isArray(children) ? children : [];
}
