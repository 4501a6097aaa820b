export { followInTerminal } from "./follow.ts";
export { openPatch } from "./patch-screen.ts";
export { approvalSheet, questionBody } from "./question.ts";
export { runSource } from "./run-source.ts";
export { drawTimeline, type TimelineOptions } from "./timeline.ts";
export type { ViewSource, VisitDiff } from "./view-source.ts";
export { openRunView } from "./view-stack.ts";
export { mountTimeline, type TimelineWidget } from "./widget.ts";
