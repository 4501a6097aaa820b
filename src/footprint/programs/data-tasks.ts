// Tasks of frameworks that drop or empty a project's database. The table of programs describes the programs themselves.

/** Tasks named by one word. */
const words =
	/^(?:db:(?:drop|reset|purge|wipe|truncate_all|schema:load|structure:load|migrate:reset)(?::\w+)*|migrate:(?:fresh|reset|refresh)|migrate:undo:all|schema:drop|ecto\.(?:drop|reset)|doctrine:(?:database|schema):drop|sql[:-]drop|reset_db|drop-all|dropAll|flush)$/;

/** Tasks named by several words. */
const phrases =
	/\b(?:migrate reset|db reset|database reset|db drop|db wipe|db push (?:\S+ )*--(?:force-reset|accept-data-loss)|migrate[ :]rollback (?:\S+ )*--all|migrate down (?:\S+ )*--all|downgrade base|migrate zero|flyway clean|schema drop)(?: |$)/;

/** Whether a task of a project, given by program and words, drops or empties the database. */
export function dropsData(program: string, args: readonly string[]): boolean {
	if (!programs.test(program)) return false;
	return args.slice(0, 20).some((arg) => words.test(arg)) || phrases.test(`${program} ${args.slice(0, 20).join(" ")} `);
}

const programs =
	/^(?:rails|rake|artisan|prisma|supabase|mix|symfony|console|sequelize|sequelize-cli|typeorm|knex|mikro-orm|drush|wp|manage\.py|django-admin|flask|alembic|flyway|liquibase|hasura|adonis|ace|goose|dbmate|sqlx|diesel|atlas|drizzle-kit|wrangler|turso|neonctl|medusa|strapi|craft|bin)$/;
