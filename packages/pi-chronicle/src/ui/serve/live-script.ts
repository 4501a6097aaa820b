// The script of the pages: when the server says that something has changed, it fetches the page again and replaces the parts that differ. What a
// person writes, chooses or presses stays until that has ended, and is brought up to date then; a new question takes no press in its first moment. A
// page that is hidden has no connection; one that hears nothing connects again. Without it, the pages work after a reload.
export const liveScript = `"use strict";
(() => {
	const clickMs = 400, newMs = 700, silentMs = 50000, lookMs = 5000;
	const address = document.currentScript.dataset.live;
	const note = document.getElementById("live");
	const say = (text) => { if (note && note.textContent !== text) note.textContent = text; };
	const parts = () => [...document.querySelectorAll("[data-part]")];
	const served = new Map(parts().map((part) => [part.id, part.outerHTML]));
	const isInUse = (part) =>
		part.contains(document.activeElement) && document.activeElement.matches("input, textarea, select, button") ||
		[...part.querySelectorAll("textarea, input:not([type=hidden]), select")].some(isChanged);
	const isChanged = (field) => {
		if (field.matches("[type=radio], [type=checkbox]")) return field.checked !== field.defaultChecked;
		if (!field.matches("select")) return field.value !== field.defaultValue;
		const asSent = [...field.options].findIndex((option) => option.defaultSelected);
		return field.selectedIndex !== Math.max(0, asSent);
	};
	const foldsOf = (part) => [...part.querySelectorAll("details")];
	const nameOf = (fold) => fold.id || (fold.closest("[id]")?.id ?? "") + " " + fold.firstElementChild?.textContent;
	const twinIn = (next, focused) => focused.matches("summary")
		? foldsOf(next).find((fold) => nameOf(fold) === nameOf(focused.parentElement))?.firstElementChild
		: next.querySelector('a[href="' + CSS.escape(focused.getAttribute("href") ?? "") + '"]');
	const askedIn = (part) => part.querySelector("[name=answers]")?.value;
	const replace = (part, fresh) => {
		if (served.get(part.id) === fresh.outerHTML) return true;
		if (isInUse(part)) return false;
		served.set(part.id, fresh.outerHTML);
		const open = new Set(foldsOf(part).filter((fold) => fold.open).map(nameOf));
		const next = document.importNode(fresh, true);
		for (const fold of foldsOf(next)) if (open.has(nameOf(fold))) fold.open = true;
		const twin = part.contains(document.activeElement) ? twinIn(next, document.activeElement) : undefined;
		part.replaceWith(next);
		twin?.focus({ preventScroll: true });
		if (askedIn(next) === undefined || askedIn(next) === askedIn(part)) return true;
		const buttons = [...next.querySelectorAll("button")];
		for (const button of buttons) button.inert = true;
		setTimeout(() => { for (const button of buttons) button.inert = false; }, newMs);
		return true;
	};
	const pressed = new Set();
	let clicking;
	let held = false;
	const press = (what) => { clearTimeout(clicking); clicking = undefined; pressed.add(what); };
	const release = (what) => {
		if (!pressed.delete(what) || pressed.size > 0) return;
		clicking = setTimeout(() => { clicking = undefined; catchUp(); }, clickMs);
	};
	const catchUp = () => { if (held) refresh(); };
	const show = (fresh) => {
		held = pressed.size > 0 || clicking !== undefined;
		if (held) return;
		held = !parts().map((part) => fresh.getElementById(part.id) ? replace(part, fresh.getElementById(part.id)) : true).every(Boolean);
		say(held ? "This has changed while you write. What you send is checked against what you saw." : "");
	};
	let running = false;
	let again = false;
	const refresh = async () => {
		if (running) { again = true; return; }
		running = true;
		try {
			const answer = await fetch(location.href, { headers: { accept: "text/html" } });
			const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
			if (answer.ok) show(fresh);
			else say((fresh.querySelector("main p") ?? fresh.body).textContent + " What you see may be old.");
		} catch { /* The next event tries again. */ }
		running = false;
		if (again) { again = false; refresh(); }
	};
	let source;
	let heardAt;
	let isLost = false;
	const hear = () => { heardAt = performance.now(); };
	const connect = () => {
		source?.close();
		source = document.hidden ? undefined : new EventSource(address);
		if (!source) return;
		hear();
		source.addEventListener("alive", hear);
		source.onmessage = () => { hear(); refresh(); };
		source.onopen = () => { if (isLost) refresh(); isLost = false; };
		source.onerror = () => { isLost = true; say("No connection: what you see may be old."); };
	};
	connect();
	setInterval(() => { if (source && performance.now() - heardAt > silentMs) connect(); }, lookMs);
	document.addEventListener("visibilitychange", connect);
	document.addEventListener("focusout", catchUp);
	addEventListener("pointerdown", (event) => { if (event.button === 0) press(event.pointerId); }, true);
	for (const end of ["pointerup", "pointercancel"]) addEventListener(end, (event) => release(event.pointerId), true);
	addEventListener("keydown", (event) => { if (event.key === " ") press(" "); }, true);
	addEventListener("keyup", (event) => { if (event.key === " ") release(" "); }, true);
	addEventListener("blur", () => { for (const one of [...pressed]) release(one); });
})();
`;
