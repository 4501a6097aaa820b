// The film strip: exactly as wide as asked, with every visit in it, whatever the run.

import fc from "fast-check";
import { expect, it } from "vitest";
import { columnsOf } from "../../../src/pi/display/figures.ts";
import { type FilmFrame, layFilm } from "../../../src/ui/phrases/index.ts";

const frame = fc.record<FilmFrame>({
	title: fc.constantFrom("Plan", "Build", "Red team assessment", "統計の確認", "R"),
	mark: fc.constantFrom("done", "working", "undone", "waiting", "released"),
	visit: fc.nat(),
	visits: fc.constant(1),
	isCurrent: fc.boolean(),
	ms: fc.oneof(fc.constant(0), fc.nat({ max: 40_000_000 })),
	costUsd: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 50, noNaN: true })),
});

it("fills the columns that it gets, and counts every visit", () => {
	fc.assert(
		fc.property(
			fc.array(frame, { minLength: 1, maxLength: 60 }),
			fc.integer({ min: 8, max: 200 }),
			(frames, columns) => {
				const laid = layFilm(frames, columns);
				for (const of of ["text", "figures"] as const)
					expect(columnsOf(laid.map((one) => one[of]).join(""))).toBe(columns);
				for (const one of laid) expect(columnsOf(one.text)).toBe(one.columns);
				const shown = laid.reduce((sum, { visits }) => sum + visits, 0);
				expect(shown).toBe(columns < 18 ? 1 : frames.length);
				expect(laid.at(-1)).toMatchObject({ title: frames.at(-1)?.title, ms: frames.at(-1)?.ms });
			},
		),
	);
});

it("time is width", () => {
	const of = (title: string, ms: number, mark: FilmFrame["mark"] = "done"): FilmFrame => ({
		...{ title, mark, visit: 1, visits: 1, isCurrent: false, ms, costUsd: 0.1 },
	});
	const laid = layFilm([of("Plan", 31_000), of("Build", 124_000), of("Review", 22_000, "released")], 60);
	expect(laid.map(({ text }) => text).join("")).toBe("┃██ Plan ✓ ███┃███████████ Build ✓ ███████████┃█ Review ↩ ██");
	expect(laid.map(({ figures }) => figures).join("")).toBe(
		"   31s $0.10             2m04s $0.10             22s $0.10  ",
	);
});
