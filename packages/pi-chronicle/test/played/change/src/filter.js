/** The expenses from `since` on, and before `until`, both `YYYY-MM-DD` or undefined. */
export function between(expenses, since, until) {
	return expenses.filter(({ date }) => (since ? date > since : true) && (until ? date < until : true));
}
