// The field `sandbox` of a template and of a state.
import { sandboxField } from "../../../definition/index.ts";

export const stateSandbox = sandboxField({
	about: "How the worker's shell commands are [contained](workers.md#sandbox), instead of `sandbox` of the template.",
	shown: "that of the template",
});

export const templateSandbox = sandboxField({
	about:
		"How workers' shell commands are [contained](workers.md#sandbox): `default` where a sandbox works, `off`, `required`: no worker starts without one; or an object of `use` (one of these), `network` (`open`, `off`, or a list of hosts) and `write` (further paths that commands may write).",
	shown: "the setting `sandbox`",
});
