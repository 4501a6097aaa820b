// The messages between a worker's extension and the launcher. Both sides validate them.
import { isFlag, isNumber, isText, listOf, object, oneOf, type Shape } from "@pi-chronicle/core/definition";
import type { LaunchId } from "@pi-chronicle/core/machine";
import { isLaunchId } from "../brief.ts";

/** Sent once, when the session has started and before any message. */
export interface Hello {
	readonly launch: LaunchId;
	/** Hash of the rules that the gate enforces. */
	readonly rules: string;
	/** Active tools. */
	readonly tools: readonly string[];
	/** Tools that extensions have registered, given or not, except the worker's own. */
	readonly registered: readonly string[];
	/** `provider/id`. */
	readonly model: string;
	/** Whether a request costs money. */
	readonly priced: boolean;
	readonly thinking: string;
}

export const PROVIDER_RESET = "provider-reset";

/** When the provider can be tried again, in milliseconds since the epoch. */
export interface ProviderReset {
	readonly at: number;
}

/** A call that the worker's extension itself refused. */
export interface RefusedCall {
	readonly call: string;
	readonly rule: "not-begun" | "allowance" | "stopping" | "state-ended" | "not-given" | "asked";
}

/** An answer of the launcher; `text` is for the model. */
export interface HostReply {
	readonly kind: string;
	readonly text: string;
}

/** Custom entry of the session: the supervisor is asked for a move, after all other calls of the message have ended. */
export const MOVE_ENTRY = "chronicle:move";

/** Messages of the session: the model is briefed again after a compaction, and asked before it to save. */
export const BRIEF_ENTRY = "chronicle:brief";
export const SAVE_ENTRY = "chronicle:save";

export interface MoveEntry {
	readonly call: string;
	/** Earlier versions wrote the supervisor's answer instead. */
	readonly reply: "asked" | "accepted" | "refused";
}

/** Details of the result of an accepted move; absent in sessions of earlier versions. */
export interface AnsweredMove {
	readonly reply: "accepted";
}

/** Names of the tools that exist only in workers. */
export const TRANSITION_TOOL = "workflow_transition";
export const SNAPSHOT_TOOL = "workflow_update_snapshot";
export const ASK_TOOL = "ask_user";
export const OWN_TOOLS: readonly string[] = [TRANSITION_TOOL, SNAPSHOT_TOOL, ASK_TOOL];

/** Custom message that starts the request after an answer that was put into the session. */
export const GO_ON = "chronicle:go-on";
/** Its text: some providers do not accept a message without content. */
export const GO_ON_TEXT = `[From pi-chronicle, not from the user]\nThe user has answered: see the result of ${ASK_TOOL}.`;

/** Reads one message of the shape; `undefined` for anything else. */
function reader<Message>(shape: Shape<Message>): (value: unknown) => Message | undefined {
	return (value) => (shape(value) ? value : undefined);
}

export const readHello = reader(
	object<Hello>({
		launch: isLaunchId,
		rules: isText,
		tools: listOf(isText),
		registered: listOf(isText),
		model: isText,
		priced: isFlag,
		thinking: isText,
	}),
);
export const readRefusedCall = reader(
	object<RefusedCall>({
		call: isText,
		rule: oneOf("not-begun", "allowance", "stopping", "state-ended", "not-given", "asked"),
	}),
);
export const readReset = reader(object<ProviderReset>({ at: isNumber }));
export const readHostReply = reader(object<HostReply>({ kind: isText, text: isText }));

/** A move that the model requests. */
export interface AskedMove {
	readonly target: string;
	readonly summary: string;
	/** The state's output, unchecked; absent if there is none. */
	readonly data?: unknown;
}

/** A question to the user. */
export interface AskedQuestion {
	readonly call: string;
	readonly question: string;
	/** Proposed answers; empty: none. */
	readonly choices: readonly string[];
}

export const readQuestion = reader(object<AskedQuestion>({ call: isText, question: isText, choices: listOf(isText) }));
export const readMove: (value: unknown) => AskedMove | undefined = reader(
	object<Omit<AskedMove, "data">>({ target: isText, summary: isText }),
);
/** A yes-or-no question for the user. */
export const readConfirmation = reader(
	object<{ readonly title: string; readonly text: string }>({ title: isText, text: isText }),
);
