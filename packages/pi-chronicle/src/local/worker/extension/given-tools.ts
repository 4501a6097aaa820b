// The tools of a worker whose state loads extensions. pi registers all tools of the extensions; only those of the order are active, and calls of
// other tools are refused, from any source. Without an order, pi's own list decides, and nothing is done here.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { isListed, quoted } from "@pi-chronicle/core/definition";
import { chooseTools, type ToolOrder } from "../tool-order.ts";
import { OWN_TOOLS, type RefusedCall } from "./protocol.ts";

export interface GivenTools {
	/** Names that extensions have registered, except the worker's own: pi does not start with a second tool of such a name. */
	registered(): readonly string[];
	/** Activates the tools of the order and deactivates all others. */
	apply(): void;
	/** Why a call of `tool` may not run; `undefined` if it may. */
	refuse(tool: string): { readonly rule: RefusedCall["rule"]; readonly reason: string } | undefined;
}

/** Opens the tools of one process. */
export function openGivenTools(pi: ExtensionAPI, order: ToolOrder | undefined): GivenTools {
	const registered = (): readonly string[] =>
		pi
			.getAllTools()
			.filter(({ name, sourceInfo }) => sourceInfo.source !== "builtin" && !OWN_TOOLS.includes(name))
			.map(({ name }) => name);
	const isGiven = (): ((name: string) => boolean) => {
		if (!order) return () => true;
		const theirs = registered();
		const { tools, given } = chooseTools(order, theirs);
		return (name) =>
			OWN_TOOLS.includes(name) || given.includes(name) || (!theirs.includes(name) && isListed(tools, name));
	};
	return {
		registered,
		apply() {
			if (!order) return;
			const allowed = isGiven();
			const active = pi.getActiveTools();
			const wanted = active.filter(allowed);
			if (wanted.length < active.length) pi.setActiveTools(wanted);
		},
		refuse(tool) {
			if (isGiven()(tool)) return undefined;
			return { rule: "not-given", reason: `This state does not have the tool ${quoted(tool)}.` };
		},
	};
}
