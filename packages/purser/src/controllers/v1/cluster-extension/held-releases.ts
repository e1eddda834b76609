import { secrets } from "@purser/kubernetes/apis/resources";
import type { Clock } from "@purser/kubernetes/clock";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { releaseSelector } from "../../../rollout/plan/helm-release.ts";

const lookEveryMs = 60_000;

/** The names of the extensions for which OLM v1 left Helm releases, looked up once a minute at most and only when asked. */
export class HeldReleases {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #namespace: string;
  #lookedAt = -Infinity;
  #names: Promise<ReadonlySet<string>> = Promise.resolve(new Set());

  constructor(client: KubeClient, clock: Clock, namespace: string) {
    this.#client = client;
    this.#clock = clock;
    this.#namespace = namespace;
  }

  async has(extension: string): Promise<boolean> {
    const now = this.#clock.monotonic();
    if (now - this.#lookedAt >= lookEveryMs) {
      this.#lookedAt = now;
      this.#names = this.#look();
    }
    return (await this.#names).has(extension);
  }

  async #look(): Promise<ReadonlySet<string>> {
    try {
      const held = await this.#client.list(secrets, { namespace: this.#namespace, labelSelector: releaseSelector() });
      return new Set(held.map(({ metadata }) => metadata.labels?.["name"] ?? ""));
    } catch (error) {
      this.#lookedAt = -Infinity;
      throw error;
    }
  }
}
