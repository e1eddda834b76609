import type { KubeObject, ObjectKey, OwnerReference } from "@purser/kubernetes/apis/object";
import type { Written, WriteRefusal } from "@purser/kubernetes/apis/object-write";
import { asJson } from "@purser/kubernetes/apis/object";
import {
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  roleBindings,
  roles,
  secrets,
  serviceAccounts,
  services,
} from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions, subscriptions } from "../apis/olm-resources.ts";
import { parseApiVersion, type ResourceType } from "@purser/kubernetes/apis/resource-type";
import { generatedByAnnotation, managedLabel, ownerLabel } from "../apis/v0/labels.ts";
import type { ClusterServiceVersion } from "../apis/v0/cluster-service-version.ts";
import type { Step } from "../apis/v0/install-plan.ts";
import { csvOwnerReference, ownerLabels } from "../bundle/owned-by-csv.ts";
import type { JsonObject } from "@purser/kubernetes/json";
import { semanticEqual } from "@purser/kubernetes/object/semantic-equal";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { StepFailure } from "./plan/execution-outcome.ts";
import type { ExecutingPlan, KnownOwners, StepDone, StepPorts } from "./step-ports.ts";
import { competingOwners } from "./plan/competing-owners.ts";
import { failureOf } from "./write-failure.ts";

/** What a step does when its object exists. */
type Treatment =
  /** Do not change the object. */
  | { readonly kind: "keep"; readonly type: ResourceType }
  /** Update the object to the manifest. */
  | { readonly kind: "overwrite"; readonly type: ResourceType; readonly owner: "none" | "csv" | "labels" }
  /** Overwrite, for a type that is looked up through discovery. */
  | { readonly kind: "discover" };

const treatments: Readonly<Record<string, Treatment>> = {
  ClusterServiceVersion: { kind: "keep", type: clusterServiceVersions },
  Subscription: { kind: "keep", type: subscriptions },
  Secret: { kind: "keep", type: secrets },
  BundleSecret: { kind: "overwrite", type: secrets, owner: "csv" },
  ConfigMap: { kind: "overwrite", type: configMaps, owner: "csv" },
  Service: { kind: "overwrite", type: services, owner: "csv" },
  ServiceAccount: { kind: "overwrite", type: serviceAccounts, owner: "none" },
  Role: { kind: "overwrite", type: roles, owner: "none" },
  RoleBinding: { kind: "overwrite", type: roleBindings, owner: "none" },
  // A CSV owns cluster-scoped objects by label only; without owner labels they would remain when the operator is removed.
  ClusterRole: { kind: "overwrite", type: clusterRoles, owner: "labels" },
  ClusterRoleBinding: { kind: "overwrite", type: clusterRoleBindings, owner: "labels" },
  ...Object.fromEntries(
    [
      "PrometheusRule",
      "ServiceMonitor",
      "PodDisruptionBudget",
      "PriorityClass",
      "VerticalPodAutoscaler",
      "ConsoleYAMLSample",
      "ConsoleQuickStart",
      "ConsoleCLIDownload",
      "ConsoleLink",
      "ConsolePlugin",
      "NetworkPolicy",
    ].map((kind) => [kind, { kind: "discover" } satisfies Treatment]),
  ),
};

/** The type that objects of a step's kind are written as, whatever API version the step states; undefined when discovery decides. */
export function typeOfStep({ kind }: Step["resource"]): ResourceType | undefined {
  const treatment = Object.hasOwn(treatments, kind) ? treatments[kind] : undefined;
  return treatment === undefined || treatment.kind === "discover" ? undefined : treatment.type;
}

/** OLM's text for a step whose API the cluster does not serve. */
export function missingApiText({ group, version, kind, name }: Step["resource"]): string {
  return `api-server resource not found installing ${kind} ${name}: GroupVersionKind ${group}/${version}, Kind=${kind} not found on the cluster. This API may have been deprecated and removed, see https://kubernetes.io/docs/reference/using-api/deprecation-guide/ for more information.`;
}

type Outcome = Result<StepDone, StepFailure & { readonly status?: StepDone["status"] }>;

const plainFailure = (message: string): Outcome => failed({ message, forbidden: false });

/** Applies one step that is not a CRD with the identity of the InstallPlan, as OLM's `ExecutePlan`. */
export async function applyStep(
  step: Step,
  manifest: KubeObject,
  plan: ExecutingPlan,
  ports: StepPorts,
  owners: KnownOwners,
  signal: AbortSignal,
): Promise<Outcome> {
  const { kind } = step.resource;
  const treatment = Object.hasOwn(treatments, kind) ? treatments[kind] : undefined;
  if (treatment === undefined) {
    return failed({
      message: "the InstallPlan contains invalid data",
      forbidden: false,
      status: "UnsupportedResource",
    });
  }
  const executing = new Executing(step, plan, ports, owners, signal);
  switch (treatment.kind) {
    case "keep":
      return executing.keep(treatment.type, manifest);
    case "overwrite":
      return executing.overwrite(treatment.type, manifest, treatment.owner);
    case "discover": {
      const { group, version } = parseApiVersion(manifest.apiVersion);
      const found = await ports.lookUp({ group, version, kind });
      if (found.kind === "served")
        return executing.overwrite(found.type, manifest, found.type.namespaced ? "csv" : "labels");
      if (found.kind === "absent" && (await ports.serves?.(manifest.apiVersion)) === false)
        return plainFailure(missingApiText(step.resource));
      const why = found.kind === "absent" ? "" : `: its server does not answer: ${found.why}`;
      return plainFailure(`Unable to find GVK in discovery: ${group} ${version} ${kind}${why}`);
    }
  }
}

