import type { KubeObject } from "@purser/kubernetes/apis/object";
import { secrets } from "@purser/kubernetes/apis/resources";
import type { Watch } from "@purser/kubernetes/kube/controller/controller";
import type { CacheView } from "@purser/kubernetes/kube/informer-cache";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import type { Result } from "@purser/kubernetes/result";
import { extensionOfRelease, releasePartsSelector } from "../../../rollout/plan/helm-release.ts";
import { type HeldRelease, readRelease } from "../../../rollout/read-release.ts";
import { watching } from "../../watching.ts";

/** The index of the extensions for which OLM v1 left Helm releases. */
const releaseIndex = "helm-release";

type Reading = Result<HeldRelease | undefined, string>;

/**
 * The Helm releases that OLM v1 left. Their Secrets are watched by their metadata; one that cannot be taken over is read again
 * only when one of its Secrets changed.
 */
export class HeldReleases {
  readonly #namespace: string;
  /** By extension. */
  readonly #refused = new Map<string, { readonly state: string; readonly reading: Reading }>();

  /** @param namespace in which OLM v1 keeps its releases */
  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  /** Wakes the extension of a changed release. */
  get watch(): Watch {
    return watching({
      type: secrets,
      scope: { namespace: this.#namespace, labelSelector: releasePartsSelector },
      projection: "metadata",
      indexes: { [releaseIndex]: extensionsOf },
      map: (secret) => extensionsOf(secret).map((name) => ({ name })),
    });
  }

  /** What to take over for the extension; undefined when nothing is deployed. The problem says what is wrong with it. */
  async read(extension: string, cache: CacheView, client: ObjectReader): Promise<Reading> {
    const held = cache.byIndex(secrets, releaseIndex, extension);
    if (held.length === 0) return { ok: true, value: undefined };
    const state = held
      .map(({ metadata: { uid, resourceVersion } }) => `${uid} ${resourceVersion}`)
      .toSorted()
      .join();
    const refused = this.#refused.get(extension);
    if (refused?.state === state) return refused.reading;
    this.#refused.delete(extension);
    const reading = await readRelease(extension, this.#namespace, client);
    if (!reading.ok || reading.value === undefined) this.#refused.set(extension, { state, reading });
    return reading;
  }
}

function extensionsOf(secret: KubeObject): readonly string[] {
  const name = extensionOfRelease(secret);
  return name === undefined ? [] : [name];
}
