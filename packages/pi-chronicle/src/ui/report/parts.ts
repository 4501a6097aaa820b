// The parts that the pages of `serve` are made of, as the report is.
export { visitPatch } from "./changes.ts";
export { pageTalk, readConversation } from "./conversation.ts";
export { drawSections, runSections } from "./document.ts";
export { drawFilmStrip } from "./film-strip.ts";
export { escapeText, type Html, type HtmlContent, type Markup, openHtml, trusted } from "./markup.ts";
export { drawFigures, drawHead, drawOutcome } from "./overview.ts";
export { openMoments, type ReportPage } from "./page.ts";
export { ReportReader } from "./read-model.ts";
export type { ReportModel } from "./report-model.ts";
export { styleSheet } from "./style.ts";
export { drawVisit, type VisitConversation } from "./visit-detail.ts";
export { drawVisitList } from "./visit-list.ts";
