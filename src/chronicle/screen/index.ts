export { type Line, type Paint, paintLine, unpainted } from "./line.ts";
export { drawTimeline, type TimelineOptions } from "./timeline.ts";
export { openRunView } from "./view.ts";
export type { ViewSource } from "./view-source.ts";
export { mountTimeline, type TimelineWidget } from "./widget.ts";
