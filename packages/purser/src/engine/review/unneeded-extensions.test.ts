import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonValue } from "@purser/kubernetes/json";
import { unneededExtensions } from "./unneeded-extensions.ts";

type Requirement = readonly [type: string, value: JsonValue];

/** An extension whose bundle is `NAME.v1`; `requires` undefined: no catalog has the bundle. */
interface Held {
  readonly wantedBy?: string;
  readonly requires?: readonly Requirement[] | undefined;
  readonly isInstalling?: boolean;
}

/** What nothing requires after `app` was removed; every extension brings the CRD `NAME.g.io`. */
function after(held: Readonly<Record<string, Held>>, csvs: readonly object[] = []): readonly string[] {
  const extensions = Object.entries({ app: { requires: [] }, ...held } as Readonly<Record<string, Held>>).map(
    ([name, { wantedBy, isInstalling }]) => ({
      metadata: { name, ...(wantedBy === undefined ? {} : { annotations: { "purser.dev/wanted-by": wantedBy } }) },
      spec: { source: { catalog: { packageName: name } } },
      status: isInstalling === true ? {} : { install: { bundle: { name: `${name}.v1`, version: "1.0.0" } } },
    }),
  );
  return unneededExtensions("app", {
    extensions: extensions as never,
    csvs: csvs as never,
    propertiesOf: (bundle) => held[bundle.replace(".v1", "")]?.requires?.map(([type, value]) => ({ type, value })),
    crdsOf: (name) => [{ metadata: { name: `${name}.g.io` }, spec: { group: "g.io", names: { kind: name } } }] as never,
  });
}

const api = (kind: string): Requirement => ["olm.gvk.required", { group: "g.io", version: "v1", kind }];
const store = { wantedBy: "app", requires: [] } as const;
const csv = { metadata: {}, spec: { customresourcedefinitions: { required: [{ name: "store.g.io" }] } } };

const table: readonly (readonly [what: string, unneeded: readonly string[], expected: readonly string[]])[] = [
  ["one that was created for it", after({ store }), ["store"]],
  ["one that requires its own API", after({ store: { ...store, requires: [api("store")] } }), ["store"]],
  ["nothing that a person created", after({ store: { requires: [] } }), []],
  [
    "nothing that was created for another one",
    after({ store: { wantedBy: "other", requires: [] }, other: { requires: [] } }),
    [],
  ],
  [
    "what was created for one of them, too",
    after({ store: { ...store, requires: [api("disk")] }, disk: { wantedBy: "store", requires: [] } }),
    ["store", "disk"],
  ],
  ["nothing whose API another one requires", after({ store, other: { requires: [api("store")] } }), []],
  ["what another one requires nothing of", after({ store, other: { requires: [api("disk")] } }), ["store"]],
  [
    "nothing whose package another one requires",
    after({ store, other: { requires: [["olm.package.required", { packageName: "store" }]] } }),
    [],
  ],
  [
    "nothing beside a rule in CEL, which may be about it",
    after({ store, other: { requires: [["olm.constraint", { cel: { rule: "true" } }]] } }),
    [],
  ],
  ["nothing beside a bundle that no catalog has", after({ store, other: { requires: undefined } }), []],
  [
    "nothing beside an extension that is being installed",
    after({ store, other: { requires: [], isInstalling: true } }),
    [],
  ],
  ["nothing whose CRD a ClusterServiceVersion requires", after({ store }, [csv]), []],
];
for (const [what, unneeded, expected] of table)
  test(`an uninstalled ClusterExtension leaves unneeded: ${what}`, () => assert.deepEqual(unneeded, expected));
