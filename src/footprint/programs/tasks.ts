// Harmful tasks of frameworks and build tools: those that drop a project's database, and those that publish a package. The table of programs
// describes the programs themselves.
import type { Effect } from "../effects.ts";

/** The harms of a task that is run by `program` with these words. */
export function taskEffects(program: string, args: readonly string[]): readonly Effect[] {
	return [
		...(dropsData(program, args) ? ["sql-drop" as const] : []),
		...(publishes(program, args) ? ["publish" as const] : []),
	];
}

/** Tasks named by one word. */
const taskNames =
	/^(?:db:(?:drop|reset|purge|wipe|truncate_all|schema:load|structure:load|migrate:reset)(?::\w+)*|migrate:(?:fresh|reset|refresh)|migrate:undo:all|schema:drop|ecto\.(?:drop|reset)|doctrine:(?:database|schema):drop|sql[:-]drop|reset_db|drop-all|dropAll|flush)$/;

/** Tasks named by several words. */
const phrases =
	/\b(?:migrate reset|db reset|database reset|db drop|db wipe|db push (?:\S+ )*--(?:force-reset|accept-data-loss)|migrate[ :]rollback (?:\S+ )*--all|migrate down (?:\S+ )*--all|downgrade base|migrate zero|flyway clean|schema drop)(?: |$)/;

/** Whether a task of a project, given by program and words, drops or empties the database. */
function dropsData(program: string, args: readonly string[]): boolean {
	if (!frameworks.test(program)) return false;
	return (
		args.slice(0, 20).some((arg) => taskNames.test(arg)) || phrases.test(`${program} ${args.slice(0, 20).join(" ")} `)
	);
}

const frameworks =
	/^(?:rails|rake|artisan|prisma|supabase|mix|symfony|console|sequelize|sequelize-cli|typeorm|knex|mikro-orm|drush|wp|manage\.py|django-admin|flask|alembic|flyway|liquibase|hasura|adonis|ace|goose|dbmate|sqlx|diesel|atlas|drizzle-kit|wrangler|turso|neonctl|medusa|strapi|craft|bin)$/;

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
function publishes(program: string, args: readonly string[]): boolean {
	const words = byProgram.get(program);
	if (!words || args.some((arg) => /^(--dry-run|--snapshot|--help)$/.test(arg))) return false;
	return words.test(args.slice(0, 30).join(" "));
}
