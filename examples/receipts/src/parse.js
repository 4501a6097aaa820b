/**
 * Reads receipts from CSV text, one per line: `date,category,amount,shop`.
 * Empty lines and lines that start with `#` are skipped. Amounts may carry a currency sign.
 */
export function parseReceipts(text) {
	const receipts = [];
	for (const [index, line] of text.split(/\r?\n/).entries()) {
		if (!line.trim() || line.startsWith("#")) continue;
		const [date, category, amount, shop = ""] = line.split(",").map((field) => field.trim());
		if (!date || !category || !amount) throw new Error(`line ${index + 1}: expected date,category,amount,shop`);
		receipts.push({ date, category: category.toLowerCase(), cents: parseAmount(amount), shop });
	}
	return receipts;
}

/** `€ 12.50` → 1250. */
export function parseAmount(text) {
	return Math.round(Number(text.replace(/[^0-9.]/g, "")) * 100);
}
