// Every manifest of crds/ as text, by its file name.
import { dump } from "js-yaml";
import { asJson, type KubeObject } from "@purser/kubernetes/apis/object";
import { aggregatedRoles } from "../../src/apis/v0/aggregated-roles.ts";
import { reservedGroupsPolicy } from "../../src/apis/v0/reserved-groups-policy.ts";
import { tenantPolicies } from "../../src/apis/v0/tenant-grants-policies.ts";
import { deprecationPolicy } from "../../src/apis/v1/deprecation-policy.ts";
import type { WritePolicy } from "../../src/apis/write-policy.ts";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject } from "@purser/kubernetes/json";
import { catalogSource, installPlan, subscription } from "./catalog-kinds.ts";
import type { Generator } from "./extension-kinds.ts";
import { clusterCatalog, clusterExtension, clusterObjectSet } from "./extension-kinds.ts";
import { clusterServiceVersion, olmConfig, operator, operatorCondition, operatorGroup } from "./operator-kinds.ts";
import { clusterUpdatePolicy, updatePolicy } from "./policy-kinds.ts";
import type { Kind } from "./schema.ts";
import { embedded, manifestOf } from "./schema.ts";

/** Kubernetes' own types stand in flow style: they are long and rarely read here. */
const flowed = (["DeploymentSpec", "Affinity", "Volume"] as const).map((name) => ({
  mark: `flowed-${name}`,
  text: JSON.stringify(embedded(name).properties),
}));

function marked(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(marked);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, held = null]) => {
      const mark = key === "properties" ? flowed.find(({ text }) => text === JSON.stringify(held))?.mark : undefined;
      return [key, mark ?? marked(held)];
    }),
  );
}

function yamlOf(manifest: JsonObject): string {
  let text = dump(marked(manifest), { lineWidth: -1, noRefs: true, quoteStyle: "double" });
  for (const { mark, text: flow } of flowed) text = text.replaceAll(`: ${mark}\n`, `: ${flow}\n`);
  return `# Written by build/crds-generator/main.ts; change the schema there.\n${text}`;
}

const yamlOfAll = (source: string, objects: readonly KubeObject[]): string =>
  `# Written by build/crds-generator/main.ts from src/apis/${source}.
${objects.map((object) => dump(asJson(object), { lineWidth: -1, noRefs: true, quoteStyle: "double" })).join("---\n")}`;

const objectsOf = ({ policy, binding }: WritePolicy): readonly KubeObject[] => [policy, binding];

/** The admission policy for ClusterServiceVersions; `docs/decisions/0008` says why it is not a rule of the CRD. */
const reservedGroups = yamlOfAll("v0/reserved-groups-policy.ts", objectsOf(reservedGroupsPolicy));
const tenantGrants = yamlOfAll("v0/tenant-grants-policies.ts", tenantPolicies.flatMap(objectsOf));
const roles = yamlOfAll("v0/aggregated-roles.ts", aggregatedRoles);
const deprecation = yamlOfAll("v1/deprecation-policy.ts", objectsOf(deprecationPolicy));

const v0Kinds: readonly Kind[] = [
  catalogSource,
  subscription,
  installPlan,
  clusterServiceVersion,
  operatorGroup,
  operatorCondition,
  olmConfig,
  operator,
];

function v1Kinds(generator: Generator): readonly Kind[] {
  const both = [clusterCatalog(), clusterExtension(generator)];
  return generator === "experimental" ? [...both, clusterObjectSet()] : both;
}

/** Path below `crds/` and content. The experimental set of v1 is the default; `standard/` holds the other one. */
export function manifests(): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const add = (directory: string, kind: Kind, generator?: Generator): void => {
    files.set(`${directory}${kind.group}_${kind.plural}.yaml`, yamlOf(manifestOf(kind, generator)));
  };
  for (const kind of [...v0Kinds, updatePolicy, clusterUpdatePolicy]) add("", kind);
  files.set("operators.coreos.com_clusterserviceversions-policy.yaml", reservedGroups);
  files.set("operators.coreos.com_tenant-policies.yaml", tenantGrants);
  files.set("operators.coreos.com_roles.yaml", roles);
  files.set("olm.operatorframework.io_clusterextensions-policy.yaml", deprecation);
  for (const kind of v1Kinds("experimental")) add("", kind, "experimental");
  for (const kind of v1Kinds("standard")) add("standard/", kind, "standard");
  return files;
}
