import type { ObjectKey } from "@purser/kubernetes/apis/object";
import { bundleKey, type BundleRequest, type ContentNotice } from "../catalog/content.ts";
import type { BundleContent, Content } from "../content/content.ts";

/** Asks for a bundle on behalf of one key, which runs again when the bundle changes. */
export type AskForBundle = (request: BundleRequest) => BundleContent;

/** Which keys of one controller asked for which bundles: a notice of a bundle wakes them, once for each asking. */
export class BundleWaiters {
  readonly #content: Content;
  readonly #waiting = new Map<string, Map<string, ObjectKey>>();

  constructor(content: Content) {
    this.#content = content;
  }

  /** Asks for a bundle; `waiter` runs again when it changes. Also when it is there: it may be broken, and be repaired. */
  ask(request: BundleRequest, waiter: ObjectKey): BundleContent {
    const key = bundleKey(request);
    const waiting = this.#waiting.get(key) ?? new Map<string, ObjectKey>();
    this.#waiting.set(key, waiting.set(`${waiter.namespace ?? ""}/${waiter.name}`, waiter));
    return this.#content.bundle(request);
  }

  /** Who waits for the changed bundle; they ask again in the pass that follows. */
  woken({ kind, key }: ContentNotice): readonly ObjectKey[] {
    if (kind !== "bundle") return [];
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    return [...(waiting?.values() ?? [])];
  }
}
