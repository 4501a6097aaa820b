export {
	type BodyTemplate,
	type Channel,
	isAddress,
	namedChannels,
	readChannels,
	savedChannels,
} from "./channel.ts";
export { isCurrent, type NoticeKey, noticeKind } from "./kind.ts";
export * from "./outbox.ts";
export { asOnlySender, hasNotices, readWake, wakeOf, wakeSender } from "./sender.ts";
export { ownTerminal, watchNotices } from "./watch.ts";
