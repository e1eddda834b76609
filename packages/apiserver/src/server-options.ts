import type { ApiServerOptions } from "./server.ts";

/** What a real server can be started with and this one cannot, in the words of people who look for it. */
const unsupported: Readonly<Record<string, string>> = {
  audit: "the requests of a run are told by its log",
  encryption: "objects are stored as they are",
  kms: "objects are stored as they are",
  oidc: "use client certificates or tokens",
  webhookAuthentication: "use client certificates or tokens",
  webhookAuthorization: "RBAC decides",
  nodeAuthorizer: "nodes are simulated",
  certificateSigning: "issue client certificates outside",
  priorityAndFairness: "requests are answered as they come",
};

const known: Readonly<Record<keyof ApiServerOptions, true>> = {
  clock: true,
  entropy: true,
  storage: true,
  controllers: true,
  simulation: true,
  tokens: true,
  podSecurity: true,
  enforceOwnerPermissions: true,
  unreadLimit: true,
  report: true,
};

/** A sentence about options that a caller beyond the type checker gave; undefined when all are understood. */
export function optionProblem(options: ApiServerOptions): string | undefined {
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(known, name)) continue;
    const hint = Object.hasOwn(unsupported, name) ? ` (${unsupported[name] ?? ""})` : "";
    return `embedded server: the option ${JSON.stringify(name)} is not supported${hint}`;
  }
  const { unreadLimit = 1 } = options as { readonly unreadLimit?: unknown };
  if (!Number.isSafeInteger(unreadLimit) || Number(unreadLimit) < 1)
    return `embedded server: unreadLimit is a number of bytes above 0, not ${JSON.stringify(unreadLimit)}`;
  const { podSecurity = "enforce" } = options as { readonly podSecurity?: unknown };
  return podSecurity === "enforce" || podSecurity === "off"
    ? undefined
    : `embedded server: podSecurity is "enforce" or "off", not ${JSON.stringify(podSecurity)}`;
}
