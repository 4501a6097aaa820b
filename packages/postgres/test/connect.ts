// Connections of tests to an engine's database.

import { closeLater } from "../../pi-chronicle/test/harness/lifetime.ts";
import { type Database, openDatabase } from "../src/database.ts";

/** Opens the database; it is closed when what opened it ends (see lifetime.ts). */
export async function connect(url: string): Promise<Database> {
	const opened = await openDatabase(url);
	if (!opened.ok) throw new Error(opened.failure.message);
	const database = opened.value;
	closeLater(() => database.close());
	return database;
}
