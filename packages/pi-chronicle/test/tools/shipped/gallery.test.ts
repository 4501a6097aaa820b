// The page of the gallery: a section for each shipped definition, with its diagram, a screen and a report, which contain their text.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { checkout, pictureFolder, pictureLines } from "../../harness/index.ts";
import { textOfWebp } from "../../harness/webp.ts";
import { shippedCases } from "./repositories.ts";

const sections = readFileSync(join(checkout, "docs", "gallery.md"), "utf8").split(/^## /m);

it.each(shippedCases)("the gallery shows $name with its diagram, a screen and a report of a run", ({ name, kind }) => {
	const section = sections.find((text) => text.includes(`generated:shipped-${name} -->`)) ?? "";
	expect(section).toContain("```mermaid");
	expect(section).toContain(`\`/${kind} ${name} <task>\``);
	const pictures = [...section.matchAll(/!\[(.{20,})\]\(images\/gallery\/(.+?)\)/g)].map(([, , file]) => file ?? "");
	expect(pictures).toEqual([`${name}.svg`, `${name}-report.${kind === "chronicle" ? "webp" : "svg"}`]);
	for (const file of pictures) {
		const text = file.endsWith(".svg")
			? pictureLines(`gallery/${file.replace(/\.svg$/, "")}`).join("\n")
			: textOfWebp(readFileSync(join(pictureFolder, "gallery", file)));
		expect(text?.length, file).toBeGreaterThan(200);
	}
});
