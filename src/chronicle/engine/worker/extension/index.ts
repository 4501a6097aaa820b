export {
	type AskedMove,
	type Hello,
	MOVE_ENTRY,
	type RefusedCall,
	readConfirmation,
	readHello,
	readMove,
	readRefusedCall,
	SNAPSHOT_TOOL,
	TRANSITION_TOOL,
} from "./protocol.ts";
export { askThroughHost, registerWorker } from "./register.ts";
