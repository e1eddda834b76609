import type { ImageIdentity } from "./image-identity.ts";
import { ownTransport, type Policy, type Requirement } from "./policy.ts";

export interface ChosenRequirements {
  /** `transport: scope`, `transport` for its default, or `default`. */
  readonly scope: string;
  readonly requirements: readonly Requirement[];
}

/**
 * The requirements of the most specific scope, which alone apply: first `own` (`catalog/NAME`, `package/NAME`) in transport
 * `purser`, then the scopes of the image in its transport, then the transport's default, then the default of the policy.
 */
export function chooseRequirements(
  policy: Policy,
  own: readonly string[],
  { transport, scopes }: ImageIdentity,
): ChosenRequirements {
  const places = [
    ...own.map((scope) => [ownTransport, scope] as const),
    ...[...scopes, ""].map((scope) => [transport, scope] as const),
  ];
  for (const [name, scope] of places) {
    const requirements = policy.transports.get(name)?.get(scope);
    if (requirements !== undefined) return { scope: scope === "" ? name : `${name}: ${scope}`, requirements };
  }
  return { scope: "default", requirements: policy.default };
}
