import { catalogSources } from "../../../apis/olm-resources.ts";
import type { Step } from "../../../apis/v0/install-plan.ts";
import { bundleKey, type BundleRequest } from "../../../catalog/content.ts";
import { failureText } from "../../../catalog/failure-text.ts";
import type { BundleContent, BundleObjects } from "../../../content/content.ts";
import {
  type BundleReference,
  referenceIn,
  referredManifest,
  type UnpackedReference,
} from "../../../resolver/v0/install-plan/bundle-reference.ts";
import type { Digest } from "@purser/kubernetes/digest";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { bundleRequest } from "../catalog-source/plan/catalog-request.ts";
import { readUnpackedConfigMap } from "./unpacked-config-map.ts";

export interface ReferencedBundlesOptions {
  /** Of the InstallPlan. */
  readonly namespace: string;
  /** CatalogSources, whose pull secrets the bundles need. */
  readonly reader: Pick<ObjectReader, "get">;
  /** Live: ConfigMaps that OLM unpacked bundles into. */
  readonly live: Pick<ObjectReader, "get">;
  /** The namespace of global catalogs. Absent: every ConfigMap is read. */
  readonly globalNamespace?: string;
  readonly ask: (request: BundleRequest) => BundleContent;
}

/**
 * The bundles that steps of one InstallPlan refer to: in place of manifests that are too large for the plan, or in ConfigMaps
 * where OLM made the plan. Made for one pass: each bundle is unpacked once for all its steps, also when the content port keeps
 * nothing that long.
 */
export class ReferencedBundles {
  readonly #options: ReferencedBundlesOptions;
  readonly #unpacked = new Map<Digest, ReturnType<BundleObjects["unpacked"]>>();
  readonly #configMaps = new Map<string, ReturnType<typeof readUnpackedConfigMap>>();

  constructor(options: ReferencedBundlesOptions) {
    this.#options = options;
  }

  /** The images whose content is still being read, each once; asks for all that the steps refer to. */
  async pending(steps: readonly Step[]): Promise<readonly string[]> {
    const requests = new Map<string, BundleRequest>();
    for (const step of steps) {
      const reference = referenceIn(step.resource.manifest ?? "");
      if (!reference.ok || reference.value?.kind !== "bundle") continue;
      const request = await this.#request(step, reference.value);
      requests.set(bundleKey(request), request);
    }
    return [...requests.values()]
      .filter((request) => this.#options.ask(request).state.kind === "pending")
      .map(({ reference }) => reference);
  }

  /**
   * The manifest of a step: its own text, or taken again from the bundle or ConfigMap it refers to, which must be the one
   * that was reviewed. The problem names the cause and the remedy.
   */
  async manifest(step: Step): Promise<Result<string, string>> {
    const text = step.resource.manifest ?? "";
    const read = referenceIn(text);
    if (!read.ok) return read;
    const reference = read.value;
    if (reference === undefined) return done(text);
    const { namespace } = this.#options;
    if (reference.kind === "configMap") {
      const stored = await this.#configMap(reference);
      if (!stored.ok) return stored;
      const manifest = referredManifest(step, reference, stored.value, namespace);
      if (manifest.ok) return manifest;
      return failed(`error calculating steps for ref ${reference.namespace}/${reference.name}: ${manifest.problem}`);
    }
    const { digest, image } = reference;
    const { state, objects } = this.#options.ask(await this.#request(step, reference));
    if (state.kind === "failing" || state.kind === "refused") return failed(failureText(state));
    if (state.kind !== "ready" || objects === undefined) return failed(`bundle ${image} is being read`);
    if (state.digest !== digest)
      return failed(
        `bundle ${image} changed since the plan was made: it was ${digest} and is ${state.digest}; delete the InstallPlan to plan again`,
      );
    const bundle = await this.#unpack(digest, objects);
    return bundle.ok ? referredManifest(step, reference, bundle.value, namespace) : failed(bundle.problem.message);
  }

  #configMap(reference: UnpackedReference): ReturnType<typeof readUnpackedConfigMap> {
    const { namespace, live, globalNamespace } = this.#options;
    const { namespace: where, name, catalogSource } = reference;
    const key = `${where}/${name} ${catalogSource.namespace}/${catalogSource.name}`;
    const known = this.#configMaps.get(key);
    if (known !== undefined) return known;
    const namespaces = globalNamespace === undefined ? undefined : [namespace, globalNamespace];
    const found = readUnpackedConfigMap(reference, live, namespaces);
    this.#configMaps.set(key, found);
    return found;
  }

  #unpack(digest: Digest, objects: BundleObjects): ReturnType<BundleObjects["unpacked"]> {
    const known = this.#unpacked.get(digest);
    if (known !== undefined) return known;
    const unpacked = objects.unpacked();
    this.#unpacked.set(digest, unpacked);
    return unpacked;
  }

  /** With the credentials of the catalog that the step came from, while it exists. */
  async #request({ resource }: Step, bundle: BundleReference): Promise<BundleRequest> {
    const key = { namespace: resource.sourceNamespace, name: resource.sourceName };
    return bundleRequest(bundle, await this.#options.reader.get(catalogSources, key));
  }
}
