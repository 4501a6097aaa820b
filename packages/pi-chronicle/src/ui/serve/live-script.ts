// The script of the pages: when the server says that something has changed, it fetches the page again and replaces the parts that differ. What a
// person writes or chooses stays. Without it, the pages work after a reload.
export const liveScript = `"use strict";
(() => {
	const address = document.currentScript.dataset.live;
	const note = document.getElementById("live");
	const say = (text) => { if (note && note.textContent !== text) note.textContent = text; };
	const isInUse = (part) =>
		part.contains(document.activeElement) && document.activeElement.matches("input, textarea, select, button") ||
		[...part.querySelectorAll("textarea, input:not([type=hidden]), select")].some(isChanged);
	const isChanged = (field) => {
		if (field.matches("[type=radio], [type=checkbox]")) return field.checked !== field.defaultChecked;
		if (!field.matches("select")) return field.value !== field.defaultValue;
		const asSent = [...field.options].findIndex((option) => option.defaultSelected);
		return field.selectedIndex !== Math.max(0, asSent);
	};
	const openFolds = (part) => new Set([...part.querySelectorAll("details[open]")].map(nameOf));
	const nameOf = (fold) => fold.id || (fold.closest("[id]")?.id ?? "") + " " + fold.firstElementChild?.textContent;
	const replace = (part, fresh) => {
		if (part.outerHTML === fresh.outerHTML) return true;
		if (isInUse(part)) return false;
		const open = openFolds(part);
		const next = document.importNode(fresh, true);
		for (const fold of next.querySelectorAll("details")) if (open.has(nameOf(fold))) fold.open = true;
		const focused = part.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
		part.replaceWith(next);
		if (focused !== null) next.querySelector('a[href="' + CSS.escape(focused) + '"]')?.focus({ preventScroll: true });
		return true;
	};
	let running = false;
	let again = false;
	const refresh = async () => {
		if (running) { again = true; return; }
		running = true;
		try {
			const answer = await fetch(location.href, { headers: { accept: "text/html" } });
			const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
			if (answer.status === 503) say(fresh.querySelector("main p").textContent + " What you see may be old.");
			if (answer.ok) {
				const all = [...document.querySelectorAll("[data-part]")].map((part) => {
					const found = fresh.getElementById(part.id);
					return found ? replace(part, found) : true;
				});
				say(all.every(Boolean) ? "" : "This has changed while you write. What you send is checked against what you saw.");
			}
		} catch { /* The next event tries again. */ }
		running = false;
		if (again) { again = false; refresh(); }
	};
	const source = new EventSource(address);
	source.onmessage = refresh;
	source.onopen = () => say("");
	source.onerror = () => say("No connection: what you see may be old.");
	addEventListener("pagehide", () => source.close());
})();
`;
