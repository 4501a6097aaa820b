// Files and run kept before a rewind, as a line. Pure.
import { counted } from "../../../definition/index.ts";
import type { KeptState } from "../../core/index.ts";

/** `rewind kept-12  build, visit 3, 2026-01-02 10:20: 3 files changed by the rewind`. */
export function keptLine({ seq, at, visit, state, rewound }: KeptState): string {
	const when = at.slice(0, 16).replace("T", " ");
	const what =
		rewound === null
			? "the rewind was not completed"
			: `${counted(rewound.files, "file")} changed by the rewind${rewound.left > 0 ? `, ${rewound.left} not restored` : ""}`;
	return `rewind kept-${seq}  ${state}, visit ${visit}, ${when}: ${what}`;
}
