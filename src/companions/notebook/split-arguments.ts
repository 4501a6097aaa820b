// Words of a command line, of which some are in quotes. Pure.

/** Splits at white space; what stands in double or single quotes is one word, without them. */
export function splitArguments(text: string): string[] {
	return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
		([, double, single, plain]) => double ?? single ?? plain ?? "",
	);
}
