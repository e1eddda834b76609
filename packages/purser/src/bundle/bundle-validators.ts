import type { ClusterServiceVersion, WebhookDescription } from "../apis/v0/cluster-service-version.ts";
import type { JsonObject } from "@purser/kubernetes/json";
import { dnsSubdomainFault } from "./dns-names.ts";
import { supportedModes } from "./install-modes.ts";
import type { RegistryBundle } from "./registry-bundle.ts";
import { isSupportedKind } from "./supported-kinds.ts";

interface Checked {
  readonly bundle: RegistryBundle;
  readonly csv: ClusterServiceVersion;
  readonly deployments: readonly string[];
  readonly crds: readonly string[];
  readonly webhooks: readonly WebhookDescription[];
}

type Validator = (checked: Checked) => readonly string[];

/** Violations of the rules of registry+v1, in upstream's words and order. */
export function bundleFaults(bundle: RegistryBundle): readonly string[] {
  const csv = bundle.csv as unknown as ClusterServiceVersion;
  const checked: Checked = {
    bundle,
    csv,
    deployments: (csv.spec.install.spec?.deployments ?? []).map(({ name }) => name),
    crds: bundle.crds.map(({ object }) => nameOf(object)),
    webhooks: csv.spec.webhookdefinitions ?? [],
  };
  return validators.flatMap((validate) => validate(checked));
}

const validators: readonly Validator[] = [
  ({ deployments }) =>
    repeated(deployments).map(
      (name) => `cluster service version contains duplicate strategy deployment spec '${name}'`,
    ),
  ({ deployments }) =>
    unique(deployments).flatMap((name) =>
      dnsSubdomainFault(name).map(
        (fault) => `invalid cluster service version strategy deployment name '${name}': ${fault}`,
      ),
    ),
  ({ crds }) => repeated(crds).map((name) => `bundle contains duplicate custom resource definition '${name}'`),
  ({ csv, crds }) =>
    unique((csv.spec.customresourcedefinitions?.owned ?? []).map(({ name }) => name))
      .filter((name) => !crds.includes(name))
      .map(
        (name) =>
          `cluster service definition references owned custom resource definition '${name}' not found in bundle`,
      ),
  ({ bundle }) => (bundle.packageName === "" ? ["package name is empty"] : []),
  conversionModes,
  ({ webhooks, deployments }) =>
    webhooks
      .filter(({ deploymentName = "" }) => !deployments.includes(deploymentName))
      .toSorted((a, b) =>
        compare([a.deploymentName, a.type, a.generateName], [b.deploymentName, b.type, b.generateName]),
      )
      .map(
        ({ type, generateName, deploymentName = "" }) =>
          `webhook of type '${type}' with name '${generateName}' references non-existent deployment '${deploymentName}'`,
      ),
  ({ webhooks }) =>
    typesOf(webhooks).flatMap((wanted) =>
      repeated(webhooks.filter(({ type }) => type === wanted).map(({ generateName }) => generateName)).map(
        (name) => `duplicate webhook '${name}' of type '${wanted}'`,
      ),
    ),
  ({ webhooks }) =>
    typesOf(webhooks).flatMap((wanted) =>
      unique(webhooks.filter(({ type }) => type === wanted).map(({ generateName }) => generateName)).flatMap((name) =>
        dnsSubdomainFault(name).map((fault) => `webhook of type '${wanted}' has invalid name '${name}': ${fault}`),
      ),
    ),
  sharedConversions,
  foreignConversions,
  forbiddenRules,
  ({ bundle }) =>
    bundle.others
      .filter(({ object }) => !isSupportedKind(kindOf(object)))
      .map(({ object }) => `unsupported resource "${nameOf(object)}" with kind "${kindOf(object)}"`),
];

/** Every type that a webhook states, also one that no cluster knows. */
function typesOf(webhooks: readonly WebhookDescription[]): readonly string[] {
  return unique(webhooks.map(({ type }) => type));
}

function conversionModes({ csv, webhooks }: Checked): readonly string[] {
  const modes = supportedModes(csv);
  if (modes.length === 1 && modes[0] === "AllNamespaces") return [];
  return conversionWebhooks(webhooks).map(
    ({ generateName }) =>
      `bundle contains conversion webhook "${generateName}" and supports install modes [${modes.join(" ")}] - conversion webhooks are only supported for bundles that only support AllNamespaces install mode`,
  );
}

function conversionWebhooks(webhooks: readonly WebhookDescription[]): readonly WebhookDescription[] {
  return webhooks.filter(({ type }) => type === "ConversionWebhook");
}

function sharedConversions({ webhooks }: Checked): readonly string[] {
  // A webhook that lists a definition twice counts twice, as with OLM.
  const byCrd = new Map<string, string[]>();
  for (const { generateName, conversionCRDs } of conversionWebhooks(webhooks)) {
    for (const crd of conversionCRDs ?? []) byCrd.set(crd, [...(byCrd.get(crd) ?? []), generateName]);
  }
  return [...byCrd]
    .filter(([, names]) => names.length > 1)
    .toSorted(([a], [b]) => compare([a], [b]))
    .map(
      ([crd, names]) =>
        `conversion webhooks [${names.toSorted().join(",")}] reference same custom resource definition '${crd}'`,
    );
}

function foreignConversions({ csv, webhooks }: Checked): readonly string[] {
  const owned = new Set((csv.spec.customresourcedefinitions?.owned ?? []).map(({ name }) => name));
  return conversionWebhooks(webhooks)
    .toSorted((a, b) => compare([a.generateName], [b.generateName]))
    .flatMap(({ generateName, conversionCRDs }) =>
      [...(conversionCRDs ?? [])]
        .toSorted()
        .filter((crd) => !owned.has(crd))
        .map(
          (crd) =>
            `conversion webhook '${generateName}' references custom resource definition '${crd}' not owned bundle`,
        ),
    );
}

/** Rules that would let an operator intercept the lifecycle manager or other webhooks. */
function forbiddenRules({ webhooks }: Checked): readonly string[] {
  const prefix = (name: string) =>
    `webhook "${name}" contains forbidden rule: admission webhook rules cannot reference`;
  const admission = webhooks.filter(({ type }) => type !== "ConversionWebhook");
  return admission.flatMap(({ generateName, rules }) =>
    (rules ?? []).flatMap(({ apiGroups, resources }) =>
      (apiGroups ?? []).flatMap((group) => {
        if (group === "*" || group === "olm.operatorframework.io")
          return [`${prefix(generateName)} API group "${group}"`];
        if (group !== "admissionregistration.k8s.io") return [];
        return (resources ?? [])
          .filter((resource) => /^(\*|(mutating|validating)webhookconfigurations?)$/i.test(resource))
          .map((resource) => `${prefix(generateName)} resource "${resource}" for API group "${group}"`);
      }),
    ),
  );
}

function kindOf({ kind }: JsonObject): string {
  return typeof kind === "string" ? kind : "";
}

function nameOf(object: JsonObject): string {
  const { metadata } = object as unknown as { readonly metadata?: { readonly name?: string } };
  return metadata?.name ?? "";
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted();
}

function repeated(names: readonly string[]): readonly string[] {
  return unique(names.filter((name, i) => names.indexOf(name) !== i));
}

function compare(a: readonly (string | undefined)[], b: readonly (string | undefined)[]): number {
  for (const [i, left = ""] of a.entries()) {
    const right = b[i] ?? "";
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}
