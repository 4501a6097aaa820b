// What the bundle contains of other packages: their licenses as THIRD-PARTY-NOTICES, and a bill of materials in the format of CycloneDX.
// Both name what esbuild has bundled, not what is installed; a package without a license file or license fails the build; the same
// sources give the same bytes.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Folder of the package that a bundled file belongs to. */
const packageFolder = /^(.*\bnode_modules\/(?:@[^/]+\/)?[^/]+)\//;

/** Writes both files into `folder`. `files`: the bundle's inputs, relative to `root`. `own`: the manifest of what is bundled. */
export function writeNotices(files, { root, folder, own }) {
	const folders = new Set([...files].flatMap((file) => packageFolder.exec(file)?.[1] ?? []));
	const byName = (a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1);
	const packages = [...folders].map((one) => describe(join(root, one))).sort(byName);
	const notices = packages.map(
		({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text.trim()}\n`,
	);
	const title = `${own.name} contains parts of these packages:\n`;
	writeFileSync(join(folder, "THIRD-PARTY-NOTICES"), [title, ...notices].join(`\n${"-".repeat(80)}\n\n`));
	const component = ({ name, version, license }) => ({
		type: "library",
		"bom-ref": purlOf(name, version),
		name,
		version,
		licenses: [{ license: { id: license } }],
		purl: purlOf(name, version),
	});
	const bill = {
		bomFormat: "CycloneDX",
		specVersion: "1.6",
		version: 1,
		metadata: { component: { ...component(own), type: "application" } },
		components: packages.map(component),
		dependencies: [
			{ ref: purlOf(own.name, own.version), dependsOn: packages.map((one) => purlOf(one.name, one.version)) },
		],
	};
	writeFileSync(join(folder, "sbom.cdx.json"), `${JSON.stringify(bill, null, "\t")}\n`);
}

function purlOf(name, version) {
	return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

function describe(folder) {
	const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
	const file = readdirSync(folder).find((one) => /^(?:licen[sc]e|copying)\b/i.test(one));
	if (typeof license !== "string" || file === undefined)
		throw new Error(`${name} has no license that can be passed on.`);
	return { name, version, license, text: readFileSync(join(folder, file), "utf8") };
}
