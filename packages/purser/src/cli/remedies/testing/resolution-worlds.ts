import { extension, extensionAlone, group, type LiveWorld, space, subscription, tenant, until } from "./live-world.ts";

const asked = ["explain", "sub/tenant/kiln"];
const v0 = (name: string, spec: object, says: RegExp): LiveWorld => ({
  name,
  objects: tenant("kiln", spec),
  asked,
  says,
});
const v1 = (name: string, catalog: object, says: RegExp): LiveWorld => ({
  name,
  objects: extension("kiln", catalog),
  asked: ["explain", "ext/kiln"],
  says,
});

/** Worlds in which no version is chosen. More of them, without controllers, are in resolver/testing/failing-worlds.yaml. */
export const resolutionWorlds: readonly LiveWorld[] = [
  v0("a Subscription to a channel that does not exist", { channel: "stabel" }, /\(ChannelNotFound\)/),
  v0("a Subscription to a package of a similar name", { name: "kilm" }, /\(PackageNotFound\)/),
  v0("a Subscription to a catalog that does not exist", { source: "corpsu" }, /\(CatalogNotFound\)/),
  v0(
    "a Subscription that starts at a version that does not exist",
    { startingCSV: "kiln.v1.0.9" },
    /\(VersionNotFound\)/,
  ),
  {
    name: "a namespace with two OperatorGroups",
    objects: [
      space("tenant"),
      group("tenant", { targetNamespaces: ["tenant"] }, "one"),
      group("tenant", { targetNamespaces: ["tenant"] }, "two"),
      subscription("tenant", "kiln"),
    ],
    asked,
    says: /\(OperatorGroupAmbiguous\)/,
  },
  {
    name: "a namespace without an OperatorGroup",
    objects: [space("tenant"), subscription("tenant", "kiln")],
    asked,
    says: /\(OperatorGroupMissing\)/,
  },
  v1("a ClusterExtension with a range that nothing fits", { version: ">=9" }, /\(NoVersionInRange\)/),
  v1("a ClusterExtension with a channel that does not exist", { channels: ["beta"] }, /\(ChannelNotFound\)/),
  v1("a ClusterExtension of a package of a similar name", { packageName: "kilm" }, /asks for package kilm/),
  {
    name: "a ClusterExtension whose namespace does not exist",
    objects: [extensionAlone("kiln")],
    // The condition comes after the missing namespace can be seen.
    next: until(["explain", "ext/kiln"], /is Blocked/),
    asked: ["explain", "ext/kiln"],
    says: /Namespace kiln-system.* does not exist/,
  },
];
