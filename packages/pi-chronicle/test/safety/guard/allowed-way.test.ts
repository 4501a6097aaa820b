// The advice of a refusal: a command to the same end that the rules allow, found by judging it.
import { afterAll, describe, expect, it } from "vitest";
import { dangerous } from "../../../../footprint/test/dangerous-commands.ts";
import { openSetting, starterRules } from "./guarded-project.ts";

const setting = openSetting(starterRules);
afterAll(() => setting.close());

const adviceOn = async (command: string) => {
	const { decision, verdicts } = await setting.bash(command);
	return { decision, advice: [...new Set(verdicts.map(({ advice = "" }) => advice))] };
};

describe("the advice about a command", () => {
	it.each([
		["git push --force origin main", "git push --force-with-lease origin main"],
		["git push origin +main", "git push origin main"],
		["cd src && git push -f", "git push --force-with-lease"],
		["git reset --hard HEAD~1", "git reset --keep HEAD~1"],
		["git clean -fdx", "git clean -n"],
		["git checkout -- .", "git stash"],
		["git branch -D x", "git branch -d x"],
		["npm publish", "npm publish --dry-run"],
		["chmod -R 777 .", "chmod -R u+rwX ."],
		["find . -name '*.ts' -delete", "find . -name '*.ts' -print"],
		["kubectl delete ns prod", "kubectl delete ns prod --dry-run=client"],
	])("%s: %s", async (command, instead) => {
		const { decision, advice } = await adviceOn(command);
		expect(decision).not.toBe("allow");
		expect(advice).toHaveLength(1);
		expect(advice[0]).toContain(`: \`${instead}\`.`);
	});

	it("names no way where none is known", async () => {
		expect(await adviceOn("terraform destroy")).toEqual({
			...{ decision: "deny", advice: ["Continue without it, or ask the user to do it."] },
		});
	});

	it("names only what passes", async () => {
		for (const command of Object.values(dangerous).flat()) {
			const { advice } = await adviceOn(command);
			for (const text of advice) {
				const [, instead] = /^Allowed instead of `[^`]*`: `([^`…]+)`\./.exec(text) ?? [];
				if (instead !== undefined) expect(await setting.bash(instead), instead).toMatchObject({ decision: "allow" });
			}
		}
	});
});
