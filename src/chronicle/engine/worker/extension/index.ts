export {
	type Hello,
	MOVE_ENTRY,
	type Refusal,
	type Reply,
	readHello,
	SNAPSHOT_TOOL,
	TRANSITION_TOOL,
} from "./protocol.ts";
export { askThroughHost, registerWorker } from "./register.ts";
