import assert from "node:assert/strict";
import { test } from "node:test";
import { RecordingCluster } from "../../conformance/suites/v0/recording-cluster.ts";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ObjectWrite, Written, WriteRefusal } from "@purser/kubernetes/apis/object-write";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import { failed, type Result } from "@purser/kubernetes/result";
import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import { improved, parseCompat } from "../compat.ts";
import type { StepStatus } from "../apis/v0/install-plan.ts";
import { executeCrdStep } from "./crd-step.ts";
import { installedAlongsideAnnotationPrefix as mark } from "../apis/v0/labels.ts";

const manifest: CustomResourceDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "foos.g.io" },
  spec: {
    group: "g.io",
    names: { kind: "Foo", plural: "foos" },
    scope: "Namespaced",
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

/** The manifest as a cluster holds it, with these conditions. */
function live(...conditions: readonly (readonly [type: string, status: "True" | "False"])[]): CustomResourceDefinition {
  const shown = conditions.map(([type, status]) => ({ type, status, reason: "", message: "", lastTransitionTime: "" }));
  return { ...manifest, status: { conditions: shown, storedVersions: ["v1"] } };
}

/** `STATUS` after one pass, with the writes that it made. */
async function pass(status: StepStatus, ...held: readonly CustomResourceDefinition[]): Promise<string> {
  return passOn(new RecordingCluster(held), status);
}

async function passOn(
  cluster: RecordingCluster,
  status: StepStatus,
  compat = improved,
  {
    scoped,
    wanted = manifest,
  }: { readonly scoped?: RecordingCluster; readonly wanted?: CustomResourceDefinition } = {},
): Promise<string> {
  const outcome = await executeCrdStep(
    wanted,
    {
      resolving: "op.v1",
      resource: {
        sourceName: "cat",
        sourceNamespace: "olm",
        group: "apiextensions.k8s.io",
        version: "v1",
        kind: "CustomResourceDefinition",
        name: "foos.g.io",
      },
      status,
    },
    "ns",
    { reader: cluster, writer: cluster, compat, ...(scoped === undefined ? {} : { scoped }) },
    new AbortController().signal,
  );
  return [outcome.ok ? outcome.value.status : outcome.problem.message, ...cluster.writes].join(", ");
}

/** Another plan marks the CRD right before each of the first writes, which are refused for it. */
class ContestedCluster extends RecordingCluster {
  #conflicts: number;
  #version = 1;

  constructor(conflicts: number, held: CustomResourceDefinition) {
    super([held]);
    this.#conflicts = conflicts;
  }

  override async write(write: ObjectWrite): Promise<Result<Written, WriteRefusal>> {
    if (write.verb !== "replace" || this.#conflicts === 0) return super.write(write);
    this.#conflicts--;
    const held = await this.get(customResourceDefinitions, { name: "foos.g.io" });
    const resourceVersion = String(++this.#version);
    await super.write({
      verb: "replace",
      type: customResourceDefinitions,
      object: { ...manifest, metadata: { ...held?.metadata, name: "foos.g.io", resourceVersion } },
    });
    this.writes.pop();
    this.requests.pop();
    return failed({ kind: "conflict", status: { code: 409, reason: "Conflict", message: "it was modified" } });
  }
}

const established = live(["Established", "True"], ["NamesAccepted", "True"]);
const create = "create customresourcedefinitions foos.g.io";
const table: readonly (readonly [string, Promise<string>, string])[] = [
  [
    "a CRD that waits and was deleted is not present, and is not created in the same pass",
    pass("WaitingForApi"),
    "NotPresent",
  ],
  ["a CRD that is not present is created and waits", pass("NotPresent"), `WaitingForApi, ${create}`],
  ["a CRD that waits is created once it is established", pass("WaitingForApi", established), "Created"],
  ["a CRD without conditions goes on waiting", pass("WaitingForApi", live()), "WaitingForApi"],
  [
    "a CRD whose names are taken goes on waiting",
    pass("WaitingForApi", live(["Established", "True"], ["NamesAccepted", "False"])),
    "WaitingForApi",
  ],
  ["a created CRD is left alone when it was deleted", pass("Created"), "Created"],
  ["a present CRD is left alone when it was deleted", pass("Present"), "Present"],
  ["a step that cannot be executed writes nothing", pass("NotCreated"), "Unknown"],
];

for (const [name, found, expected] of table) test(name, async () => assert.equal(await found, expected));

for (const [conflicts, expected] of [
  [1, "Present, update customresourcedefinitions foos.g.io"],
  [5, "Present, update customresourcedefinitions foos.g.io"],
  [6, "error updating CRD: foos.g.io: it was modified"],
] as const)
  test(`a CRD that changes under ${conflicts} of its updates ends so: ${expected}`, async () => {
    const cluster = new ContestedCluster(conflicts, established);
    assert.equal(await passOn(cluster, "Unknown"), expected);
    // What is written replaces the state that was read last, not the one that was there first.
    const versions = cluster.requests.flatMap((write) =>
      write.verb === "replace" ? [write.object.metadata.resourceVersion] : [],
    );
    assert.deepEqual(versions, conflicts > 5 ? [] : [String(conflicts + 1)]);
  });

const released = live(["Established", "True"]);
const ownedByExtension: CustomResourceDefinition = {
  ...released,
  metadata: {
    ...released.metadata,
    ownerReferences: [
      { apiVersion: "olm.operatorframework.io/v1", kind: "ClusterExtension", name: "ext", uid: "u", controller: true },
    ],
  },
};

test("without --compat=crd-owners a CRD that a ClusterExtension took since the plan was observed is not written", async () => {
  const outcome = await passOn(new RecordingCluster([ownedByExtension]), "Unknown");
  assert.match(outcome, /^ObjectOwnedElsewhere: CustomResourceDefinition "foos.g.io" of op.v1 belongs to [^,]*ext/);
  assert.doesNotMatch(outcome, /replace/);
});

test("with --compat=crd-owners a CRD of a ClusterExtension is overwritten", async () => {
  const compat = parseCompat("crd-owners");
  assert.ok(compat.ok);
  const outcome = await passOn(new RecordingCluster([ownedByExtension]), "Unknown", compat.value);
  assert.match(outcome, /^Present, /);
});

const denied = 'customresourcedefinitions.apiextensions.k8s.io "" is forbidden: denied by test';
const wayOut =
  "A cluster administrator grants this to the service account of the OperatorGroup, or creates the definition";
const poor = (): RecordingCluster => new RecordingCluster([established], ["customresourcedefinitions"]);
const withoutSchema: CustomResourceDefinition = {
  ...manifest,
  spec: { ...manifest.spec, versions: [{ name: "v1", served: true, storage: true }] },
};
const withVersion: CustomResourceDefinition = {
  ...manifest,
  spec: {
    ...manifest.spec,
    versions: [...manifest.spec.versions, { name: "v2", served: true, storage: false }],
  },
};

test("a CRD that the account of the group may not create is not created", async () => {
  const cluster = new RecordingCluster([]);
  const outcome = await passOn(cluster, "Unknown", improved, { scoped: poor() });
  assert.equal(outcome, `error creating CRD foos.g.io: ${denied}. ${wayOut}`);
});

test("a CRD that the account may not update and that is as wanted gets its marks alone", async () => {
  for (const wanted of [manifest, withoutSchema]) {
    const cluster = new RecordingCluster([
      { ...established, metadata: { ...established.metadata, annotations: { [`${mark}gone`]: "ns/gone", a: "b" } } },
    ]);
    const outcome = await passOn(cluster, "Unknown", improved, { scoped: poor(), wanted });
    assert.equal(outcome, "Present, patch customresourcedefinitions foos.g.io");
    const held = await cluster.get(customResourceDefinitions, { name: "foos.g.io" });
    assert.deepEqual(held?.spec, manifest.spec);
    assert.deepEqual(Object.values(held?.metadata.annotations ?? {}), ["b", "ns/op.v1"]);
  }
});

test("a CRD that the account may not update does not get another version", async () => {
  const cluster = new RecordingCluster([established]);
  const outcome = await passOn(cluster, "Unknown", improved, { scoped: poor(), wanted: withVersion });
  assert.equal(outcome, `error updating CRD: foos.g.io: ${denied}. ${wayOut}`);
});

const strict = (more: object = {}): CustomResourceDefinition => {
  const schema = {
    openAPIV3Schema: { type: "object", required: ["a"], properties: { a: { type: "string" } } },
  } as const;
  return {
    ...manifest,
    spec: { ...manifest.spec, ...more, versions: [{ name: "v1", served: true, storage: true, schema }] },
  };
};
const stored = { apiVersion: "g.io/v1", kind: "Foo", metadata: { namespace: "ns", name: "x" } };

test("a CRD whose new schema refuses stored objects, or that drops a stored version, is not written", async () => {
  assert.equal(
    await passOn(new RecordingCluster([established, stored]), "Unknown", improved, { wanted: strict() }),
    'error validating existing CRs against new CRD\'s schema for "foos.g.io": error validating g.io/v1, Kind=Foo "ns/x": updated validation is too restrictive: [].a: Required value',
  );
  assert.equal(
    await passOn(new RecordingCluster([established]), "Unknown", improved, { wanted: strict() }),
    "Present, update customresourcedefinitions foos.g.io",
  );
  const renamed = { ...manifest, spec: { ...manifest.spec, versions: [{ name: "v2", served: true, storage: true }] } };
  assert.equal(
    await passOn(new RecordingCluster([established]), "Unknown", improved, { wanted: renamed }),
    'risk of data loss updating "foos.g.io": new CRD removes version v1 that is listed as a stored version on the existing CRD',
  );
});

test("what the new schema refuses is a warning where a webhook of the bundle converts the objects", async () => {
  const conversion = {
    strategy: "Webhook",
    webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: "https://example.com/" } },
  };
  const cluster = new RecordingCluster([established, stored]);
  const step = { resolving: "op.v1", resource: { name: "foos.g.io" }, status: "Unknown" } as never;
  const done = await executeCrdStep(
    strict({ conversion }),
    step,
    "ns",
    { reader: cluster, writer: cluster },
    new AbortController().signal,
  );
  assert.deepEqual(done, {
    ok: true,
    value: {
      status: "Present",
      warnings: [],
      doubt:
        'Validation of existing CRs against the new CRD\'s schema failed, but a webhook conversion strategy was specified in the new CRD.\nThe new webhook will only start after the bundle is upgraded, so we must assume that it will successfully convert existing CRs to a format that would have passed validation.\n\nCRD: "foos.g.io"\nValidation Error: error validating g.io/v1, Kind=Foo "ns/x": updated validation is too restrictive: [].a: Required value\n',
    },
  });
});

/** The CRD appears, or nothing does, right before it is created. */
class RacedCluster extends RecordingCluster {
  readonly #appears: CustomResourceDefinition | undefined;

  constructor(appears: CustomResourceDefinition | undefined) {
    super([]);
    this.#appears = appears;
  }

  override async write(write: ObjectWrite): Promise<Result<Written, WriteRefusal>> {
    if (write.verb !== "create") return super.write(write);
    if (this.#appears !== undefined) await super.write({ ...write, object: this.#appears });
    return failed({ kind: "alreadyExists", status: { code: 409, reason: "AlreadyExists", message: "it exists" } });
  }
}

test("a CRD that appears before it is created is updated; one that is gone again fails the step", async () => {
  assert.equal(
    await passOn(new RacedCluster(established), "Unknown"),
    "Present, create customresourcedefinitions foos.g.io, update customresourcedefinitions foos.g.io",
  );
  assert.equal(await passOn(new RacedCluster(undefined), "Unknown"), "it exists");
});

test("a CRD is written with the labels of Operators, of which those on the cluster stay, and with its marks", async () => {
  const component = "operators.coreos.com/";
  const ports = (cluster: RecordingCluster) => ({
    reader: cluster,
    writer: cluster,
    createdWith: (_step: unknown, _type: unknown, object: KubeObject) => ({
      ...object,
      metadata: { ...object.metadata, labels: { [`${component}mine`]: "", other: "" } },
    }),
  });
  const written = async (held: readonly CustomResourceDefinition[]) => {
    const cluster = new RecordingCluster(held);
    const step = { resolving: "op.v1", resource: { name: "foos.g.io" }, status: "Unknown" } as never;
    await executeCrdStep(manifest, step, "ns", ports(cluster), new AbortController().signal);
    const object = await cluster.get(customResourceDefinitions, { name: "foos.g.io" });
    return [
      object?.metadata.labels,
      Object.values(object?.metadata.annotations ?? {}),
      object?.metadata.resourceVersion ?? "none",
      Object.keys(object ?? {}),
    ];
  };
  assert.deepEqual(await written([]), [
    { "operators.coreos.com/mine": "", "olm.managed": "true" },
    ["ns/op.v1"],
    "none",
    ["apiVersion", "kind", "metadata", "spec"],
  ]);
  const labels = { [`${component}theirs`]: "", unrelated: "" };
  assert.deepEqual(await written([{ ...established, metadata: { name: "foos.g.io", labels, resourceVersion: "9" } }]), [
    { "operators.coreos.com/theirs": "", "operators.coreos.com/mine": "", "olm.managed": "true" },
    ["ns/op.v1"],
    "9",
    ["apiVersion", "kind", "metadata", "spec"],
  ]);
});
