/** 1250 → `12.50`. */
export function formatCents(cents) {
	return (cents / 100).toFixed(2);
}

/** Lines of a two-column table: names to the left, amounts to the right. */
export function formatTable(rows) {
	const names = Math.max(0, ...rows.map(({ category }) => category.length));
	const amounts = Math.max(0, ...rows.map(({ cents }) => formatCents(cents).length));
	return rows.map(({ category, cents }) => `${category.padEnd(names)}  ${formatCents(cents).padStart(amounts)}`);
}
