import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { ObjectKey } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { Plan } from "@purser/kubernetes/kube/plan";
import { rulesCover } from "@purser/kubernetes/object/rbac";
import type {
  ClusterServiceVersion,
  ClusterServiceVersionStatus,
} from "../../../../apis/v0/cluster-service-version.ts";
import { targetNamespacesAnnotation } from "../../../../apis/v0/labels.ts";
import type { CsvAction } from "./csv-action.ts";
import { isShown } from "./phase-status.ts";
import { successor } from "./relations.ts";

interface ServiceAccountRef {
  readonly namespace: string;
  readonly name: string;
}

/** Custom resources that `spec.cleanup` of a CSV deletes, of one CRD. */
export interface CleanupScope {
  readonly type: ResourceType;
  /** `all`: also those without a namespace. */
  readonly namespaces: readonly string[] | "all";
  /** The operator's account that may delete them; undefined when none may, and they stay. */
  readonly account: ServiceAccountRef | undefined;
}

/** A custom resource that still exists. */
export interface Operand {
  readonly type: ResourceType;
  readonly key: ObjectKey;
  readonly account: ServiceAccountRef;
  readonly isDeleting: boolean;
}

/** What `spec.cleanup` of a CSV that is being deleted comes to. */
export interface Cleanup {
  readonly operands: readonly Operand[];
  /** CRDs with custom resources that no account of the operator may delete. */
  readonly undeletable: readonly string[];
}

/**
 * What is deleted with a CSV whose `spec.cleanup` is enabled: the custom resources of its CRDs in its target namespaces, while the
 * operator still runs. Nothing on an upgrade, of an operator that never succeeded, and where another CSV owns the CRD too.
 * @param others CSVs of the cluster that are no copies
 * @param crds those that the CSV owns and that exist
 */
export function cleanupScopes(
  csv: ClusterServiceVersion,
  others: readonly ClusterServiceVersion[],
  crds: readonly CustomResourceDefinition[],
): readonly CleanupScope[] {
  const { spec, status, metadata } = csv;
  const hasSucceeded = status?.conditions?.some(({ phase }) => phase === "Succeeded") === true;
  const siblings = others.filter((other) => other.metadata.namespace === metadata.namespace);
  if (spec.cleanup?.enabled !== true || !hasSucceeded || successor(csv, siblings) !== undefined) return [];
  const targets = targetsOf(csv);
  return crds.flatMap((crd): readonly CleanupScope[] => {
    const rivals = others.filter((other) => other.metadata.uid !== metadata.uid && owns(other, crd)).map(targetsOf);
    const served = crd.spec.versions.filter((version) => version.served);
    const version = (served.find(({ storage }) => storage) ?? served[0])?.name;
    if (version === undefined || rivals.some((theirs) => theirs === "all")) return [];
    if (targets === "all" && rivals.length > 0) return [];
    const taken = new Set(rivals.flat());
    const { group, names, scope } = crd.spec;
    const namespaced = scope === "Namespaced";
    if (!namespaced && targets !== "all") return [];
    const type = { group, version, kind: names.kind, plural: names.plural, namespaced };
    const namespaces = targets === "all" ? targets : targets.filter((namespace) => !taken.has(namespace));
    return [{ type, namespaces, account: deletingAccount(csv, type) }];
  });
}

/** The namespaces that a CSV serves; none when its group chose none. */
function targetsOf({ metadata }: ClusterServiceVersion): readonly string[] | "all" {
  const annotation = metadata.annotations?.[targetNamespacesAnnotation];
  if (annotation === undefined) return [];
  return annotation === "" ? "all" : annotation.split(",");
}

const owns = ({ spec }: ClusterServiceVersion, { metadata }: CustomResourceDefinition): boolean =>
  spec.customresourcedefinitions?.owned?.some(({ name }) => name === metadata.name) === true;

/** Deleting with the operator's own rights gives nobody more than the operator was given. */
function deletingAccount({ metadata, spec }: ClusterServiceVersion, type: ResourceType): ServiceAccountRef | undefined {
  const { permissions = [], clusterPermissions = [] } = spec.install.spec ?? {};
  const given = type.namespaced ? [...clusterPermissions, ...permissions] : clusterPermissions;
  const wanted = [{ apiGroups: [type.group], resources: [type.plural], verbs: ["delete"] }];
  const account = given.find(({ rules }) => rulesCover(rules, wanted));
  return account === undefined ? undefined : { namespace: metadata.namespace ?? "", name: account.serviceAccountName };
}

const shortestLookMs = 5_000;
const longestLookMs = 60_000;

/**
 * Deletes the operands and shows those that exist in `status.cleanup`; undefined when none is left.
 */
export function planCleanup(
  csv: ClusterServiceVersion,
  operands: readonly Operand[],
  now: number,
): Plan<CsvAction> | undefined {
  if (operands.length === 0) return undefined;
  const deletions = operands
    .filter(({ isDeleting }) => !isDeleting)
    .map(({ type, key, account }): CsvAction => ({
      kind: "deleteOperand",
      csv,
      account,
      write: { verb: "delete", type, key },
    }));
  const pendingDeletion = pendingOf(operands);
  const shown = isShown(csv.status?.cleanup?.pendingDeletion, pendingDeletion);
  const status: ClusterServiceVersionStatus = { ...csv.status, cleanup: { pendingDeletion } };
  const waited = now - Date.parse(csv.metadata.deletionTimestamp ?? "");
  return {
    actions: [...deletions, ...(shown ? [] : [{ kind: "status", csv, status } as const])],
    recheckAfterMs: Math.min(longestLookMs, Math.max(shortestLookMs, Number.isNaN(waited) ? 0 : waited)),
  };
}

type Pending = NonNullable<NonNullable<ClusterServiceVersionStatus["cleanup"]>["pendingDeletion"]>;

function pendingOf(operands: readonly Operand[]): Pending {
  return [...Map.groupBy(operands, ({ type: { group, kind } }) => `${group} ${kind}`).values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const { group, kind } = first.type;
    const instances = same.map(({ key: { namespace, name } }) => ({
      name,
      ...(namespace === undefined ? {} : { namespace }),
    }));
    return [{ group, kind, instances }];
  });
}
