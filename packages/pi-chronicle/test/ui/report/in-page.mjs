// What is measured in the browser, in the page itself: put there before the page's own policy holds, because that allows no script.
const shown = (element) => element.checkVisibility({ checkVisibilityCSS: true, contentVisibilityAuto: true });

/** Elements that are meant to scroll: what is inside of them may be wider. Paper does not scroll. */
const scrolls = ".scroll, .frame, .hunks, .film";
const isPaper = () => matchMedia("print").matches;

/** Frames that a screen reader is given instead of being shown, such as captions of tables. */
const hiddenFromSight = (element) => element.closest("caption, thead, .skip") !== null;

/** Lines of text on the page, as rectangles. */
function lines(root, accept) {
	const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
	const found = [];
	for (let node = walker.nextNode(); node; node = walker.nextNode()) {
		const parent = node.parentElement;
		if (node.data.trim() === "" || !parent || !shown(parent) || !accept(parent)) continue;
		const range = document.createRange();
		range.selectNodeContents(node);
		// A list that scrolls shows only what is inside of it.
		const clip = parent.closest(".inspector > nav")?.getBoundingClientRect();
		for (const { left, top, right, bottom } of range.getClientRects())
			if (right - left > 1 && bottom - top > 1 && (!clip || (top >= clip.top && bottom <= clip.bottom)))
				found.push({ left, top, right, bottom, text: node.data.trim(), parent });
	}
	return found;
}

/** Pairs of texts that lie on each other by more than `slack` pixels in both directions. */
function overlaps(rects, slack) {
	const pairs = [];
	const sorted = rects.toSorted((one, other) => one.top - other.top);
	for (const [index, one] of sorted.entries())
		for (const other of sorted.slice(index + 1)) {
			if (other.top > one.bottom - slack) break;
			const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
			const height = Math.min(one.bottom, other.bottom) - other.top;
			if (width > slack && height > slack) pairs.push(`${one.text.slice(0, 40)} | ${other.text.slice(0, 40)}`);
		}
	return pairs;
}

function parse(color) {
	const [r = 0, g = 0, b = 0, a = 1] = (color.match(/[\d.]+/g) ?? []).map(Number);
	return { r, g, b, a: color === "none" || color === "transparent" ? 0 : a };
}

const over = (top, ground) => ({
	r: top.r * top.a + ground.r * (1 - top.a),
	g: top.g * top.a + ground.g * (1 - top.a),
	b: top.b * top.a + ground.b * (1 - top.a),
	a: 1,
});

