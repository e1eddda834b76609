import { formatKey, type KubeObject, type ObjectKey } from "@purser/kubernetes/apis/object";
import { groupResource, type ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { Reduction, VersionView } from "@purser/kubernetes/kube/informer-cache";
import type { ListScope, ObjectReader } from "@purser/kubernetes/kube/object-reader";

interface Held {
  readonly version: string;
  readonly answer: unknown;
}

/** What one pass reads. */
export interface PassReads extends ObjectReader {
  /** Types that the pass asked the API server for: while their versions are watched, the same answer is not asked for again. */
  readonly toWatch: readonly ResourceType[];
}

/** Answers are dropped in the order of their last reading beyond this number. */
const mostHeld = 2_000;

/**
 * Reads what the informer cache does not hold, once per version: an answer is kept until an informer that sees the versions of
 * the type shows another one. What is missing is confirmed by one request too, and again only after it existed. Without such
 * an informer every read is a request.
 */
export class VersionedReads {
  readonly #reduction: Reduction | undefined;
  readonly #held = new Map<string, Held>();

  /** @param reduction drops what no reader needs of an object; what an informer with it shows is not asked for */
  constructor(reduction?: Reduction) {
    this.#reduction = reduction;
  }

  during(reader: ObjectReader, versions: Pick<VersionView, "versionOf" | "versionsIn" | "reduced">): PassReads {
    const toWatch = new Map<string, ResourceType>();
    const read = async <Answer>(
      what: string,
      type: ResourceType,
      version: string | undefined,
      ask: () => Promise<Answer>,
      objectsOf: (answer: Answer) => readonly KubeObject[],
    ): Promise<Answer> => {
      if (version === "held") return ask();
      toWatch.set(groupResource(type), type);
      const name = `${groupResource(type)}/${type.version} ${what}`;
      const held = this.#held.get(name);
      this.#held.delete(name);
      const kept = held !== undefined && held.version === version ? held : undefined;
      const answer = kept === undefined ? await ask() : (kept.answer as Answer);
      if (version !== undefined && !isAheadOf(version, objectsOf(answer))) this.#keep(name, { version, answer });
      return answer;
    };
    return {
      get toWatch() {
        return [...toWatch.values()];
      },
      get: async <Type extends KubeObject>(type: ResourceType<Type>, key: ObjectKey) => {
        const reduction = this.#reduction;
        const shown = reduction === undefined ? undefined : versions.reduced(type, key, reduction);
        if (shown !== undefined) return shown as Type;
        const ask = async (): Promise<Type | undefined> => {
          const found = await reader.get(type, key);
          return found === undefined || reduction === undefined ? found : (reduction.reduce(found) as Type);
        };
        const version = versions.versionOf(type, key);
        return read(`get ${formatKey(key)}`, type, version, ask, (found) => (found === undefined ? [] : [found]));
      },
      list: <Type extends KubeObject>(type: ResourceType<Type>, scope: ListScope = {}) =>
        read(
          `list ${JSON.stringify(scope)}`,
          type,
          versions.versionsIn(type, scope),
          () => reader.list(type, scope),
          (found) => found,
        ),
    };
  }

  #keep(name: string, held: Held): void {
    this.#held.set(name, held);
    if (this.#held.size <= mostHeld) return;
    const [oldest] = this.#held.keys();
    if (oldest !== undefined) this.#held.delete(oldest);
  }
}

/**
 * Whether an answer holds an object that informers do not show yet. They show the same version once more when it is deleted:
 * kept until then, the answer would restore it permanently.
 */
function isAheadOf(version: string, objects: readonly KubeObject[]): boolean {
  const shown = new Set(version.split(/[\n ]/));
  return objects.some(({ metadata: { uid } }) => uid !== undefined && !shown.has(uid));
}
