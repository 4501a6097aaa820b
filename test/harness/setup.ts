// Vitest's setup file: ties the lifetimes of lifetime.ts to tests and files. It holds nothing else.
import { afterAll, afterEach, beforeEach } from "vitest";
import { beginTest, endFile, endTest } from "./lifetime.ts";

beforeEach(beginTest);
afterEach(endTest, 60_000);
afterAll(endFile, 60_000);
