import type { ObjectKey } from "@purser/kubernetes/apis/object";
import type { CausedKey } from "@purser/kubernetes/kube/controller/caused-key";
import { currentSpan } from "@purser/kubernetes/system/current-span";
import { bundleKey, type BundleRequest, type ContentNotice } from "../catalog/content.ts";
import type { BundleContent, Content } from "../content/content.ts";

/** Requests a bundle for one key, which is enqueued when the bundle changes. */
export type AskForBundle = (request: BundleRequest) => BundleContent;

/** The keys of one controller by the bundles that they requested: a notice about a bundle enqueues them, once for each request. */
export class BundleWaiters {
  readonly #content: Content;
  /** Of the objects that the keys name. */
  readonly #kind: string;
  readonly #waiting = new Map<string, Map<string, CausedKey>>();

  constructor(content: Content, kind: string) {
    this.#content = content;
    this.#kind = kind;
  }

  /** Requests a bundle; `waiter` is enqueued when it changes, also when it is available: a broken bundle can be repaired. */
  ask(request: BundleRequest, waiter: ObjectKey): BundleContent {
    const key = bundleKey(request);
    const waiting = this.#waiting.get(key) ?? new Map<string, CausedKey>();
    const cause = currentSpan();
    this.#waiting.set(
      key,
      waiting.set(`${waiter.namespace ?? ""}/${waiter.name}`, cause === undefined ? waiter : { ...waiter, cause }),
    );
    return this.#content.bundle(request, this.#holder(waiter));
  }

  /** The object of the key does not exist any more: its bundles are given up. */
  release(waiter: ObjectKey): void {
    this.#content.release(this.#holder(waiter));
  }

  /** The keys that wait for the changed bundle; they must request it again. */
  woken({ kind, key }: ContentNotice): readonly CausedKey[] {
    if (kind !== "bundle") return [];
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    return [...(waiting?.values() ?? [])];
  }

  #holder({ namespace, name }: ObjectKey): string {
    return `${this.#kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
  }
}
