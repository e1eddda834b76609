import { namespaces } from "@purser/kubernetes/apis/resources";
import { written } from "@purser/kubernetes/kube/refusal";
import { installPlans, subscriptions } from "../../../apis/olm-resources.ts";
import {
  changes,
  creates,
  deletes,
  extension,
  group,
  type LiveWorld,
  policy,
  runs,
  space,
  steps,
  subscription,
  tenant,
  until,
} from "./live-world.ts";

const asked = (name: string) => ["explain", `sub/tenant/${name}`];
const runsVersion = (name: string, version: string) =>
  until(
    ["status", `sub/tenant/${name}`],
    new RegExp(`${name}\\.v${version.replaceAll(".", "\\.")}[^]*(Ready|Update|Succeeded|Approve|Held|Up to date)`),
  );
const old = { startingCSV: "kiln.v1.0.0" };

/** Approves an upgrade whose schema refuses an object that exists. */
const approvesUnsafe = steps(
  until(["status", "sub/tenant/kiln"], /Approve/),
  runs("approve", "sub/tenant/kiln"),
  runsVersion("kiln", "1.0.0"),
  creates({
    apiVersion: "corpus.purser.dev/v1",
    kind: "Kiln",
    metadata: { namespace: "tenant", name: "large" },
    spec: { size: 9 },
  }),
  until(
    ["approve", "sub/tenant/kiln", "--dry-run"],
    /the new schema refuses 1 stored object: tenant\/large: spec\.size: /,
  ),
  runs("approve", "sub/tenant/kiln", "--no-wait"),
);

