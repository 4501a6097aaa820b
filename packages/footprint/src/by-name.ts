// Looks up rows of tables by name.

/** The rows of a table by single names; a row may have several, separated by blanks. */
export function byName<Row>(rows: readonly (readonly [names: string, row: Row])[]): ReadonlyMap<string, Row> {
	return new Map(rows.flatMap(([names, row]) => names.split(" ").map((name) => [name, row] as const)));
}
