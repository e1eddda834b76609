import { isDeepStrictEqual } from "node:util";
import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ObjectWrite, Written, WriteRefusal } from "@purser/kubernetes/apis/object-write";
import type { Secret } from "@purser/kubernetes/apis/core";
import type { ClusterObjectSet } from "../../../src/apis/v1/cluster-object-set.ts";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { bringRevision } from "../../../src/controllers/v1/cluster-extension/bring-revision.ts";
import { afterApply } from "../../../src/controllers/v1/cluster-extension/plan/after-apply.ts";
import { revisionStates } from "../../../src/controllers/v1/cluster-extension/plan/revision-state.ts";
import type { WantedBundle } from "../../../src/controllers/v1/cluster-extension/plan/world.ts";
import { objectSetOf, type RevisionRequest } from "../../../src/rollout/plan/revision.ts";
import { revisionFromRelease } from "../../../src/rollout/plan/revision-from-release.ts";
import type { RevisionOutcome } from "../../../src/rollout/plan/revision-outcome.ts";
import type { ClusterExtension } from "../../../src/apis/v1/cluster-extension.ts";
import { findCondition } from "@purser/kubernetes/apis/condition";
import { invariant } from "@purser/kubernetes/invariant";
import { compareExactly } from "../../compare.ts";
import type { Compare, GoldenCase, Suite } from "../../suite.ts";
import { answer } from "../../suite.ts";
import { contentHash, listAt, objectAt, textAt } from "../bundle-directory.ts";
import { RecordingCluster } from "../v0/recording-cluster.ts";

function hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** `$repeat` and `$noise` stand for long texts. */
function spelledOut(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => spelledOut(item));
  if (!isJsonObject(value)) return value;
  const [text, times] = listAt(value, "$repeat");
  if (typeof text === "string") return text.repeat(Number(times));
  const [seed, length] = listAt(value, "$noise");
  if (typeof seed === "string") {
    let noise = "";
    for (let i = 0; noise.length < Number(length); i++) noise += hex(`${seed}${i}`);
    return noise.slice(0, Number(length));
  }
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, spelledOut(held ?? null)]));
}

/** Answers the first apply as the case says and shows requests as the file does. */
class RevisionCluster extends RecordingCluster {
  readonly calls: JsonObject[] = [];
  #ssa: string;

  constructor(ssa: string) {
    super([]);
    this.#ssa = ssa;
  }

  override async write(write: ObjectWrite): Promise<Result<Written, WriteRefusal>> {
    switch (write.verb) {
      case "apply": {
        this.calls.push({
          op: "apply",
          fieldManager: write.fieldManager,
          force: write.force,
          object: shownRevision(write.object),
        });
        if (this.#ssa === "invalid") {
          this.#ssa = "";
          return failed({ kind: "invalid", status: { code: 422, reason: "Invalid", message: "phases is immutable" } });
        }
        const { metadata } = write.object;
        const object = { ...write.object, metadata: { ...metadata, uid: `uid-${metadata.name ?? ""}` } };
        return done({ object, warnings: [] });
      }
      case "create":
        this.calls.push(shownSecret(write.object as Secret));
        return done({ object: write.object, warnings: [] });
      case "delete":
        this.calls.push({ op: "deleteRevision", name: write.key.name });
        return done({ warnings: [] });
      case "patch":
        this.calls.push({ op: "patchSecret", name: write.key.name, patch: write.patch });
        return done({ warnings: [] });
      case "replace":
        return done({ object: write.object, warnings: [] });
    }
  }
}

function shownRevision(object: KubeObject): JsonObject {
  const { apiVersion, kind, metadata, spec } = object as unknown as JsonObject & { readonly spec: JsonObject };
  const probes = `sha256:${contentHash(member(spec, "progressionProbes") ?? null)}`;
  return {
    apiVersion: apiVersion ?? "",
    kind: kind ?? "",
    metadata: metadata ?? {},
    spec: { ...spec, progressionProbes: probes },
  };
}

