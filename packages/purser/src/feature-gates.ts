import { done, failed, type Result } from "@purser/kubernetes/result";

/** Feature gates of OLM v1 that are switches here, with OLM's names. What OLM's other gates guard is always on. */
export interface FeatureGates {
  /** `/metas` of the catalog API. */
  readonly APIV1MetasHandler: boolean;
  /** `/graphql` of the catalog API. */
  readonly GraphQLCatalogQueries: boolean;
}

/** What holds without `--feature-gates`. */
export const defaultGates: FeatureGates = { APIV1MetasHandler: true, GraphQLCatalogQueries: false };

const truths: Readonly<Record<string, boolean>> = { true: true, True: true, t: true, 1: true, T: true, TRUE: true };
const falsehoods: Readonly<Record<string, boolean>> = {
  false: true,
  False: true,
  f: true,
  0: true,
  F: true,
  FALSE: true,
};

/** Reads `--feature-gates`: `NAME=true,NAME=false`, of which the last counts. The problem names the gate. */
export function parseFeatureGates(text: string): Result<FeatureGates, string> {
  const gates: { -readonly [Name in keyof FeatureGates]: boolean } = { ...defaultGates };
  const known = (name: string): name is keyof FeatureGates => Object.hasOwn(defaultGates, name);
  for (const pair of text.split(",")) {
    const [name = "", value, ...rest] = pair.split("=").map((part) => part.trim());
    if (name === "" && value === undefined) continue;
    if (!known(name)) return failed(`unknown feature gate "${name}"; known: ${Object.keys(defaultGates).join(", ")}`);
    const isOn = value !== undefined && rest.length === 0 && Object.hasOwn(truths, value);
    if (!isOn && (value === undefined || rest.length > 0 || !Object.hasOwn(falsehoods, value)))
      return failed(`feature gate "${pair.trim()}": write ${name}=true or ${name}=false`);
    gates[name] = isOn;
  }
  return done(gates);
}
