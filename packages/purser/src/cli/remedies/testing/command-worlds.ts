import { clusterCatalog, extension, group, type LiveWorld, policy, space, tenant, until } from "./live-world.ts";

const refuses = (asked: string, says: RegExp, more: Partial<LiveWorld> = {}): LiveWorld => ({
  name: `purser ${asked}`,
  objects: [],
  asked: asked.split(" "),
  says,
  isCommand: true,
  ...more,
});
const inKiln = { objects: tenant("kiln"), next: until(["status", "sub/tenant/kiln"], /kiln\.v1/) };
const extKiln = { objects: extension("kiln"), next: until(["status", "ext/kiln"], /Ready|Update|Up to date/) };
const place = { objects: [space("tenant")] };
/** A Deployment with the name of an operator's, and with other pods. */
const plain = (name: string): object => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace: "tenant" },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: "manager", image: "example.com/other:1" }] },
    },
  },
});

export const commandWorlds: readonly LiveWorld[] = [
  refuses("install kilm -n tenant --as-subscription", /PackageNotFound/, place),
  refuses("install kilm -n tenant --as-extension", /PackageNotFound/, place),
  refuses("install kiln -n tenant --as-subscription --from-source corpu", /CatalogNotFound/, place),
  refuses("install kiln -n tenant --as-extension --from-source nothing-alike", /CatalogNotFound/, place),
  refuses("install kiln -n tenant --as-subscription --from-source nothing-alike", /CatalogNotFound/, place),
  refuses("install kiln -n tenant --as-subscription --channel stabel", /ChannelNotFound/, place),
  refuses("install kiln@0.9.0 -n tenant --as-subscription", /VersionNotFound/, place),
  refuses("install kiln@1.0.7 -n tenant --as-extension", /VersionNotFound/, place),
  refuses("install kiln -n tenant --as-subscription", /already installed|already exists/, inKiln),
  refuses("install twin -n other --create-namespace --as-subscription", /belongs to/, extKiln),
  refuses("install twin -n other --create-namespace --as-extension", /belongs? to/, inKiln),
  refuses("install pulled -n tenant --as-subscription", /pulled/, place),
  refuses("install homely -n tenant --as-extension", /watchNamespace|homely/, place),
  refuses("status sub/tenant/kilm", /kilm/, inKiln),
  refuses("status ext/kilm", /kilm/, extKiln),
  refuses("explain kilm", /kilm/, inKiln),
  refuses("explain kiln --from 1.0.7", /VersionNotFound/),
  refuses("plan sub/tenant/kilm", /kilm/, inKiln),
  refuses("plan -n tenan", /tenan/, inKiln),
  refuses("show kilm", /kilm/),
  refuses("show qqqqqqq", /qqqqqqq/),
  refuses("search qqqqqqq", /qqqqqqq/),
  refuses("search --source corpu", /corpu/),
  refuses("list -n nowhere-at-all", /nowhere-at-all/),
  refuses("instances kilms.corpus.purser.dev", /kilms/, extKiln),
  refuses("instances nobody", /nobody/, extKiln),
  refuses("tenancy nowhere-at-all", /nowhere-at-all/),
  refuses("source show olm/corpu", /corpu/),
  refuses("source set cc/corpu --priority 3", /corpu/),
  refuses("source add mine example.com/c:1 --yes", /exists already/, {
    objects: [
      {
        apiVersion: "operators.coreos.com/v1alpha1",
        kind: "CatalogSource",
        metadata: { namespace: "olm", name: "mine" },
        spec: { sourceType: "grpc", image: "localhost:1/mine:1" },
      },
    ],
  }),
  refuses("policy show freez", /freez/, { objects: [policy("freeze", { level: "none" })] }),
  refuses("policy show nothing-alike", /nothing-alike/),
  refuses("plan kiln --from 0.9.0 --to 1.1.0", /NoUpgradePath/),
  refuses("install broken -n tenant --as-subscription", /BundleInvalid/, place),
  refuses("install kiln@9.0.0 -n tenant --as-subscription", /VersionNotFound/, place),
  refuses("install kiln@1.x -n tenant --as-subscription", /is a range/, place),
  refuses("archive kiln-9", /kiln-9/, extKiln),
  refuses("history ext/kilm", /kilm/, extKiln),
  refuses("upgrade ext/kiln --to 7.0.0", /7\.0\.0/, extKiln),
  refuses("upgrade ext/kiln --channel stabel", /stabel/, extKiln),
  refuses("plan kilm --from 1.0.0 --to 1.1.0", /kilm/),
  refuses("adopt csv/tenant/nobody", /nobody/, place),
  refuses("adopt csv/tenant/kiln.v1.1.0", /kiln/, inKiln),
  refuses("adopt tenant/kiln --package kiln", /No pod may be replaced/, { objects: [space("tenant"), plain("kiln")] }),
  refuses("adopt tenant/oven --package kiln --version 1.0.0", /are not those of kiln/, {
    objects: [space("tenant"), plain("oven")],
  }),
  refuses("adopt tenant/kiln --package kiln --channel fast", /ChannelNotFound/, {
    objects: [space("tenant"), plain("kiln")],
  }),
  refuses("install kiln -n tenant --as-subscription --tier least-privilege", /is for a new operator group/, {
    objects: [space("tenant"), group("tenant")],
  }),
  refuses("approve 0123456789abcdef", /No pending plan has the digest/),
  refuses("uninstall ext/kilm", /kilm/, extKiln),
  refuses("instances Kil", /neither an installation nor a kind/, extKiln),
  refuses("install kiln -n other --create-namespace --as-extension", /AmbiguousCatalog/, {
    objects: [clusterCatalog("corpus-again", "local.purser.dev/catalogs/corpus:latest", { priority: 0 })],
    next: until(["source", "list"], /corpus-again +\S+ +\d/),
  }),
  refuses("install settings -n other --create-namespace --as-extension --name kiln", /exists/, extKiln),
  refuses("install kiln -n other --create-namespace --as-extension --name two", /already installed as/, extKiln),
  refuses("explain ext/kiln", /nothing newer there/, {
    objects: extension("kiln", { channels: ["old"] }),
    next: until(["status", "ext/kiln"], /Ready|Up to date/),
  }),
];
