/** Sums by category, the largest first. */
export function totals(expenses) {
	const sums = new Map();
	for (const { category, cents } of expenses) sums.set(category, (sums.get(category) ?? 0) + cents);
	return [...sums].map(([category, cents]) => ({ category, cents })).sort((a, b) => b.cents - a.cents);
}

/** The sum of all expenses, in cents. */
export function sum(expenses) {
	return expenses.reduce((total, { cents }) => total + cents, 0);
}
