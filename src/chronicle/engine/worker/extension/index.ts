export {
	type Hello,
	type HostReply,
	MOVE_ENTRY,
	type RefusedCall,
	readHello,
	SNAPSHOT_TOOL,
	TRANSITION_TOOL,
} from "./protocol.ts";
export { askThroughHost, registerWorker } from "./register.ts";
