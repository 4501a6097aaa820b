export type { Access, Footprint, Run, Surroundings, Touch, Unknown } from "./footprint.ts";
