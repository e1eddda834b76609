import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Secret } from "@purser/kubernetes/apis/core";
import { objectDataSecretType, ownerNameLabel, revisionNameLabel } from "../apis/v1/labels.ts";
import type { ObjectSetPhase, PhaseObject } from "../apis/v1/cluster-object-set.ts";
import type { JsonObject } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { turns } from "@purser/kubernetes/system/turns";
import { goJson } from "@purser/kubernetes/text/documents";

/** Kubernetes' limit on a Secret is 1 MiB; the rest is room for its metadata. */
const secretLimit = 900 * 1024;

export interface PackedPhases {
  /** Phases whose objects are references. */
  readonly phases: readonly ObjectSetPhase[];
  readonly secrets: readonly Secret[];
}

/**
 * Puts the objects of a revision into immutable Secrets, larger ones compressed, equal ones once. The same objects give the
 * same Secrets; the problem is upstream's text.
 */
export async function packObjects(
  phases: readonly ObjectSetPhase[],
  revision: string,
  owner: string,
  namespace: string,
): Promise<Result<PackedPhases, string>> {
  const packer = new Packer();
  const keys: (string | undefined)[][] = [];
  for (const [phaseIndex, { objects }] of phases.entries()) {
    const row: (string | undefined)[] = [];
    for (const [index, { object }] of objects.entries()) {
      if (object === undefined) {
        row.push(undefined);
        continue;
      }
      const bytes = await storedBytes(object);
      if (bytes.length > secretLimit) {
        return failed(
          `object in phase ${phaseIndex} index ${index} exceeds maximum Secret data size (${bytes.length} bytes > ${secretLimit} bytes) even after compression`,
        );
      }
      row.push(packer.add(bytes));
    }
    keys.push(row);
  }
  const secrets = packer.bins.map((bin) => secretOf(bin, revision, owner, namespace));
  const names = new Map(
    packer.bins.flatMap((bin, i) => [...bin.keys()].map((key) => [key, secrets[i]?.metadata.name ?? ""])),
  );
  const packed = phases.map((phase, i): ObjectSetPhase => ({
    ...phase,
    objects: phase.objects.map((held, j): PhaseObject => {
      const key = keys[i]?.[j];
      if (key === undefined) return held;
      const { object: _inline, ...others } = held;
      return { ...others, ref: { name: names.get(key) ?? "", namespace, key } };
    }),
  }));
  return done({ phases: packed, secrets });
}

/** Distributes objects over Secrets in order; begins a new Secret when the next object does not fit. */
class Packer {
  readonly bins: Map<string, Buffer>[] = [];
  readonly #seen = new Set<string>();
  #size = 0;

  add(bytes: Buffer): string {
    const key = createHash("sha256").update(bytes).digest("base64url");
    if (this.#seen.has(key)) return key;
    this.#seen.add(key);
    const current = this.bins.at(-1);
    if (current !== undefined && this.#size + bytes.length <= secretLimit) {
      current.set(key, bytes);
      this.#size += bytes.length;
    } else {
      this.bins.push(new Map([[key, bytes]]));
      this.#size = bytes.length;
    }
    return key;
  }
}

const compressed = promisify(gzip);

/** Yields to the event loop between objects; compression runs in another thread. */
async function storedBytes(object: JsonObject): Promise<Buffer> {
  await turns.before(0);
  const bytes = Buffer.from(goJson(object), "utf8");
  turns.add(bytes.length);
  return bytes.length <= secretLimit ? bytes : compressed(bytes, { level: 9 });
}

function secretOf(bin: ReadonlyMap<string, Buffer>, revision: string, owner: string, namespace: string): Secret {
  const keys = [...bin.keys()].toSorted();
  const hash = createHash("sha256");
  for (const key of keys) hash.update(key).update(bin.get(key) ?? "");
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: `${revision}-${hash.digest("hex").slice(0, 16)}`,
      namespace,
      labels: { [ownerNameLabel]: owner, [revisionNameLabel]: revision },
    },
    immutable: true,
    type: objectDataSecretType,
    data: Object.fromEntries(keys.map((key) => [key, bin.get(key)?.toString("base64") ?? ""])),
  };
}
