export { openPatch } from "./patch-screen.ts";
export { approvalSheet, questionBody } from "./question.ts";
export { type ChangedFiles, drawTimeline, type TimelineOptions } from "./timeline.ts";
export { openRunView } from "./view.ts";
export type { ViewSource, VisitDiff } from "./view-source.ts";
export { mountTimeline, type TimelineWidget } from "./widget.ts";