function shownSecret(secret: Secret): JsonObject {
  const entries = Object.entries(secret.data ?? {}).map(([key, text]) => {
    const stored = Buffer.from(text, "base64");
    const gzip = stored[0] === 0x1f && stored[1] === 0x8b;
    const json = (gzip ? gunzipSync(stored) : stored).toString("utf8");
    const object = JSON.parse(json) as JsonObject;
    const metadata = objectAt(object, "metadata");
    return {
      key,
      object: `${textAt(object, "apiVersion")} ${textAt(object, "kind")} ${textAt(metadata, "namespace")}/${textAt(metadata, "name")}`,
      bytes: Buffer.byteLength(json),
      sha256: hex(json),
      gzip,
      ...(Buffer.byteLength(json) < 1200 ? { json: object } : {}),
    };
  });
  return {
    op: "createSecret",
    name: secret.metadata.name ?? "",
    namespace: secret.metadata.namespace ?? "",
    labels: secret.metadata.labels ?? {},
    type: secret.type ?? "",
    immutable: secret.immutable ?? false,
    data: entries,
  };
}

async function apply(input: JsonObject): Promise<JsonValue> {
  const extension = objectAt(input, "extension");
  const bundle = objectAt(input, "bundle");
  const name = textAt(extension, "name");
  const deadline = member(extension, "progressDeadlineMinutes");
  const release = member(bundle, "release");
  const properties = member(objectAt(input, "csvAnnotations"), "olm.properties");
  const request: RevisionRequest = {
    extension: {
      name,
      uid: "uid-ext",
      ...(typeof deadline === "number" && deadline !== 0 ? { progressDeadlineMinutes: deadline } : {}),
    },
    bundle: {
      name: textAt(bundle, "name"),
      packageName: textAt(bundle, "package"),
      version: textAt(bundle, "version"),
      image: textAt(bundle, "image"),
      ...(typeof release === "string" ? { release } : {}),
      ...(typeof properties === "string" ? { properties } : {}),
    },
    objects: listAt(input, "objects").filter(isJsonObject),
  };
  const existing = listAt(input, "existing")
    .filter(isJsonObject)
    .map((held): ClusterObjectSet => ({
      apiVersion: "olm.operatorframework.io/v1",
      kind: "ClusterObjectSet",
      metadata: { name: textAt(held, "name"), uid: `uid-${textAt(held, "name")}` },
      spec: {
        lifecycleState: textAt(held, "lifecycleState") === "Archived" ? "Archived" : "Active",
        revision: Number(member(held, "revision")),
        collisionProtection: "Prevent",
      },
    }));
  const cluster = new RevisionCluster(textAt(input, "ssa"));
  const outcome = await bringRevision(
    { request, checksCrds: false, revisions: existing },
    { reader: cluster, writer: cluster, systemNamespace: "olmv1-system", versions: { versionOf: () => undefined } },
    AbortSignal.timeout(300_000),
  );
  const error = upstreamError(name, request.bundle, outcome);
  const calls = cluster.calls.length === 0 ? null : cluster.calls;
  return error === undefined ? { calls } : { calls, error };
}

/** Upstream's text in the Progressing condition that the controller writes after this outcome. */
function upstreamError(name: string, bundle: RevisionRequest["bundle"], outcome: RevisionOutcome): string | undefined {
  const extension: ClusterExtension = {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterExtension",
    metadata: { name },
    spec: { namespace: name, source: { sourceType: "Catalog" } },
  };
  const wanted: WantedBundle = { bundle, content: { kind: "pending", since: 0 } };
  const { actions, retry } = afterApply(
    {
      extension,
      revisions: [],
      states: revisionStates([]),
      deprecation: "unknown",
      missing: "unknown",
      decision: { kind: "want", wanted },
    },
    outcome,
    0,
  );
  const [action] = actions;
  const conditions = action?.kind === "status" ? action.status.conditions : [];
  const message = findCondition(conditions, "Progressing")?.message;
  invariant(message === retry, "what is retried is what the extension shows");
  const prefix = `error for resolved bundle "${bundle.name}" with version "${bundle.version}": `;
  return message?.slice(message.indexOf(prefix) + prefix.length);
}

