import { basename, extname } from "node:path";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import { globalNamespace } from "../apis/own-namespaces.ts";

/** A parsed `--catalog [NAMESPACE/]NAME=PATH`. */
export interface CatalogArgument {
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
}

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
/** A DNS-1123 label. */
const label = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * NAMESPACE defaults to the global one; for a bare PATH, NAME is its base name without the extension.
 * @param options.globalNamespace default `olm`
 * @param options.existing the name is that of an existing catalog object, which may contain dots
 */
export function parseCatalogArgument(
  text: string,
  options: { readonly existing?: boolean; readonly globalNamespace?: string } = {},
): Result<CatalogArgument, string> {
  const equals = text.indexOf("=");
  const path = equals < 0 ? text : text.slice(equals + 1);
  const key =
    equals < 0
      ? basename(path, extname(path) === "" || /^\.\d/.test(extname(path)) ? "" : extname(path))
      : text.slice(0, equals);
  const slash = equals < 0 ? -1 : key.indexOf("/");
  const namespace = slash < 0 ? (options.globalNamespace ?? globalNamespace) : key.slice(0, slash);
  const name = slash < 0 ? key : key.slice(slash + 1);
  if (path === "") return failed(`--catalog "${text}" names no path; write [NAMESPACE/]NAME=PATH`);
  for (const [what, value] of [
    ["name", name],
    ["namespace", namespace],
  ] as const) {
    const mayHoldDots = what === "name" && options.existing === true && value.length <= 253;
    if (!label.test(value) && !(mayHoldDots && subdomain.test(value))) {
      const way = equals < 0 ? `; give it one: --catalog NAME=${path}` : "";
      return failed(
        `--catalog "${text}": ${what} "${value}" is not a DNS-1123 label (lower-case letters, digits and "-", at most 63)${way}`,
      );
    }
  }
  return done({ namespace, name, path });
}

/** Why a name cannot be that of a namespace; undefined when it can. */
export const namespaceProblem = (name: string): string | undefined =>
  label.test(name)
    ? undefined
    : `"${name}" is not a DNS-1123 label (lower-case letters, digits and "-", at most 63 characters)`;
