import {
  bundleKey,
  type BundleRequest,
  type CatalogRequest,
  type ContentNotice,
  sourceKey,
} from "../../catalog/content.ts";
import { Changes } from "../changes.ts";
import type { BundleContent, CatalogContent, OpenContent } from "../content.ts";

/** The content port with states that a test sets; everything is pending before. */
export class SetContent implements OpenContent {
  readonly #catalogs = new Map<string, CatalogContent>();
  readonly #bundles = new Map<string, BundleContent>();
  readonly #notices = new Changes<ContentNotice>();
  /** Keys of the bundles that were asked for, in order. */
  readonly asked: string[] = [];
  /** Holders whose content was given up, in order; repeated with every pass. */
  readonly released: string[] = [];

  catalog({ source }: CatalogRequest): CatalogContent {
    return this.#catalogs.get(sourceKey(source)) ?? { state: { kind: "pending", since: 0 }, index: undefined };
  }

  bundle(request: BundleRequest): BundleContent {
    const key = bundleKey(request);
    this.asked.push(key);
    return this.#bundles.get(key) ?? { state: { kind: "pending", since: 0 }, objects: undefined };
  }

  release(holder: string): void {
    this.released.push(holder);
  }

  notices(signal: AbortSignal): AsyncIterable<ContentNotice> {
    return this.#notices.listen(signal);
  }

  setCatalog(key: string, content: CatalogContent): void {
    this.#catalogs.set(key, content);
    this.#notices.announce({ kind: "catalog", key });
  }

  /** Only the time of the next try changed. */
  tryLater(key: string): void {
    this.#notices.announce({ kind: "catalog", key, onlyTimes: true });
  }

  setBundle(key: string, content: BundleContent): void {
    this.#bundles.set(key, content);
    this.#notices.announce({ kind: "bundle", key });
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }
}
