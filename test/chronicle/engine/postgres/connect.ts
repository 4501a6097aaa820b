// Connections of tests to an engine's database.
import { type Database, openDatabase } from "../../../../src/chronicle/engine/postgres/database.ts";
import { closeLater } from "../../../harness/lifetime.ts";

/** Opens the database; it is closed when what opened it ends (see lifetime.ts). */
export async function connect(url: string): Promise<Database> {
	const opened = await openDatabase(url);
	if (!opened.ok) throw new Error(opened.failure.message);
	const database = opened.value;
	closeLater(() => database.close());
	return database;
}