function luminance({ r, g, b }) {
	const [red, green, blue] = [r, g, b].map((value) => {
		const share = value / 255;
		return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast by WCAG 2.2, 1 to 21. */
function contrastOf(one, other) {
	const [light, dark] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
	return (light + 0.05) / (dark + 0.05);
}

/** The color that lies behind an element of the page. */
function groundOf(element) {
	const layers = [];
	for (let at = element; at; at = at.parentElement) {
		const color = parse(getComputedStyle(at).backgroundColor);
		layers.push(color);
		if (color.a === 1) break;
	}
	return layers.reduceRight((ground, layer) => over(layer, ground), { r: 255, g: 255, b: 255, a: 1 });
}

/** The color behind a text of a drawing: shapes that are drawn before it and lie under its middle, on the drawing's own ground. */
function drawnGround(text) {
	const svg = text.ownerSVGElement;
	const box = text.getBoundingClientRect();
	const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
	let ground = groundOf(svg.parentElement);
	for (const shape of svg.querySelectorAll("rect, path")) {
		if ((shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING) === 0) break;
		const area = shape.getBoundingClientRect();
		if (x < area.left || x > area.right || y < area.top || y > area.bottom) continue;
		const style = getComputedStyle(shape);
		const fill = parse(style.fill);
		if (style.fill === "none" || fill.a === 0) continue;
		if (shape.tagName === "path") {
			const point = new DOMPoint(x, y).matrixTransform(shape.getScreenCTM().inverse());
			if (!shape.isPointInFill(point)) continue;
		}
		ground = over(fill, ground);
	}
	return ground;
}

const unfolded = new Set();

globalThis.measures = {
	/** Everything that is wider than the page. */
	wider() {
		const limit = document.documentElement.clientWidth;
		const out = [...document.body.querySelectorAll("*")].filter((element) => {
			const { right, width } = element.getBoundingClientRect();
			const free = isPaper() || element.closest(scrolls) === null || element.matches(scrolls);
			return width > 0 && right > limit + 1 && free && shown(element) && !hiddenFromSight(element);
		});
		const page = document.scrollingElement.scrollWidth > limit ? ["the page itself"] : [];
		return [
			...page,
			...out.map((element) => `${element.tagName}.${element.className} ${element.textContent.slice(0, 60)}`),
		];
	},
	/** Texts of the page that lie on each other. */
	overlapping() {
		const free = (element) => element.closest("svg") === null && !hiddenFromSight(element);
		return overlaps(lines(document.body, free), 2);
	},
	/** Texts of drawings that lie on each other or leave their drawing. */
	drawn() {
		return [...document.querySelectorAll("svg.drawing")].filter(shown).flatMap((svg) => {
			const texts = lines(
				svg,
				(element) => element.closest("text") !== null && element.closest("title, desc") === null,
			);
			const frame = svg.getBoundingClientRect();
			const outside = texts.filter(
				({ left, right, top, bottom }) =>
					left < frame.left - 2 || right > frame.right + 2 || top < frame.top - 2 || bottom > frame.bottom + 2,
			);
			return [...overlaps(texts, 2.5), ...outside.map(({ text }) => `outside: ${text}`)].map(
				(words) => `${svg.getAttribute("aria-labelledby")}: ${words}`,
			);
		});
	},
	/** Texts with less contrast than `least`, and how many were measured. */
	contrast(least) {
		const weak = [];
		const texts = lines(
			document.body,
			(element) => element.closest("title, desc") === null && !hiddenFromSight(element),
		);
		for (const { parent, text } of texts) {
			const svg = parent.closest("svg") !== null;
			const ground = svg ? drawnGround(parent.closest("text")) : groundOf(parent);
			const style = getComputedStyle(parent);
			const color = over(parse(svg ? style.fill : style.color), ground);
			const contrast = contrastOf(color, ground);
			if (contrast < least)
				weak.push(`${contrast.toFixed(2)} ${parent.className.baseVal ?? parent.className}: ${text.slice(0, 40)}`);
		}
		return { measured: texts.length, weak };
	},
	/** The smallest text, in pixels on the screen. */
	smallest() {
		const sizes = [...document.querySelectorAll("svg.drawing")].filter(shown).flatMap((svg) => {
			const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
			return [...svg.querySelectorAll("text")].map(
				(text) => Number.parseFloat(getComputedStyle(text).fontSize) * scale,
			);
		});
		return Math.min(...sizes);
	},
	/** Unfolds everything. */
	open() {
		for (const details of document.querySelectorAll("details:not([open])")) {
			details.open = true;
			unfolded.add(details);
		}
	},
	/** Folds what `open` has unfolded. */
	fold() {
		for (const details of unfolded) details.open = false;
		unfolded.clear();
	},
	/** The next Tab goes to the first element of the page, as after loading it. */
	toStart() {
		document.activeElement?.blur();
		getSelection().collapse(document.body, 0);
		scrollTo(0, 0);
	},
	page() {
		return parse(getComputedStyle(document.body).backgroundColor);
	},
	/** What has the keyboard now, in a word or two. */
	focused() {
		const element = document.activeElement;
		if (!element || element === document.body) return "";
		return `${element.tagName.toLowerCase()} ${(element.getAttribute("aria-label") ?? element.textContent ?? "").replace(/\s+/g, " ").trim().slice(0, 60)}`;
	},
	/** Everything that must be reachable by keyboard. */
	reachable() {
		return [...document.querySelectorAll("a[href], summary, [tabindex='0']")].filter(shown).length;
	},
};
