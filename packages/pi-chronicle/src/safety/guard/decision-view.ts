// Draws a decision's entry in the terminal: one line, and the reason when the row is expanded.
import type { EntryRenderer } from "@earendil-works/pi-coding-agent";
import { Text } from "@earendil-works/pi-tui";
import { type DecisionOutcome, readDecision } from "../policy/index.ts";

const words: Record<Exclude<DecisionOutcome, "denied" | "refused" | "unasked">, string> = {
	allowed: "allowed by you",
	withheld: "withheld from the result",
	noted: "on trial",
};

/** Draws a decision; nothing for an entry without one. */
export const renderDecision: EntryRenderer = (entry, { expanded }, theme) => {
	const record = readDecision(entry.data);
	if (!record) return undefined;
	const { outcome, tool, input, policy, rule, reason, origin } = record;
	// The call's own row already shows why it was refused.
	if (outcome === "denied" || outcome === "refused" || outcome === "unasked") return undefined;
	const color = outcome === "allowed" || outcome === "noted" ? "muted" : "warning";
	const line = `${theme.fg(color, words[outcome])} ${theme.fg("dim", `${tool} ${input}`)} ${theme.fg("muted", `[${policy} · ${rule}]`)}`;
	if (!expanded) return new Text(line, 1, 0);
	return new Text(`${line}\n${theme.fg("dim", `${reason}${origin ? `\n${origin}` : ""}`)}`, 1, 0);
};
