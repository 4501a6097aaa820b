export {
	ASK_TOOL,
	type AskedMove,
	type AskedQuestion,
	type Hello,
	type HostReply,
	MOVE_ENTRY,
	type MoveEntry,
	OWN_TOOLS,
	type RefusedCall,
	readConfirmation,
	readHello,
	readMove,
	readQuestion,
	readRefusedCall,
	TRANSITION_TOOL,
} from "./protocol.ts";
export { askThroughHost, registerWorker } from "./register.ts";
export { UNCHANGED_ADVICE } from "./unchanged.ts";
