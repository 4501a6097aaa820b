// Reports a handoff's outcome to its caller: the user who typed the command, or a sequence.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { exitCodes, failWith, say } from "../../pi/index.ts";
import type { HandoffSession } from "./session.ts";

/** Runs `/handoff <direction>` as typed. Reports only what is not a completed handoff. */
export async function runHandoffCommand(
	session: HandoffSession,
	ctx: ExtensionContext,
	direction: string,
): Promise<void> {
	const { hasUI } = ctx;
	const outcome = await session.request(ctx, direction);
	const code = outcome.kind === "refused" && outcome.unstarted ? exitCodes.usage : exitCodes.failed;
	if (outcome.kind !== "handed-over") failWith({ hasUI }, code);
	if (outcome.kind === "refused") say(ctx, outcome.reason, "error");
	if (outcome.kind === "aborted") say(ctx, "The handoff was stopped.", "warning");
}

/** Runs the handoff as a step of a sequence. Anything but a completed handoff ends the sequence with the reason. */
export async function runHandoffStep(
	session: HandoffSession,
	ctx: ExtensionContext,
	direction: string,
): Promise<{ kind: "completed" | "aborted" } | { kind: "failed"; reason: string }> {
	const outcome = await session.request(ctx, direction);
	switch (outcome.kind) {
		case "handed-over":
			return { kind: "completed" };
		case "aborted":
			return { kind: "aborted" };
		case "refused":
			return { kind: "failed", reason: outcome.reason };
	}
}