function migrate(input: JsonObject): JsonValue {
  const extension = textAt(objectAt(input, "extension"), "name");
  const release = objectAt(input, "helmRelease");
  const labels = objectAt(release, "labels") as unknown as Readonly<Record<string, string>>;
  const desired = revisionFromRelease(extension, { objects: listAt(release, "manifest").filter(isJsonObject), labels });
  if (!desired.ok) return { error: desired.problem };
  return { revision: shownRevision(objectSetOf(desired.value, `${extension}-1`, 1, desired.value.phases)) };
}

/** Keys and names of compressed entries depend on the compressor; what they hold does not. */
function withoutCompressed(value: JsonValue): JsonValue {
  const text = JSON.stringify(value);
  if (text.includes("even after compression"))
    return JSON.parse(text.replace(/\(\d+ bytes >/, "(bytes >")) as JsonValue;
  if (!text.includes('"gzip":true')) return value;
  const hide = (held: JsonValue, key = ""): JsonValue => {
    if (Array.isArray(held)) {
      const items = held.map((item: JsonValue) => hide(item));
      return key === "data" ? items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : items;
    }
    if (!isJsonObject(held))
      return key === "name" && typeof held === "string" ? held.replace(/-[0-9a-f]{16}$/, "") : held;
    return Object.fromEntries(
      Object.entries(held)
        .filter(([name]) => name !== "key")
        .map(([name, inner]) => [name, hide(inner ?? null, name)]),
    );
  };
  return hide(value);
}

const compareCalls: Compare = (golden, value) => {
  const expect = withoutCompressed(golden.expect);
  return compareExactly()(isJsonObject(expect) ? { ...golden, expect } : golden, withoutCompressed(value));
};

/** The entries of Secrets that a revision refers to, as `<Secret>/<key>`, sorted. */
function entriesReferredTo(revision: JsonObject): readonly string[] {
  const objects = listAt(objectAt(revision, "spec"), "phases").flatMap((phase) =>
    isJsonObject(phase) ? listAt(phase, "objects").filter(isJsonObject) : [],
  );
  return objects
    .map((object) => objectAt(object, "ref"))
    .map((ref) => `${textAt(ref, "name")}/${textAt(ref, "key")}`)
    .toSorted();
}

/**
 * The revision exists and was applied as it is. Its Secrets, which these worlds do not have, were created after that with exactly
 * the entries that it refers to, and each was given to it.
 */
function makesSecretsAgain(golden: GoldenCase, value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  const [first, ...later] = listAt(value, "calls").filter(isJsonObject);
  const created = later.filter((call) => textAt(call, "op") === "createSecret");
  const patched = later.filter((call) => textAt(call, "op") === "patchSecret");
  if (first === undefined || textAt(first, "op") !== "apply" || created.length === 0) return false;
  const revision = objectAt(first, "object");
  const entries = created.flatMap((secret) =>
    listAt(secret, "data")
      .filter(isJsonObject)
      .map((entry) => `${textAt(secret, "name")}/${textAt(entry, "key")}`),
  );
  const owned = patched.map(({ name, patch }) => {
    const [owner] = listAt(objectAt(objectAt({ patch: patch ?? null }, "patch"), "metadata"), "ownerReferences");
    return [name, isJsonObject(owner) ? textAt(owner, "name") : ""];
  });
  return (
    created.length + patched.length === later.length &&
    isDeepStrictEqual(entries.toSorted(), entriesReferredTo(revision)) &&
    isDeepStrictEqual(
      owned,
      created.map(({ name }) => [name, textAt(objectAt(revision, "metadata"), "name")]),
    ) &&
    compareCalls(golden, { ...value, calls: [first] }) === undefined
  );
}

export const suite: Suite = {
  name: "v1-applied-revisions",
  compare: compareCalls,
  differences: { "deleted Secrets of a revision are made again": makesSecretsAgain },
  async run(golden) {
    const input = spelledOut(golden.input);
    if (!isJsonObject(input)) return answer(null);
    return answer(member(input, "helmRelease") === undefined ? await apply(input) : migrate(input));
  },
};
