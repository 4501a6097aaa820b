export { type Closer, openScope, openSessionScope, type Scope } from "./scope.ts";
