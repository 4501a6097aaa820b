// Arguments of a command line, some of them quoted. Pure.

/** Splits at white space; text in double or single quotes is one argument, without the quotes. */
export function splitQuoted(text: string): string[] {
	return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
		([, double, single, plain]) => double ?? single ?? plain ?? "",
	);
}
