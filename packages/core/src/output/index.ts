export {
	fillReferences,
	type OutputReference,
	outputText,
	referenceOf,
	referencesIn,
	splitReference,
	valueAt,
} from "./reference.ts";
