export type { Transcript } from "./records.ts";
export { type ReportOptions, type SaveOptions, saveReport, writeReport } from "./write.ts";
