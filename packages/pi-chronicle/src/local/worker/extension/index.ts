export {
	ASK_TOOL,
	type AskedMove,
	type AskedQuestion,
	type Hello,
	type HostReply,
	MOVE_ENTRY,
	type MoveEntry,
	OWN_TOOLS,
	PROVIDER_RESET,
	type RefusedCall,
	readConfirmation,
	readHello,
	readMove,
	readQuestion,
	readRefusedCall,
	readReset,
	TRANSITION_TOOL,
} from "./protocol.ts";
export { askThroughHost, registerWorker } from "./register.ts";
export { PROMPT_ENTRY } from "./sent-prompt.ts";
export { UNCHANGED_ADVICE } from "./unchanged.ts";
