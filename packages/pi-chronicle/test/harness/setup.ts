// Vitest's setup file: ties the lifetimes of lifetime.ts to tests and files, and sets what holds for every test: how often a property is
// tried, how long is waited, and that no file stays open.
import fc from "fast-check";
import { afterAll, afterEach, beforeEach, vi } from "vitest";
import { beginTest, endFile, endTest } from "./lifetime.ts";
import { expectFilesClosed } from "./open-files.ts";
import { patient } from "./patience.ts";
import { deep, runs, seed } from "./runs.ts";

fc.configureGlobal({ numRuns: runs(), seed });
const most = patient(deep ? 600_000 : 30_000);
vi.setConfig({ testTimeout: most, hookTimeout: patient(30_000) });

beforeEach(beginTest);
afterEach(endTest, patient(60_000));
// Hooks run last registered first: files are closed before it is checked.
afterAll(() => expectFilesClosed(patient(10_000)), patient(30_000));
afterAll(endFile, patient(60_000));
