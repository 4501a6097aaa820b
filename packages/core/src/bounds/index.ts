export { callFingerprint, canonicalJson, digest, outcomeFingerprint, resultDigest } from "./repetition.ts";
export * from "./visit.ts";