export const v0Worlds: readonly LiveWorld[] = [
  {
    name: "a Subscription whose bundle requires a package that no catalog has",
    objects: tenant("needy"),
    asked: asked("needy"),
    says: /\(DependencyMissing\)/,
  },
  {
    name: "a Subscription whose bundle image cannot be pulled",
    objects: tenant("pulled"),
    asked: asked("pulled"),
    says: /\(BundleUnavailable\)/,
  },
  {
    name: "a Subscription whose bundle cannot be used",
    objects: tenant("broken"),
    asked: asked("broken"),
    says: /\(BundleInvalid\)/,
  },
  {
    name: "an operator for all namespaces in a group for one",
    objects: tenant("worldly"),
    asked: asked("worldly"),
    says: /\(InstallModeUnsupported\)/,
  },
  {
    name: "an operator for its own namespace in a group for all",
    objects: [space("tenant"), group("tenant", {}), subscription("tenant", "homely")],
    asked: asked("homely"),
    says: /\(InstallModeUnsupported\)/,
  },
  {
    name: "a Subscription to a version for a newer Kubernetes",
    objects: tenant("modern", { channel: "future" }),
    asked: asked("modern"),
    says: /\(ClusterIncompatible\)/,
  },
  {
    name: "two Subscriptions of a namespace provide one API",
    objects: [...tenant("kiln"), subscription("tenant", "twin")],
    asked: asked("twin"),
    says: /\(ApiConflict\)/,
  },
  {
    name: "a Subscription whose CustomResourceDefinition a ClusterExtension owns",
    objects: extension("kiln"),
    next: steps(until(["status", "ext/kiln"], /Ready|Update|Up to date/), creates(...tenant("kiln"))),
    asked: asked("kiln"),
    says: /ObjectOwnedElsewhere/,
  },
  {
    name: "a Subscription to a catalog whose image cannot be pulled",
    objects: [
      space("tenant"),
      group("tenant"),
      {
        apiVersion: "operators.coreos.com/v1alpha1",
        kind: "CatalogSource",
        metadata: { namespace: "tenant", name: "far" },
        spec: { sourceType: "grpc", image: "localhost:1/far:1" },
      },
      subscription("tenant", "kiln", { source: "far", sourceNamespace: "tenant" }),
    ],
    asked: asked("kiln"),
    says: /CatalogUnavailable/,
  },
  {
    name: "an upgrade that a policy denies",
    objects: [policy("freeze", { level: "none" }), ...tenant("kiln", old)],
    next: runsVersion("kiln", "1.0.0"),
    asked: asked("kiln"),
    says: /VersionHeld/,
  },
  {
    name: "a Subscription whose installation waits for approval",
    objects: tenant("kiln", { ...old, installPlanApproval: "Manual" }),
    asked: asked("kiln"),
    says: /kiln\.v1\.0\.0 from[^]*purser approve/,
  },
  {
    name: "an upgrade outside its windows",
    objects: [
      policy("nights", { windows: [{ schedule: "0 3 29 2 *", duration: "1m", timeZone: "UTC" }] }),
      ...tenant("kiln", old),
    ],
    next: runsVersion("kiln", "1.0.0"),
    asked: asked("kiln"),
    says: /OutsideWindow/,
  },
  {
    name: "an upgrade that soaks",
    objects: [policy("slow", { soak: "999h" }), ...tenant("kiln", old)],
    next: runsVersion("kiln", "1.0.0"),
    asked: asked("kiln"),
    says: /Soaking/,
  },
  {
    name: "two policies that are equally specific",
    objects: [
      policy("one", { selector: { packages: ["kiln"] }, level: "none" }),
      policy("two", { selector: { packages: ["kiln"] }, level: "patch" }),
      ...tenant("kiln", old),
    ],
    next: runsVersion("kiln", "1.0.0"),
    asked: asked("kiln"),
    says: /VersionHeld/,
  },
  {
    name: "an upgrade whose permissions a policy denies",
    objects: [policy("rights", { permissionIncrease: "Deny" }), ...tenant("greedy", { startingCSV: "greedy.v1.0.0" })],
    next: runsVersion("greedy", "1.0.0"),
    asked: asked("greedy"),
    says: /is Held/,
  },
  {
    name: "an upgrade whose permissions need approval",
    objects: [
      policy("rights", { permissionIncrease: "RequireApproval" }),
      ...tenant("greedy", { startingCSV: "greedy.v1.0.0" }),
    ],
    next: runsVersion("greedy", "1.0.0"),
    asked: asked("greedy"),
    says: /approv/,
  },
  {
    name: "a group whose account lacks rights",
    objects: [
      space("tenant"),
      { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace: "tenant", name: "poor" } },
      group("tenant", { targetNamespaces: ["tenant"], serviceAccountName: "poor" }),
      subscription("tenant", "kiln"),
    ],
    asked: asked("kiln"),
    says: /\(PermissionDenied\)/,
  },
  {
    name: "a group whose account does not exist",
    objects: [
      space("tenant"),
      group("tenant", { targetNamespaces: ["tenant"], serviceAccountName: "nobody" }),
      subscription("tenant", "kiln"),
    ],
    asked: asked("kiln"),
    says: /does not exist/,
    leaves: { "kubectl create": /lacks rights/ },
  },
  ...(["crash", "image-error", "pending", "never-ready"] as const).map((result): LiveWorld => ({
    name: `a Subscription whose pods fail: ${result}`,
    objects: [space("tenant", { "sim/result": result }), group("tenant"), subscription("tenant", "kiln")],
    asked: asked("kiln"),
    says: new RegExp(`sim/result=${result}`),
  })),
  {
    name: "an upgrade whose new version fails",
    objects: tenant("kiln", { ...old, installPlanApproval: "Manual" }),
    next: steps(
      until(["status", "sub/tenant/kiln"], /Approve/),
      runs("approve", "sub/tenant/kiln"),
      runsVersion("kiln", "1.0.0"),
      changes(namespaces, { name: "tenant" }, { metadata: { annotations: { "sim/result": "crash" } } }),
      until(["approve", "sub/tenant/kiln", "--dry-run"], /1\.1\.0/),
      runs("approve", "sub/tenant/kiln", "--no-wait"),
    ),
    asked: asked("kiln"),
    says: /sim\/result=crash/,
  },
  {
    name: "an operator whose Subscription was deleted",
    objects: tenant("kiln"),
    next: steps(runsVersion("kiln", "1.1.0"), deletes(subscriptions, { namespace: "tenant", name: "kiln" })),
    asked: ["explain", "csv/tenant/kiln.v1.1.0"],
    says: /Orphan/,
  },
  {
    name: "an upgrade that a person holds",
    objects: tenant("kiln", old),
    next: steps(until(["status", "sub/tenant/kiln"], /kiln/), runs("hold", "sub/tenant/kiln")),
    asked: asked("kiln"),
    says: /VersionHeld/,
  },
  {
    name: "an upgrade whose schema refuses an object that is stored",
    objects: tenant("kiln", { ...old, installPlanApproval: "Manual" }),
    next: approvesUnsafe,
    asked: asked("kiln"),
    says: /CrdUnsafe/,
  },
  {
    name: "an upgrade whose CustomResourceDefinition removes a version in which objects are stored",
    objects: tenant("moved", { startingCSV: "moved.v1.0.0" }),
    next: until(["status", "sub/tenant/moved"], /moved\.v1\.[01]\.0/),
    asked: asked("moved"),
    says: /CrdUnsafe/,
  },
  {
    name: "an upgrade that has failed because its schema refuses an object that is stored",
    objects: tenant("kiln", { ...old, installPlanApproval: "Manual" }),
    next: steps(approvesUnsafe, until(asked("kiln"), /CrdUnsafe/), async ({ client }) => {
      const plans = await client.list(installPlans, { namespace: "tenant" });
      const { metadata, status } = plans.find((one) => one.status?.phase === "Installing") ?? {};
      const key = { namespace: "tenant", name: metadata?.name ?? "" };
      const message = status?.message?.replace(/^retrying execution due to error: /, "") ?? "";
      const conditions = [{ type: "Installed", status: "False", reason: "InstallComponentFailed", message }];
      const patch = { status: { phase: "Failed", message, conditions } };
      const write = {
        verb: "patch",
        type: installPlans,
        key,
        patchType: "merge",
        patch,
        subresource: "status",
      } as const;
      written(await client.write(write, new AbortController().signal));
    }),
    asked: asked("kiln"),
    says: /CrdUnsafe[^]*installplans/,
  },
];
