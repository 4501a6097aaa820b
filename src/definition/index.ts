export type { Diagnostic, Place } from "./diagnostic.ts";
