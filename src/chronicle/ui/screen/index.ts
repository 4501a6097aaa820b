export { followInTerminal } from "./follow.ts";
export { openPatch } from "./patch-screen.ts";
export { approvalSheet, askedSheet, questionBody } from "./question.ts";
export { runSource } from "./run-source.ts";
export { drawTimeline } from "./timeline.ts";

export { openRunView } from "./view-stack.ts";
export { mountTimeline, type TimelineWidget } from "./widget.ts";
