/** Adds receipts up by category; the largest total comes first. */
export function totalsByCategory(receipts) {
	const totals = new Map();
	for (const { category, cents } of receipts) totals.set(category, (totals.get(category) ?? 0) + cents);
	return [...totals].map(([category, cents]) => ({ category, cents })).sort((a, b) => b.cents - a.cents);
}

/** The sum of all receipts, in cents. */
export function grandTotal(receipts) {
	return receipts.reduce((sum, { cents }) => sum + cents, 0);
}
