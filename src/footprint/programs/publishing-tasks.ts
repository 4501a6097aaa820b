// Tasks of build tools that publish a package or release. The table of programs describes the programs themselves.

/** By program: words of the command line that publish. */
const publishing: { readonly [programs: string]: RegExp } = {
	"gradle gradlew": /(?:^|[ :])(?:publish(?!ToMavenLocal)\w*|bintrayUpload|uploadArchives|closeAndRelease\w*)(?: |$)/,
	"sbt mill lein": /(?:^|[ /:+])(?:publish(?!Local)\w*|deploy)(?: |$)/,
	mix: /(?:^| )hex\.publish(?: |$)/,
	pod: /(?:^| )(?:trunk|repo) push(?: |$)/,
	"dart flutter": /(?:^| )pub publish(?: |$)/,
	"flit nimble jsr deno oras": /^(?:-\S+ )*(?:publish|push)(?: |$)/,
	"luarocks cabal stack": /^(?:-\S+ )*upload(?: |$)/,
	opam: /^publish(?: |$)/,
	goreleaser: /^(?:release|publish|announce)(?: |$)/,
	"dotnet nuget": /^(?:nuget )?(?:push|delete)(?: |$)/,
	"rake bundle": /(?:^| )(?:rake )?release(?: |$)/,
	"fastlane eas expo": /(?:^| )(?:deliver|submit|publish|upload_to_\w+|pilot|supply)(?: |$)/,
	npm: /^(?:-\S+ )*(?:pub(?:l(?:i(?:sh?)?)?)?|unp\w*|depre\w*)(?: |$)/,
};

const byProgram = new Map(
	Object.entries(publishing).flatMap(([names, words]) => names.split(" ").map((name) => [name, words] as const)),
);

/** Whether a command of a build tool publishes a package or a release. */
export function publishesByTask(program: string, args: readonly string[]): boolean {
	const words = byProgram.get(program);
	if (!words || args.some((arg) => /^(--dry-run|--snapshot|--help)$/.test(arg))) return false;
	return words.test(args.slice(0, 30).join(" "));
}