class Executing {
  readonly #step: Step;
  readonly #plan: ExecutingPlan;
  readonly #ports: StepPorts;
  readonly #owners: KnownOwners;
  readonly #signal: AbortSignal;

  constructor(step: Step, plan: ExecutingPlan, ports: StepPorts, owners: KnownOwners, signal: AbortSignal) {
    this.#step = step;
    this.#plan = plan;
    this.#ports = ports;
    this.#owners = owners;
    this.#signal = signal;
  }

  get #what(): string {
    return `${this.#step.resource.kind.toLowerCase()} ${this.#step.resource.name}`;
  }

  async keep(type: ResourceType, manifest: KubeObject): Promise<Outcome> {
    let object = this.#placed(type, manifest);
    switch (this.#step.resource.kind) {
      case "ClusterServiceVersion": {
        const fault = await this.#competing(object as ClusterServiceVersion);
        if (fault !== undefined) return plainFailure(fault);
        break;
      }
      case "Subscription":
        object = annotated(object, { [generatedByAnnotation]: this.#plan.name });
        break;
      case "Secret": {
        const { name } = this.#step.resource;
        const namespace = this.#ports.globalNamespace;
        if ((await this.#ports.mayCopySecret?.(name)) === false)
          return plainFailure(
            `secret ${name} is not copied: no CatalogSource of namespace ${namespace} names it in spec.secrets`,
          );
        const source = await this.#ports.reader.get(secrets, { namespace, name });
        if (source === undefined) return plainFailure(`secret ${name} does not exist - secrets "${name}" not found`);
        const { data, type: secretType } = source;
        object = this.#placed(secrets, {
          apiVersion: "v1",
          kind: "Secret",
          metadata: { name },
          ...(data === undefined ? {} : { data }),
          ...(secretType === undefined ? {} : { type: secretType }),
        } as KubeObject);
        break;
      }
    }
    const created = await this.#create(type, object);
    if (created.ok) {
      const { name, uid } = created.value.object?.metadata ?? {};
      if (type === clusterServiceVersions && name !== undefined && uid !== undefined) this.#owners.set(name, uid);
      return done({ status: "Created", warnings: created.value.warnings });
    }
    return created.problem.kind === "alreadyExists"
      ? done({ status: "Present", warnings: [] })
      : failed(failureOf(created.problem, (text) => `error creating ${this.#what}: ${text}`));
  }

  async overwrite(type: ResourceType, manifest: KubeObject, owner: "none" | "csv" | "labels"): Promise<Outcome> {
    const owned = await this.#owned(this.#placed(type, manifest), owner);
    if (!owned.ok) return plainFailure(owned.problem);
    const object = owned.value;
    const created = await this.#create(type, object);
    if (created.ok) return done({ status: "Created", warnings: created.value.warnings });
    if (created.problem.kind !== "alreadyExists") {
      return failed(failureOf(created.problem, (text) => `error creating ${this.#what}: ${text}`));
    }
    const key: ObjectKey = {
      ...(type.namespaced ? { namespace: this.#plan.namespace } : {}),
      name: object.metadata.name ?? "",
    };
    const live = await this.#ports.reader.get(type, key);
    if (live === undefined) return plainFailure(`error updating ${this.#what}: ${created.problem.status.message}`);
    const next = this.#onTopOf(live, object);
    if (next === undefined) return done({ status: "Present", warnings: [] });
    const replaced = await this.#ports.scoped.write({ verb: "replace", type, object: next }, this.#signal);
    return replaced.ok
      ? done({ status: "Present", warnings: replaced.value.warnings })
      : failed(failureOf(replaced.problem, (text) => `error updating ${this.#what}: ${text}`));
  }

  #create(type: ResourceType, object: KubeObject): Promise<Result<Written, WriteRefusal>> {
    const whole = this.#ports.createdWith?.(this.#step, type, object) ?? object;
    return this.#ports.scoped.write({ verb: "create", type, object: whole }, this.#signal);
  }

  /** With the label `olm.managed`, and in the plan's namespace when the type is namespaced. */
  #placed(type: ResourceType, manifest: KubeObject): KubeObject {
    const { namespace: _given, ...metadata } = manifest.metadata;
    return {
      ...manifest,
      metadata: {
        ...metadata,
        ...(type.namespaced ? { namespace: this.#plan.namespace } : {}),
        labels: { ...metadata.labels, [managedLabel]: "true" },
      },
    };
  }

  /** Owner references to CSVs get the uid of the live CSV, which must exist. A step that resolves no CSV adds no owner. */
  async #owned(object: KubeObject, owner: "none" | "csv" | "labels"): Promise<Result<KubeObject, string>> {
    const csv = { name: this.#step.resolving, namespace: this.#plan.namespace };
    const { metadata } = object;
    const adds = csv.name === "" ? "none" : owner;
    if (adds === "labels") {
      return done({ ...object, metadata: { ...metadata, labels: { ...metadata.labels, ...ownerLabels(csv) } } });
    }
    const given = metadata.ownerReferences ?? [];
    const own: readonly OwnerReference[] = adds === "csv" ? [csvOwnerReference({ name: csv.name, uid: "" })] : [];
    const references: OwnerReference[] = [];
    for (const reference of [...given.filter(({ name }) => own.length === 0 || name !== csv.name), ...own]) {
      if (reference.kind !== "ClusterServiceVersion") {
        references.push(reference);
        continue;
      }
      const uid = this.#owners.get(reference.name) ?? (await this.#uidOf(reference.name));
      if (uid === undefined) {
        return failed(
          `error generating ownerrefs for ${this.#what}: clusterserviceversions.operators.coreos.com "${reference.name}" not found`,
        );
      }
      references.push({ ...reference, uid });
    }
    return done(
      references.length === 0 ? object : { ...object, metadata: { ...metadata, ownerReferences: references } },
    );
  }

  async #uidOf(name: string): Promise<string | undefined> {
    const live = await this.#ports.reader.get(clusterServiceVersions, { namespace: this.#plan.namespace, name });
    if (live === undefined) return undefined;
    const { uid = "" } = live.metadata;
    this.#owners.set(name, uid);
    return uid;
  }

  /** What replaces the live object; undefined when nothing would change. */
  #onTopOf(live: KubeObject, object: KubeObject): KubeObject | undefined {
    const { resourceVersion } = live.metadata;
    const preconditioned = (next: KubeObject): KubeObject => ({
      ...next,
      metadata: { ...next.metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
    });
    switch (this.#step.resource.kind) {
      case "ServiceAccount": {
        const next = mergedAccount(live, object);
        return semanticEqual(comparable(next), comparable(live)) ? undefined : preconditioned(next);
      }
      case "ClusterRole":
      case "ClusterRoleBinding":
        return preconditioned({
          ...object,
          metadata: { ...object.metadata, labels: { ...object.metadata.labels, [ownerLabel]: this.#step.resolving } },
        });
      case "Service":
        return preconditioned(withAllocations(live, object));
      default:
        return preconditioned(object);
    }
  }

  async #competing(csv: ClusterServiceVersion): Promise<string | undefined> {
    const { name = "" } = csv.metadata;
    if (this.#plan.csvNames.includes(name)) return undefined;
    const { namespace } = this.#plan;
    const inNamespace = await this.#ports.reader.list(clusterServiceVersions, { namespace });
    return competingOwners(csv, inNamespace, namespace);
  }
}

function annotated(object: KubeObject, annotations: Readonly<Record<string, string>>): KubeObject {
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } },
  };
}

/** Tokens and what others own or note on an account stay. */
function mergedAccount(live: KubeObject, object: KubeObject): KubeObject {
  const held = asJson(live);
  const references = [...(live.metadata.ownerReferences ?? [])];
  for (const reference of object.metadata.ownerReferences ?? []) {
    if (!references.some(({ uid }) => uid === reference.uid)) references.push(reference);
  }
  const annotations = { ...live.metadata.annotations, ...object.metadata.annotations };
  return {
    ...object,
    metadata: {
      ...object.metadata,
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...(references.length === 0 ? {} : { ownerReferences: references }),
    },
    ...(held["secrets"] === undefined ? {} : { secrets: held["secrets"] }),
  } as KubeObject;
}

function comparable(object: KubeObject): JsonObject {
  const { labels, annotations, ownerReferences } = object.metadata;
  const { metadata: _metadata, ...rest } = asJson(object);
  return { ...rest, labels, annotations, ownerReferences: ownerReferences as unknown as JsonObject[] };
}

/** Addresses that kube-apiserver assigned to a Service are immutable. */
function withAllocations(live: KubeObject, object: KubeObject): KubeObject {
  const held = asJson(live)["spec"] as JsonObject | undefined;
  const spec = asJson(object)["spec"] as JsonObject | undefined;
  const kept = ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"].filter((name) => {
    const wanted = spec?.[name];
    return held?.[name] !== undefined && (wanted === undefined || wanted === "");
  });
  return { ...object, spec: { ...spec, ...Object.fromEntries(kept.map((name) => [name, held?.[name]])) } };
}
