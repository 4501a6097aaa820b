// The web addresses that documents may link to. Tests have no network: open an address before you add its row.

/** Hosts whose pages are linked. */
export const hosts: readonly string[] = [
	"api.telegram.org",
	"cloud.langfuse.com",
	"ntfy.sh",
	"opentelemetry.io",
	"pi.dev",
];

/** Repositories on GitHub; links lead to their front page, or to a page of the kind that is named. */
export const repositories: Readonly<Record<string, readonly string[]>> = {
	"github/spec-kit": [],
	"harms-haus/pi-workflows": [],
	"HenryLach/taskplane": [],
	"mikeyobrien/ralph-orchestrator": [],
	"nicobailon/pi-subagents": [],
	"pi-chronicle/pi-chronicle": ["issues", "security/advisories/new"],
	"timgit/pg-boss": [],
};

/** What is wrong with a web address; `undefined`: nothing. */
export function wrongAddress(address: string): string | undefined {
	if (!URL.canParse(address)) return "is no address";
	const { protocol, host, pathname, username, port } = new URL(address);
	if (protocol !== "https:" || username !== "" || port !== "") return "is no plain https address";
	if (host !== "github.com") return hosts.includes(host) ? undefined : "has a host that is not in the table";
	const [, owner = "", name = "", ...page] = pathname.replace(/\/$/, "").split("/");
	const pages = repositories[`${owner}/${name}`];
	if (!pages) return "leads to a repository that is not in the table";
	return page.length === 0 || pages.includes(page.join("/")) ? undefined : "leads to a page that is not in the table";
}
