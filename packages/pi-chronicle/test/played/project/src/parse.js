/** Reads expenses from the text of a CSV file: `date,category,amount` on each line. Throws on a line with a mistake. */
export function parseExpenses(text) {
	const expenses = [];
	const lines = text.split("\n");
	for (let number = 1; number <= lines.length; number++) {
		const line = lines[number - 1].trim();
		if (line === "" || line.startsWith("#")) continue;
		const [date, category, amount] = line.split(",");
		if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) throw new Error(`line ${number}: not a date: ${date}`);
		if (!category) throw new Error(`line ${number}: no category`);
		const euros = Number(amount);
		if (amount === undefined || Number.isNaN(euros)) throw new Error(`line ${number}: not an amount: ${amount}`);
		expenses.push({ date, category: category.trim(), cents: Math.floor(euros * 100) });
	}
	return expenses;
}
