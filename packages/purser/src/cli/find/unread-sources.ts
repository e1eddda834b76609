import type { Explanation } from "../../explanation/explanation.ts";
import { summaryOf } from "../../explanation/summary.ts";
import type { Terminal } from "../output/terminal.ts";
import type { UnreadSource } from "./package-sources.ts";

/** Prints which catalogs were not looked in, each with its cause. */
export function reportUnread(terminal: Terminal, unread: readonly UnreadSource[]): void {
  for (const { name, cause } of unread)
    terminal.err(`${terminal.paint("attention", terminal.symbol("attention"))} ${name} was not read: ${cause}`);
}

/**
 * The refusal when no catalog could be looked in.
 * @param selector of the labels that they must have
 */
export function noSource(unread: readonly UnreadSource[], selector?: string): Explanation {
  if (unread.length === 0 && selector !== undefined)
    return {
      code: "CatalogNotFound",
      summary: summaryOf(`No catalog has the labels ${selector}`),
      facts: { selector },
      derivation: [{ relation: "fact", subject: "catalogs", text: `no catalog fits ${selector}` }],
      remedies: [{ summary: "lists the catalogs", command: "purser source list" }],
    };
  if (unread.length === 0)
    return {
      code: "CatalogNotFound",
      summary: "There is no catalog to search",
      facts: { unread: [] },
      derivation: [{ relation: "fact", subject: "catalogs", text: "no CatalogSource and no ClusterCatalog exists" }],
      remedies: [{ summary: "use a catalog on disk", command: "purser search --catalog community=PATH" }],
    };
  return {
    code: "CatalogUnavailable",
    summary: `No catalog can be read: ${unread.length === 1 ? unread[0]?.name : `all ${unread.length} fail`}`,
    facts: { unread: unread.map(({ name, cause }) => ({ name, cause })) },
    derivation: unread.map(({ name, cause }) => ({ relation: "fact", subject: name, text: `${name}: ${cause}` })),
    remedies: [{ summary: "use a catalog on disk or an image", command: "purser search --catalog community=PATH" }],
  };
}
