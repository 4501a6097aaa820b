export { callFingerprint, canonicalJson, digest, outcomeFingerprint, resultDigest } from "./repetition.ts";
export {
	judgeUse,
	NO_USE,
	useCall,
	useMessage,
	useRequests,
	VISIT_DEFAULTS,
	type VisitLimits,
	type VisitUse,
	type VisitVerdict,
} from "./visit.ts";
