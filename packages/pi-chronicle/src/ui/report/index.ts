export { type ReportOptions, saveReport, writeReport } from "./write.ts";
