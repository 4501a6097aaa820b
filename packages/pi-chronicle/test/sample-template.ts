// The specification's sample of a chronicle template, as it ships in the examples.
import { readFileSync } from "node:fs";

const path = "../../../examples/sample/.pi/chronicle/workflows/feature-implementation.json";

export const sampleTemplate = readFileSync(new URL(path, import.meta.url), "utf8");
