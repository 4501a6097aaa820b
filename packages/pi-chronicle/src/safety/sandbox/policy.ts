// Contains every shell command of a worker or session, and judges pi's file tools, which work outside the sandbox, by the same paths.
import type { FileAccess, Footprint } from "@pi-chronicle/footprint";
import { type BoxNeed, type BoxScope, isWithin, type Policy, quoteRedacted, type Verdict } from "../policy/index.ts";
import type { Confinement } from "./confinement.ts";
import { accessTo, type BoxLayout } from "./layout.ts";

const fileTools: ReadonlySet<string> = new Set(["read", "write", "edit", "grep", "find", "ls"]);

/** The policy of a worker or session whose commands are contained; `needOf` says how, `scope` what file tools may change. */
export function sandboxPolicy(
	confinement: Pick<Confinement, "layout">,
	scope: BoxScope,
	needOf: (footprint: Footprint) => BoxNeed,
): Policy {
	return {
		name: "sandbox",
		ignores: ({ tool, own }) => own === true || (tool !== "bash" && !fileTools.has(tool)),
		judge({ tool }, footprint) {
			if (!fileTools.has(tool)) return undefined;
			const layout = confinement.layout(scope);
			return footprint().accesses.flatMap((access) => judgeAccess(access, layout) ?? []);
		},
		confines: (_call, footprint) => needOf(footprint()),
	};
}

function judgeAccess({ kind, by, path, real, recursive }: FileAccess, layout: BoxLayout): Verdict | undefined {
	const access = accessTo(layout, path, real);
	const verdict = (rule: string, what: string): Verdict => ({
		decision: "deny",
		policy: "sandbox",
		rule,
		reason: `${quoteRedacted(by)} ${what} ${path}, which the sandbox does not allow.`,
		advice: `Files can be written only in ${layout.writable.join(", ")}; \`sandbox: { write: [...] }\` in the template or the settings names more.`,
		repeats: "unasked",
	});
	if (kind === "read" || kind === "list") {
		if (access === "hide" || access === "home") return verdict("hidden", "reads");
		const hides =
			recursive &&
			layout.rules.some((rule) => isHidden(rule.access) && isWithin(rule.path, real) && rule.path !== real);
		return hides && !isProjectPlace(real, layout) ? verdict("hidden", "reads what is hidden below") : undefined;
	}
	if (access !== "write") return verdict("not-writable", "changes");
	const isProtected = layout.absent.some((one) => isWithin(path, one) || isWithin(real, one));
	return isProtected ? verdict("not-writable", "changes") : undefined;
}

function isHidden(access: string): boolean {
	return access === "hide" || access === "home";
}

/** Whether a search stays in what may be written: what is hidden there is closed by a rule of the guard, which judges searches itself. */
function isProjectPlace(real: string, layout: BoxLayout): boolean {
	return layout.rules.some(({ path, access }) => access === "write" && isWithin(real, path));
}
