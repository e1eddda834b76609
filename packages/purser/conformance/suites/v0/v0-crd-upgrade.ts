import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ClusterServiceVersion } from "../../../src/apis/v0/cluster-service-version.ts";
import type { StepStatus } from "../../../src/apis/v0/install-plan.ts";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { improved } from "../../../src/compat.ts";
import { executeCrdStep } from "../../../src/rollout/crd-step.ts";
import { competingOwners } from "../../../src/rollout/plan/competing-owners.ts";
import { compareExactly, firstDifference } from "../../compare.ts";
import type { Compare, GoldenCase, Suite } from "../../suite.ts";
import { answer } from "../../suite.ts";
import { listAt, objectAt, textAt } from "../bundle-directory.ts";
import { asObjects, RecordingCluster } from "./recording-cluster.ts";

/** Custom resources answer for every version (no conversion). */
class VersionlessCluster extends RecordingCluster {
  readonly #resources: readonly KubeObject[];

  constructor(held: readonly KubeObject[], resources: readonly KubeObject[]) {
    super(held);
    this.#resources = resources;
  }

  override async list<Type extends KubeObject>(
    ...[type, scope]: Parameters<RecordingCluster["list"]>
  ): Promise<readonly Type[]> {
    const key = ({ metadata }: KubeObject) => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
    const kept = this.#resources
      .filter(({ kind }) => kind === type.kind)
      .toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
    return kept.length > 0
      ? (kept as unknown as readonly Type[])
      : ((await super.list(type, scope)) as unknown as readonly Type[]);
  }
}

const statuses: readonly StepStatus[] = ["Unknown", "NotPresent", "Present", "Created", "WaitingForApi"];

async function step(input: JsonObject): Promise<JsonValue> {
  const old = member(input, "old");
  const held = [...asObjects(listAt(input, "csvs")), ...(isJsonObject(old) ? asObjects([old]) : [])];
  const cluster = new VersionlessCluster(held, asObjects(listAt(input, "customResources")));
  const manifest = objectAt(input, "new") as unknown as CustomResourceDefinition;
  const outcome = await executeCrdStep(
    manifest,
    {
      resolving: textAt(input, "resolving"),
      resource: {
        sourceName: "",
        sourceNamespace: "",
        group: "apiextensions.k8s.io",
        version: "v1",
        kind: "CustomResourceDefinition",
        name: manifest.metadata.name ?? "",
      },
      // A status that no plan has is treated as one that cannot be executed.
      status: statuses.find((status) => status === textAt(input, "stepStatus")) ?? "UnsupportedResource",
    },
    textAt(input, "planNamespace"),
    { reader: cluster, writer: cluster, compat: improved },
    AbortSignal.timeout(300_000),
  );
  const name = manifest.metadata.name ?? "";
  const written = cluster.objects.get(
    `${customResourceDefinitions.group}|${customResourceDefinitions.plural}||${name}`,
  );
  const doubt = outcome.ok ? outcome.value.doubt : undefined;
  return {
    status: outcome.ok ? outcome.value.status : "Unknown",
    error: outcome.ok ? null : outcome.problem.message,
    events: doubt === undefined ? [] : [`Warning CRDValidation ${doubt}`],
    writes: cluster.writes,
    ...(written === undefined
      ? {}
      : { written: { annotations: written.metadata.annotations ?? {}, labels: written.metadata.labels ?? {} } }),
  };
}

function owners(input: JsonObject): JsonValue {
  const csv = objectAt(input, "csv") as unknown as ClusterServiceVersion;
  const held = objectAt(input, "owners");
  // The order of owners is the order in which the case lists them.
  const first = csv.spec.customresourcedefinitions?.owned ?? [];
  for (const { name: crd } of first) {
    const order = listAt(held, crd).filter((name) => typeof name === "string");
    const others = order.map((name) => owner(name, crd));
    const fault = competingOwners(
      { ...csv, spec: { ...csv.spec, customresourcedefinitions: { owned: [{ name: crd, version: "", kind: "" }] } } },
      others,
      textAt(input, "planNamespace"),
    );
    if (fault === undefined) continue;
    const clash = /Existing CSVs .*$/.exec(fault)?.[0];
    return { competing: true, error: clash ?? null };
  }
  return { competing: false, error: null };
}

function owner(name: string, crd: string): ClusterServiceVersion {
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { name },
    spec: {
      displayName: name,
      install: { strategy: "deployment" },
      customresourcedefinitions: { owned: [{ name: crd, version: "", kind: "" }] },
    },
  };
}

/** The errors in brackets are a set. */
function sortedErrors(value: JsonValue): JsonValue {
  if (typeof value === "string") {
    return value.replace(/too restrictive: \[(\[\].*)\]$/s, (_, list: string) => {
      const errors = list.split(/, (?=\[\])/).toSorted();
      return `too restrictive: [${errors.join(", ")}]`;
    });
  }
  if (Array.isArray(value)) return value.map((item: JsonValue) => sortedErrors(item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, sortedErrors(held ?? null)]));
}

const compareSets: Compare = (golden, value) => {
  const expect = sortedErrors(golden.expect);
  return compareExactly()(isJsonObject(expect) ? { ...golden, expect } : golden, sortedErrors(value));
};

/** When OLM sets a waiting step to Unknown: Purser keeps waiting and writes nothing. */
function waits({ input, expect }: GoldenCase, value: JsonValue): boolean {
  if (textAt(input, "stepStatus") !== "WaitingForApi" || textAt(expect, "status") !== "Unknown") return false;
  return firstDifference({ ...expect, status: "WaitingForApi", writes: [] }, value) === undefined;
}

export const suite: Suite = {
  name: "v0-crd-upgrade",
  compare: compareSets,
  differences: { "a CRD step waits until its API is served": waits },
  async run({ input }) {
    return answer(textAt(input, "op") === "step" ? await step(input) : owners(input));
  },
};
