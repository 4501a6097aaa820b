/** An amount in cents as euros: `1234` as `12.34`. */
export function euros(cents) {
	return (cents / 100).toFixed(2);
}

/** The lines of a report: the categories, then the sum. */
export function reportLines(categories, total) {
	const rows = [...categories.map(({ category, cents }) => [category, euros(cents)]), ["sum", euros(total)]];
	const width = Math.max(...rows.map(([name]) => name.length));
	return rows.map(([name, amount]) => `${name.padEnd(width)}  ${amount.padStart(10)}`);
}
