export { patchSheet } from "./patch.ts";
export { approvalSheet, askedSheet } from "./question.ts";
export { drawTimeline } from "./timeline.ts";
export { runSource } from "./view-source.ts";
export { followInTerminal, openRunView } from "./view-stack.ts";
export { mountTimeline, type TimelineWidget } from "./widget.ts";
